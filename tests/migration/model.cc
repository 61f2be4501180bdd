#include "tests/migration/model.h"

#include <algorithm>

namespace bloomline::tests {
namespace {

constexpr uint64_t kPasses = 4;
constexpr size_t kBatch = 100;

// "user", 9 digits, "/", one digit.
std::string MakeKey(uint64_t prefix, uint64_t suffix) {
  char key[] = "user000000000/0";
  for (int at = kPrefixBytes - 1; at >= 4; --at, prefix /= 10) {
    key[at] = static_cast<char>('0' + prefix % 10);
  }
  key[sizeof(key) - 2] = static_cast<char>('0' + suffix);
  return std::string(key, sizeof(key) - 1);
}

}  // namespace

std::string Model::Key(uint64_t i) { return MakeKey(i / 4 * 2, i % 4 * 2); }
std::string Model::MissingBeside(uint64_t i) { return MakeKey(i / 4 * 2, i % 4 * 2 + 1); }
std::string Model::MissingPrefixBeside(uint64_t i) { return MakeKey(i / 4 * 2 + 1, i % 4 * 2); }

std::string Model::Value(uint64_t i) const {
  return std::to_string(i) + " written in phase " + std::to_string(versions_[i]);
}

bool Model::WriteNext(const WriteBatch& write) {
  ++phase_;
  std::vector<Change> batch;
  const auto change = [&](uint64_t i, bool deletes) {
    versions_[i] = deletes ? kDeleted : phase_;
    batch.push_back({Key(i), deletes ? "" : Value(i), deletes});
    if (batch.size() < kBatch) return true;
    const bool is_ok = write(batch);
    batch.clear();
    return is_ok;
  };
  const uint64_t old_size = size();
  const uint64_t new_size = phase_ == 1 ? num_keys_ : old_size + num_keys_ / 20;
  versions_.resize(new_size, kDeleted);
  if (phase_ == 1) {
    for (uint64_t pass = 0; pass < kPasses; ++pass) {
      for (uint64_t i = pass; i < new_size; i += kPasses) {
        if (!change(i, false)) return false;
      }
    }
  } else {
    for (uint64_t i = 0; i < old_size && !only_adds_; ++i) {
      const bool deletes = i % 100 == 50 + phase_ % 50u;
      if ((deletes || i % 20 == phase_ % 20u) && !change(i, deletes)) return false;
    }
    for (uint64_t i = old_size; i < new_size; ++i) {
      if (!change(i, false)) return false;
    }
  }
  return batch.empty() || write(batch);
}

}  // namespace bloomline::tests
