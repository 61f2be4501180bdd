// What redis_bench compares.
#ifndef BLOOMLINE_DB_BENCH_EXT_REDIS_SUBJECTS_H_
#define BLOOMLINE_DB_BENCH_EXT_REDIS_SUBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bloomline::bench {

// Number of probes of the bit-by-bit scheme: the best one for a standard Bloom filter at 1 %.
constexpr int kBitByBitProbes = 7;

// All methods end the process, with a message, if the server fails.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual const char* name() const = 0;
  // Starts with an empty filter for num_keys keys.
  virtual void Begin(uint64_t num_keys) = 0;
  virtual void AddKey(std::string_view key) = 0;
  virtual void AddKeys(const std::vector<std::string_view>& keys) = 0;
  virtual bool MayMatch(std::string_view key) = 0;
  // The number of keys that may match.
  virtual size_t CountMatches(const std::vector<std::string_view>& keys) = 0;
  virtual uint64_t num_bytes() const = 0;
};

// - a SharedBloomFilter;
// - one SETBIT or GETBIT for each bit of a key. The commands of one key (AddKey, MayMatch) or of
// many
//   keys (AddKeys, CountMatches) are in flight at once. The bits are those of a standard Bloom
//   filter at 1 % in one string;
// - a BloomFilter in memory.
std::vector<std::unique_ptr<Subject>> AllSubjects(const std::string& server);

// Processor time that the server has used, in seconds.
double ServerSeconds(const std::string& server);
std::string ServerVersion(const std::string& server);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_REDIS_SUBJECTS_H_
