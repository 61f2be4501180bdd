#include "db_bench_ext/databases/key_sets.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <stdexcept>
#include <utility>

#include "db_bench_ext/support/keys.h"

namespace bloomline::bench {
namespace {

constexpr uint64_t kSeed = 20240607;
constexpr size_t kMinListRows = 1000;
constexpr uint64_t kRangeCounters = 256;
constexpr uint64_t kRangePeriod = 6;

// With these values LevelDB puts 36 keys into a data block, and so into a filter. That number
// matters: LevelDB's own filter has a false-positive rate between 19 and 99 % for adjacent
// big-endian keys, depending on the number of keys, from 31 to 39.
constexpr size_t kBigEndianValueBytes = 102;
constexpr size_t kDecimalValueBytes = 100;

template <typename T>
void ShuffleAndCut(std::vector<T>* items, size_t max_items, std::mt19937_64* random) {
  std::shuffle(items->begin(), items->end(), *random);
  if (items->size() > max_items) items->resize(max_items);
}

using KeyAndValue = std::pair<std::string, std::string>;

// Splits at the last blanks, because paths may contain blanks, too. A line without blanks gets its
// number as its value.
KeyAndValue ParseLine(const std::string& line, size_t number) {
  const size_t value = line.find_last_of(" \t");
  if (value == std::string::npos) return {line, std::to_string(number)};
  const size_t key_end = line.find_last_not_of(" \t", value);
  if (key_end == std::string::npos) return {line.substr(value + 1), std::to_string(number)};
  return {line.substr(0, key_end + 1), line.substr(value + 1)};
}

std::vector<KeyAndValue> ReadSortedRows(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read the key list " + file);
  std::vector<KeyAndValue> rows;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) rows.push_back(ParseLine(line, rows.size() + 1));
  }
  std::sort(rows.begin(), rows.end());
  const auto same_key = [](const KeyAndValue& a, const KeyAndValue& b) {
    return a.first == b.first;
  };
  rows.erase(std::unique(rows.begin(), rows.end(), same_key), rows.end());
  if (rows.size() < kMinListRows) {
    throw std::runtime_error("the key list " + file + " has " + std::to_string(rows.size()) +
                             " different keys; needed: " + std::to_string(kMinListRows));
  }
  return rows;
}

// `key` with another last character, so that it is no key of the list; "" if ten attempts fail.
std::string MissingNeighbour(const std::string& key, const std::vector<std::string>& sorted_keys,
                             std::mt19937_64* random) {
  static constexpr char kAlphabet[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string changed = key;
  for (int attempt = 0; attempt < 10; ++attempt) {
    changed.back() = kAlphabet[(*random)() % (sizeof(kAlphabet) - 1)];
    if (changed > sorted_keys.front() && changed < sorted_keys.back() &&
        !std::binary_search(sorted_keys.begin(), sorted_keys.end(), changed))
      return changed;
  }
  return "";
}

// Keys of key_bytes that `write` writes.
KeySet CounterKeys(size_t rows, size_t max_missing, size_t value_bytes, size_t key_bytes,
                   void (*write)(uint64_t number, char* dst)) {
  std::mt19937_64 random(kSeed);
  std::vector<uint64_t> loaded, odd, left_out;
  for (uint64_t i = 0; loaded.size() < rows; ++i) {
    if (i / kRangeCounters % kRangePeriod == kRangePeriod - 1) {
      left_out.push_back(2 * i);
      continue;
    }
    loaded.push_back(2 * i);
    // Before a range left out, 2 i + 1 would not lie between two loaded keys.
    if ((i + 1) / kRangeCounters % kRangePeriod != kRangePeriod - 1) odd.push_back(2 * i + 1);
  }
  odd.pop_back();  // may be beyond the last loaded key; one fewer does not matter
  ShuffleAndCut(&loaded, rows, &random);
  ShuffleAndCut(&odd, max_missing, &random);
  ShuffleAndCut(&left_out, max_missing, &random);
  const auto encode = [&](uint64_t number) {
    std::string key(key_bytes, '\0');
    write(number, key.data());
    return key;
  };
  KeySet set;
  set.value_bytes = value_bytes;
  for (const uint64_t number : loaded) set.keys.push_back(encode(number));
  for (const uint64_t number : odd) set.near.push_back(encode(number));
  for (const uint64_t number : left_out) set.far.push_back(encode(number));
  return set;
}

std::string Counts(const KeySet& set) {
  const std::string values =
      set.values.empty() ? std::to_string(set.value_bytes) + "-byte values; " : "";
  return values + std::to_string(set.keys.size()) +
         " rows; missing keys queried: " + std::to_string(set.near.size()) + " near, " +
         std::to_string(set.far.size()) + " far";
}

}  // namespace

std::string KeySet::Value(size_t i) const {
  if (!values.empty()) return values[i];
  std::string value(value_bytes, '\0');
  WriteValue(i, value_bytes, value.data());
  return value;
}

KeySet PathKeys(const std::string& file, const std::string& title, size_t rows,
                size_t max_missing) {
  std::mt19937_64 random(kSeed);
  std::vector<KeyAndValue> all = ReadSortedRows(file);
  std::vector<std::string> sorted_keys;
  for (const KeyAndValue& row : all) sorted_keys.push_back(row.first);
  std::shuffle(all.begin(), all.end(), random);
  const size_t num_loaded = std::min(rows, all.size() - all.size() / 20);

  KeySet set;
  set.name = "paths";
  for (size_t i = 0; i < all.size(); ++i) {
    if (i < num_loaded) {
      set.keys.push_back(all[i].first);
      set.values.push_back(std::move(all[i].second));
      if (set.near.size() >= max_missing) continue;
      const std::string near = MissingNeighbour(all[i].first, sorted_keys, &random);
      if (!near.empty()) set.near.push_back(near);
    } else if (set.far.size() < max_missing && all[i].first > sorted_keys.front() &&
               all[i].first < sorted_keys.back()) {
      set.far.push_back(all[i].first);
    }
  }
  ShuffleAndCut(&set.near, max_missing, &random);
  set.description = title + ": " + Counts(set);
  return set;
}

KeySet BigEndianKeys(size_t rows, size_t max_missing) {
  KeySet set =
      CounterKeys(rows, max_missing, kBigEndianValueBytes, kBigEndianBytes, WriteBigEndian);
  set.name = "be64";
  set.description = "8-byte big-endian even counters, " + Counts(set);
  return set;
}

KeySet DecimalKeys(size_t rows, size_t max_missing) {
  KeySet set = CounterKeys(rows, max_missing, kDecimalValueBytes, kDecimalBytes, WriteDecimal);
  set.name = "dec16";
  set.description = "%016d even counters, " + Counts(set);
  return set;
}

}  // namespace bloomline::bench
