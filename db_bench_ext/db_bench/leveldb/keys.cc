#include <cstdio>
#include <cstring>

#include "db_bench_ext/db_bench/leveldb/extension.h"
#include "db_bench_ext/db_bench/leveldb/settings.h"

namespace bloomline::bench {
namespace {

constexpr int kBigEndianBytes = 8;

}  // namespace

int KeyBytes() { return TheSettings().keys == Keys::kBe64 ? kBigEndianBytes : 16; }

// Shaped keys are even numbers, so that every odd number is missing.
void WriteKey(char* key, size_t size, const char* format, int number) {
  const auto even = 2 * static_cast<unsigned long long>(number);
  switch (TheSettings().keys) {
    case Keys::kStock:
      std::snprintf(key, size, format, number);
      return;
    case Keys::kDec16:
      std::snprintf(key, size, "%016llu", even);
      return;
    case Keys::kBe64:
      for (int i = 0; i < kBigEndianBytes; ++i)
        key[i] = static_cast<char>(even >> (8 * (kBigEndianBytes - 1 - i)));
      return;
  }
}

leveldb::Slice MissingKey(const leveldb::Slice& stored) {
  if (TheSettings().keys == Keys::kStock) return {stored.data(), stored.size() - 1};
  // The number that follows: the last bit of an even digit or byte is 0.
  thread_local char next[1024];
  std::memcpy(next, stored.data(), stored.size());
  next[stored.size() - 1] |= 1;
  return {next, stored.size()};
}

}  // namespace bloomline::bench
