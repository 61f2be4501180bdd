// What redis_bench measures: the shared filter, the bit-by-bit scheme it is compared with, and a
// filter in this process's memory.
#ifndef BLOOMLINE_DB_BENCH_EXT_REDIS_SUBJECTS_H_
#define BLOOMLINE_DB_BENCH_EXT_REDIS_SUBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bloomline::bench {

// The bit-by-bit scheme's number of probes: the best one for a classic Bloom filter at 1 %.
constexpr int kBitByBitProbes = 7;

// All end the process, with a message, when the server fails them.
class RedisBenchSubject {
 public:
  virtual ~RedisBenchSubject() = default;
  virtual const char* name() const = 0;
  // An empty filter for num_keys keys.
  virtual void Begin(uint64_t num_keys) = 0;
  virtual void AddOne(std::string_view key) = 0;
  virtual void AddMany(const std::vector<std::string_view>& keys) = 0;
  virtual bool AskOne(std::string_view key) = 0;
  // How many may be in.
  virtual size_t AskMany(const std::vector<std::string_view>& keys) = 0;
  virtual uint64_t num_bytes() const = 0;
};

std::unique_ptr<RedisBenchSubject> MakeSharedFilter(const std::string& server);
// One SETBIT or GETBIT for each of a key's bits, all of one key (AddOne, AskOne) or of many keys
// under way at once; bits anywhere in one string, as long as a classic Bloom filter at 1 %.
std::unique_ptr<RedisBenchSubject> MakeBitByBit(const std::string& server);
// A BloomFilter.
std::unique_ptr<RedisBenchSubject> MakeInMemory();

// Seconds of processor time the server has used.
double ServerSeconds(const std::string& server);
std::string ServerVersion(const std::string& server);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_REDIS_SUBJECTS_H_
