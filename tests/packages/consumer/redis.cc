// The target bloomline::redis alone, without a server.
#include <bloomline/redis_bloom_filter.h>

#include <cstdio>

int main() {
  bloomline::RedisServers servers;
  servers.servers = {"127.0.0.1:1"};
  std::string error;
  const auto filter = bloomline::SharedBloomFilter::Open(servers, "name", &error);
  std::printf("%s\n", error.c_str());
  return filter == nullptr && error.find("cannot connect") != std::string::npos ? 0 : 1;
}
