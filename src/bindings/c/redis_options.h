// The C handles of options: include/bloomline/c_redis.h.
#ifndef BLOOMLINE_BINDINGS_C_REDIS_OPTIONS_H_
#define BLOOMLINE_BINDINGS_C_REDIS_OPTIONS_H_

#include "bloomline/redis_bloom_filter.h"

struct bloomline_redisservers_t {
  bloomline::RedisServers servers;
};

struct bloomline_sharedoptions_t {
  bloomline::SharedBloomFilterOptions options;
};

struct bloomline_addoptions_t {
  bloomline::AddOptions options;
};

#endif  // BLOOMLINE_BINDINGS_C_REDIS_OPTIONS_H_
