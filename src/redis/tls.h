// TLS by hiredis_ssl, if the build has it.
#ifndef BLOOMLINE_REDIS_TLS_H_
#define BLOOMLINE_REDIS_TLS_H_

#include <hiredis/hiredis.h>

#include <string>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/options.h"

namespace bloomline::redis {

// Whether this build has TLS.
bool HasTls();

// Makes the TLS handshake on a new connection. Returns false, with the reason, if it fails or the
// server's certificate does not satisfy `tls`.
bool StartTls(redisContext* context, const Endpoint& endpoint, const RedisTls& tls,
              std::string* error);

// Returns the last error of OpenSSL in this thread, or an empty string.
std::string TlsReason();
void ClearTlsReason();

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_TLS_H_
