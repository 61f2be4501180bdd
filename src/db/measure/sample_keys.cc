// Keys to measure with: stored ones, and missing ones that look like them (measure_file.h).
#include <algorithm>
#include <memory>

#include "src/db/measure/measure_file.h"

namespace bloomline::db {

namespace {

using sstable::Table;

bool IsIn(char c, char first, char last) { return c >= first && c <= last; }
bool IsDigit(char c) { return IsIn(c, '0', '9'); }
bool IsHex(char c) { return IsDigit(c) || IsIn(c, 'a', 'f') || IsIn(c, 'A', 'F'); }

template <typename Is>
bool All(std::string_view text, Is is) {
  return std::all_of(text.begin(), text.end(), is);
}

// UUIDs, too. Shorter text may be a word.
bool IsHexText(std::string_view key) {
  return key.size() >= 16 && !All(key, IsDigit) &&
         All(key, [](char c) { return IsHex(c) || c == '-'; });
}

// Adds 1 to the digits that end the key. False: there are none, or all of them are the last digit.
bool IncrementDigits(bool is_hex, std::string* key) {
  for (size_t i = key->size(); i-- > 0;) {
    char& c = (*key)[i];
    if (!(is_hex ? IsHex(c) : IsDigit(c))) return false;
    if (c != '9' && c != 'f' && c != 'F') {
      ++c;
      return true;
    }
    if (c == '9' && is_hex) {
      c = 'a';
      return true;
    }
    c = '0';
  }
  return false;
}

// Adds 1 to the first `end` bytes as a number. False: all are the last byte.
bool IncrementBytes(size_t end, std::string* key) {
  for (size_t i = end; i-- > 0;) {
    (*key)[i] = static_cast<char>((*key)[i] + 1);
    if ((*key)[i] != '\0') return true;
  }
  return false;
}

// Where the bytes end that count from one key to the next: binary counters may stand before bytes
// that all keys end in.
size_t EndOfCounter(std::string_view low, std::string_view high) {
  if (low.size() != high.size()) return low.size();
  const size_t first =
      static_cast<size_t>(std::mismatch(low.begin(), low.end(), high.begin()).first - low.begin());
  size_t end = low.size();
  while (end > first && low[end - 1] == high[end - 1]) --end;
  return end - first <= 2 ? end : low.size();
}

// A byte of the same kind: a digit for a digit, a letter for a letter, any for what is no text.
char ByteLike(char c, Random* random) {
  if (IsDigit(c)) return static_cast<char>('0' + random->Below(10));
  if (IsIn(c, 'a', 'z')) return static_cast<char>('a' + random->Below(26));
  if (IsIn(c, 'A', 'Z')) return static_cast<char>('A' + random->Below(26));
  return IsIn(c, ' ', '~') ? c : static_cast<char>(random->Next() >> 56);
}

// Makes keys that are random where the sampled keys differ. The first byte that differs stays
// between the least and the greatest of the sample, so that most keys lie between stored ones; for
// keys outside, the byte before it is random, too.
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

  void Make(size_t i, bool is_outside, Random* random, std::string* key) const {
    *key = sample_[i % sample_.size()];
    if (is_outside && first_ > 0 && first_ <= key->size()) {
      (*key)[first_ - 1] = ByteLike((*key)[first_ - 1], random);
    }
    for (size_t at = first_; at < key->size(); ++at) {
      if (at == first_ && !is_outside) {
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

bool Neighbour(std::string_view low, std::string_view high, std::string* key) {
  const auto is_between = [&] { return *key > low && *key < high; };
  key->assign(low);
  const bool is_text = All(low, [](char c) { return IsIn(c, ' ', '~'); });
  const bool is_next =
      is_text ? IncrementDigits(IsHexText(low), key) : IncrementBytes(EndOfCounter(low, high), key);
  if (is_next && is_between()) return true;
  // Numbers without gaps have none; another last byte may still be between them.
  key->assign(low);
  return IncrementBytes(key->size(), key) && is_between();
}

uint64_t MeanBytes(const std::vector<std::string>& keys) {
  uint64_t bytes = 0;
  for (const std::string& key : keys) bytes += key.size();
  return keys.empty() ? 0 : bytes / keys.size();
}

std::vector<std::string> MissingCandidates(const FilterKeys& keys, const MeasureOptions& options,
                                           const std::vector<std::string>& stored) {
  if (stored.empty()) return {};
  constexpr uint64_t kMost = 1000000;
  // 100,000 keys of 64 KiB would take 6 GiB.
  constexpr uint64_t kMostBytes = 64 << 20;
  const uint64_t most_of_size = kMostBytes / (MeanBytes(stored) + sizeof(std::string));
  const auto most = static_cast<size_t>(std::min({options.samples, kMost, most_of_size + 1}));
  std::vector<std::string> candidates;
  Random random(options.seed ^ 0x5eed);
  const RandomKeys random_keys(stored);
  std::string key;
  for (size_t i = 0; i < most; ++i) {
    random_keys.Make(i, i % 2 == 1, &random, &key);
    std::string_view unit = key;
    if (!keys.whole_keys() && !keys.Prefix(unit, &unit)) continue;
    candidates.emplace_back(unit);
  }
  return candidates;
}

bool SampleKeys(const Table& table, std::vector<std::string>* keys, std::string* error) {
  constexpr uint64_t kBlocks = 8;
  constexpr int kKeysOfBlock = 8;
  constexpr uint64_t kBytesOfBlock = 8192;  // rather too many, so that the sample ends in the file
  const FilterKeys filter_keys(table);
  const auto reader = table.NewKeyReader(error);
  if (reader == nullptr) return false;
  const uint64_t skip = table.file_bytes() / kBytesOfBlock / kBlocks;
  for (uint64_t block = 0; block < kBlocks; ++block) {
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
