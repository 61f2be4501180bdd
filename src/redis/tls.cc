#include "src/redis/tls.h"

#ifdef BLOOMLINE_HIREDIS_SSL
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#endif

namespace bloomline::redis {

#ifndef BLOOMLINE_HIREDIS_SSL

bool HasTls() { return false; }
bool StartTls(redisContext*, const Endpoint&, const RedisTls&, std::string*) { return false; }

std::string TlsReason() { return ""; }
void ClearTlsReason() {}

#else

namespace {

struct FreeTls {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

const char* OrNull(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

// Without this, OpenSSL would read the password of an encrypted key from the terminal.
int NoPassword(char*, int, int, void*) { return 0; }

// Returns an empty string, or names the option that failed.
std::string Configure(const RedisTls& tls, SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_default_passwd_cb(context, NoPassword);
  if (tls.verify) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    const bool is_default = tls.ca_file.empty() && tls.ca_path.empty();
    const int loaded = is_default ? SSL_CTX_set_default_verify_paths(context)
                                  : SSL_CTX_load_verify_locations(context, OrNull(tls.ca_file),
                                                                  OrNull(tls.ca_path));
    if (loaded != 1) {
      return "cannot use tls.ca_file '" + tls.ca_file + "', tls.ca_path '" + tls.ca_path + "'";
    }
  }
  if (tls.certificate_file.empty()) return "";
  if (SSL_CTX_use_certificate_chain_file(context, tls.certificate_file.c_str()) != 1) {
    return "cannot use tls.certificate_file '" + tls.certificate_file + "'";
  }
  if (SSL_CTX_use_PrivateKey_file(context, tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return "cannot use tls.key_file '" + tls.key_file + "'";
  }
  return "";
}

// Sets the name of the server: for SNI, and for the check of its certificate.
bool SetName(const std::string& name, bool verify, SSL* ssl) {
  X509_VERIFY_PARAM* wanted = SSL_get0_param(ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1) return true;
  ERR_clear_error();
  if (SSL_set_tlsext_host_name(ssl, name.c_str()) != 1) return false;
  return !verify || SSL_set1_host(ssl, name.c_str()) == 1;
}

// Returns an empty string, or what failed.
std::string Handshake(redisContext* context, const std::string& name, const RedisTls& tls) {
  const std::unique_ptr<SSL_CTX, FreeTls> tls_context(SSL_CTX_new(TLS_client_method()));
  if (tls_context == nullptr) return "no TLS context";
  const std::string bad_option = Configure(tls, tls_context.get());
  if (!bad_option.empty()) return bad_option;
  std::unique_ptr<SSL, FreeTls> ssl(SSL_new(tls_context.get()));
  if (ssl == nullptr || !SetName(name, tls.verify, ssl.get())) {
    return "cannot use the name '" + name + "'";
  }
  if (redisInitiateSSL(context, ssl.get()) == REDIS_OK) {
    ssl.release();  // owned by the context now
    return "";
  }
  const long verdict = SSL_get_verify_result(ssl.get());
  if (verdict == X509_V_OK) return "TLS handshake failed";
  return std::string("TLS handshake failed: ") + X509_verify_cert_error_string(verdict) +
         " (wanted: '" + name + "')";
}

}  // namespace

bool HasTls() { return true; }

bool StartTls(redisContext* context, const Endpoint& endpoint, const RedisTls& tls,
              std::string* error) {
  ClearTlsReason();
  const std::string& name = tls.server_name.empty() ? endpoint.host : tls.server_name;
  const std::string failure = Handshake(context, name, tls);
  if (failure.empty()) return true;
  const std::string reason = TlsReason();
  *error = endpoint.Prefix() + failure + (reason.empty() ? "" : ": ") + reason;
  return false;
}

std::string TlsReason() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "" : reason;
}

void ClearTlsReason() { ERR_clear_error(); }

#endif

}  // namespace bloomline::redis
