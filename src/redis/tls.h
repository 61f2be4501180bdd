// TLS by hiredis_ssl, if the build has it.
#ifndef BLOOMLINE_REDIS_TLS_H_
#define BLOOMLINE_REDIS_TLS_H_

#include <hiredis/hiredis.h>
#include <signal.h>

#include <string>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/address.h"

namespace bloomline::redis {

// Whether this build has TLS.
bool HasTls();

// TLS handshake on a new connection. False, with the reason, if it fails or the server's
// certificate does not satisfy `tls`.
bool StartTls(redisContext* context, const Endpoint& endpoint, const RedisTls& tls,
              std::string* error);

// The last error of OpenSSL in this thread; empty if none.
std::string TlsReason();
void ClearTlsReason();

// Blocks SIGPIPE in this thread during its lifetime, and discards one that arrives. hiredis and
// OpenSSL use write(), which raises the signal if the server has closed the connection. Keeps
// errno.
class SigpipeBlocker {
 public:
  SigpipeBlocker();
  ~SigpipeBlocker();
  SigpipeBlocker(const SigpipeBlocker&) = delete;
  SigpipeBlocker& operator=(const SigpipeBlocker&) = delete;

 private:
  sigset_t sigpipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_TLS_H_
