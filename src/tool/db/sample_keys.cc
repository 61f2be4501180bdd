#include "src/tool/db/sample_keys.h"

#include <algorithm>
#include <memory>

#include "src/tool/db/key_shape.h"

namespace bloomline::tool::db {

using sstable::Table;

std::vector<std::string> MissingCandidates(const FilterKeys& keys, bool prefixes, uint64_t samples,
                                           uint64_t seed, const std::vector<std::string>& own,
                                           const std::vector<std::string>& others) {
  constexpr uint64_t kMost = 1000000;
  const size_t most = static_cast<size_t>(std::min(samples, kMost));
  std::vector<std::string> candidates;
  const auto add = [&](std::string_view key) {
    if (!prefixes || keys.Prefix(key, &key)) candidates.emplace_back(key);
  };
  const size_t step = std::max<size_t>(1, 2 * others.size() / std::max<size_t>(1, most));
  for (size_t i = 0; i < others.size(); i += step) add(others[i]);
  Random random(seed ^ 0x5eed);
  std::string key;
  for (size_t i = candidates.size(); i < most && !own.empty(); ++i) {
    RandomLike(own[i % own.size()], &random, &key);
    add(key);
  }
  return candidates;
}

bool SampleKeys(const Table& table, std::vector<std::string>* keys, std::string* error) {
  constexpr int kBlocks = 8;
  constexpr int kKeysOfBlock = 8;
  constexpr uint64_t kBytesOfBlock = 8192;  // rather too many, so that the sample ends in the file
  const FilterKeys filter_keys(table);
  const auto reader = table.NewKeyReader(error);
  if (reader == nullptr) return false;
  const uint64_t skip = table.file_bytes() / kBytesOfBlock / kBlocks;
  for (int block = 0; block < kBlocks; ++block) {
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

}  // namespace bloomline::tool::db
