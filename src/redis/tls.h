// TLS by way of hiredis_ssl, where the build has it.
#ifndef BLOOMLINE_REDIS_TLS_H_
#define BLOOMLINE_REDIS_TLS_H_

#include <hiredis/hiredis.h>
#include <signal.h>

#include <string>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/address.h"

namespace bloomline::redis {

// Empty if this build has TLS, else why not.
std::string WhyNoTls();

// Shakes hands on a connection just made. False, with the reason, if that fails or the server's
// certificate is not what `tls` demands.
bool StartTls(redisContext* context, const Endpoint& endpoint, const RedisTls& tls,
              std::string* error);

// What OpenSSL last said in this thread; empty if nothing.
std::string TlsReason();
void ClearTlsReason();

// OpenSSL writes with write(), which raises SIGPIPE when the server has closed the connection.
// Keeps the signal from this thread, and takes it away, as long as it lives.
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
