// Keys to measure with: stored ones, and missing ones that look like them (measure_file.h).
#include <algorithm>
#include <memory>

#include "src/db/measure/key_shape.h"
#include "src/db/measure/measure_file.h"

namespace bloomline::db {

namespace {

using sstable::Table;

bool IsIn(char c, char first, char last) { return c >= first && c <= last; }

// A byte of the same kind: a digit for a digit, a letter for a letter, any for what is no text.
char ByteLike(char c, Random* random) {
  if (IsIn(c, '0', '9')) return static_cast<char>('0' + random->Below(10));
  if (IsIn(c, 'a', 'z')) return static_cast<char>('a' + random->Below(26));
  if (IsIn(c, 'A', 'Z')) return static_cast<char>('A' + random->Below(26));
  return IsIn(c, ' ', '~') ? c : static_cast<char>(random->Next() >> 56);
}

// Makes keys that are random where the sampled keys differ. The first byte that differs stays
// between the least and the greatest of the sample, so that most keys lie between stored ones.
class RandomKeys {
 public:
  explicit RandomKeys(const std::vector<std::string>& sample) : sample_(sample) {
    for (const std::string& key : sample) {
      if (lows_.size() < key.size()) {
        lows_.resize(key.size(), 255);
        highs_.resize(key.size(), 0);
      }
      for (size_t i = 0; i < key.size(); ++i) {
        const auto byte = static_cast<unsigned char>(key[i]);
        lows_[i] = std::min(lows_[i], byte);
        highs_[i] = std::max(highs_[i], byte);
      }
    }
    while (first_ < lows_.size() && lows_[first_] == highs_[first_]) ++first_;
  }

  void Make(size_t i, Random* random, std::string* key) const {
    *key = sample_[i % sample_.size()];
    for (size_t at = first_; at < key->size(); ++at) {
      if (at == first_) {
        const size_t many = static_cast<size_t>(highs_[at] - lows_[at]) + 1;
        (*key)[at] = static_cast<char>(lows_[at] + random->Below(many));
      } else if (lows_[at] != highs_[at]) {
        (*key)[at] = ByteLike((*key)[at], random);
      }
    }
  }

 private:
  const std::vector<std::string>& sample_;
  std::vector<unsigned char> lows_;
  std::vector<unsigned char> highs_;
  size_t first_ = 0;  // the first byte that differs
};

}  // namespace

uint64_t MeanBytes(const std::vector<std::string>& keys) {
  uint64_t bytes = 0;
  for (const std::string& key : keys) bytes += key.size();
  return keys.empty() ? 0 : bytes / keys.size();
}

std::vector<std::string> MissingCandidates(const FilterKeys& keys, bool prefixes, uint64_t samples,
                                           uint64_t seed, const std::vector<std::string>& own,
                                           const std::vector<std::string>& others) {
  constexpr uint64_t kMost = 1000000;
  // 100,000 keys of 64 KiB would take 6 GiB.
  const uint64_t most_of_size = kMostSampleBytes / (MeanBytes(own) + sizeof(std::string));
  const size_t most = static_cast<size_t>(std::min({samples, kMost, most_of_size + 1}));
  std::vector<std::string> candidates;
  const auto add = [&](std::string_view key) {
    if (!prefixes || keys.Prefix(key, &key)) candidates.emplace_back(key);
  };
  const size_t step = std::max<size_t>(1, 2 * others.size() / std::max<size_t>(1, most));
  for (size_t i = 0; i < others.size(); i += step) add(others[i]);
  Random random(seed ^ 0x5eed);
  const RandomKeys random_keys(own);
  std::string key;
  for (size_t i = candidates.size(); i < most && !own.empty(); ++i) {
    random_keys.Make(i, &random, &key);
    add(key);
  }
  return candidates;
}

bool SampleKeys(const Table& table, uint64_t num_keys, std::vector<std::string>* keys,
                std::string* error) {
  constexpr int kKeysOfBlock = 8;
  constexpr uint64_t kBytesOfBlock = 8192;  // rather too many, so that the sample ends in the file
  const FilterKeys filter_keys(table);
  const auto reader = table.NewKeyReader(error);
  if (reader == nullptr) return false;
  const uint64_t num_blocks = num_keys / kKeysOfBlock + 1;
  const uint64_t skip = table.file_bytes() / kBytesOfBlock / num_blocks;
  for (uint64_t block = 0; block < num_blocks; ++block) {
    for (int i = 0; i < kKeysOfBlock; ++i) {
      if (!reader->Next()) {
        *error = reader->error();
        return error->empty();
      }
      keys->emplace_back(filter_keys.Key(reader->user_key()));
    }
    reader->SkipBlocks(skip);
  }
  return true;
}

}  // namespace bloomline::db
