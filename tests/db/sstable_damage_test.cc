// Damaged tables: an error that says where, or the same entries and filters as before. Never other
// ones, a crash, or memory that the file's size does not explain.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "src/db/sstable/table.h"
#include "tests/db/table_entries.h"

namespace {

std::atomic<size_t> largest_allocation{0};

[[maybe_unused]] void Note(size_t n) {
  if (n > largest_allocation) largest_allocation = n;
}

}  // namespace

// Sanitizers have their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Inlined, GCC takes the pairs for mismatched ones.
void* operator new(size_t n) {
  Note(n);
  void* p = std::malloc(n == 0 ? 1 : n);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }
#endif

namespace bloomline {
namespace {

using sstable::OpenOptions;
using sstable::Table;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kStep = 23;  // every 23rd byte
#else
constexpr size_t kStep = 5;
#endif

const std::string kFolder = BLOOMLINE_GOLDEN_DIR "/tables/";

std::vector<std::string> Files() {
  std::ifstream list(kFolder + "tables.txt");
  std::vector<std::string> files;
  int left_out = 0;
  for (std::string line; std::getline(list, line);) {
    files.push_back(line.substr(0, line.find(' ')));
    if (!tests::IsBuiltWithoutItsCodec(*tests::OpenTable(kFolder + files.back()))) continue;
    files.pop_back();
    ++left_out;
  }
  EXPECT_GE(files.size() + left_out, 11u);
  return files;
}

std::string BytesOf(const std::string& file) {
  std::ifstream input(kFolder + file, std::ios::binary);
  std::stringstream bytes;
  bytes << input.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << file;
  return bytes.str();
}

// A file in memory, whose bytes can be changed one by one.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : bytes_(bytes) { Write(bytes); }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void Write(const std::string& bytes) {
    EXPECT_EQ(ftruncate(descriptor_, 0), 0);
    EXPECT_EQ(pwrite(descriptor_, bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  void Truncate(size_t n) { EXPECT_EQ(ftruncate(descriptor_, static_cast<off_t>(n)), 0); }
  void Set(size_t offset, char byte) {
    EXPECT_EQ(pwrite(descriptor_, &byte, 1, static_cast<off_t>(offset)), 1);
  }
  const std::string& path() const { return path_; }

 private:
  const std::string bytes_;
  const int descriptor_ = memfd_create("table", MFD_CLOEXEC);
  const std::string path_ = "/proc/self/fd/" + std::to_string(descriptor_);
};

// All that can be read of a table, and all errors on the way.
struct Reading {
  std::string contents, sequences, errors;
};

void Add(std::string_view text, std::string* to) {
  to->append(std::to_string(text.size())).append(":").append(text);
}

void ReadEntries(const Table& table, Table::FilterReader* filters, Reading* reading) {
  std::string error;
  const auto keys = table.NewKeyReader(&error);
  reading->errors += error;
  if (keys == nullptr) return;
  while (keys->Next()) {
    Add(keys->user_key(), &reading->contents);
    Add(keys->value(), &reading->contents);
    reading->contents += std::to_string(keys->type());
    reading->sequences += std::to_string(keys->sequence()) + ",";
    if (filters == nullptr) continue;
    const uint64_t filter =
        filters->FilterOf(keys->user_key(), keys->sequence(), keys->block_offset());
    reading->contents += "," + std::to_string(filter);
  }
  reading->errors += keys->error();
  EXPECT_FALSE(keys->Next());  // an end stays an end
}

Reading Read(const std::string& path, bool verify_checksums) {
  Reading reading;
  OpenOptions options;
  options.verify_checksums = verify_checksums;
  std::string error;
  const auto table = Table::Open(path, options, &error);
  if (table == nullptr) return {"", "", error};
  const auto filters = table->NewFilterReader(&error);
  reading.errors += error;
  const uint64_t num_filters = filters == nullptr ? 0 : filters->num_filters();
  for (uint64_t i = 0; i < num_filters; ++i) {
    std::string_view bytes;
    error.clear();
    if (filters->Read(i, &bytes, &error)) Add(bytes, &reading.contents);
    reading.errors += error;
  }
  ReadEntries(*table, filters.get(), &reading);
  return reading;
}

// The largest memory block that a file may ask for: a window of the file, or, where zstd is used,
// what that many bytes can become.
size_t MaxAllocation(const std::string& file, size_t file_bytes) {
  return file.find("zstd") != std::string::npos   ? file_bytes * 33000 * 5 / 4
         : file.find("zlib") != std::string::npos ? file_bytes * 1100 * 5 / 4
                                                  : (1 << 20) + file_bytes * 256 * 5 / 4;
}

TEST(SstableDamageTest, EveryTruncationIsAnError) {
  for (const std::string& file : Files()) {
    SCOPED_TRACE(file);
    const std::string bytes = BytesOf(file);
    MemoryFile memory(bytes);
    ASSERT_FALSE(Read(memory.path(), true).contents.empty());
    for (size_t n = bytes.size() - 1;; n -= std::min(n, kStep)) {
      memory.Truncate(n);
      for (bool verify : {true, false}) {
        const Reading reading = Read(memory.path(), verify);
        ASSERT_EQ(reading.contents, "") << n;
        ASSERT_EQ(reading.errors.substr(0, memory.path().size() + 2), memory.path() + ": ") << n;
      }
      if (n == 0) break;
    }
  }
}

TEST(SstableDamageTest, ChangedBytesAreNoticedOrDoNotCount) {
  std::mt19937_64 random(5);
  for (const std::string& file : Files()) {
    SCOPED_TRACE(file);
    const std::string bytes = BytesOf(file);
    MemoryFile memory(bytes);
    const Reading whole = Read(memory.path(), true);
    size_t noticed = 0, changed = 0, with_offset = 0;
    for (size_t offset = random() % kStep; offset < bytes.size(); offset += kStep) {
      const int bit = static_cast<int>(random() % 9);  // 8: all of them
      memory.Set(offset, static_cast<char>(bytes[offset] ^ (bit == 8 ? 255 : 1 << bit)));
      largest_allocation = 0;
      const Reading reading = Read(memory.path(), true);
      ASSERT_LE(largest_allocation, MaxAllocation(file, bytes.size())) << offset;
      ++changed;
      if (reading.errors != whole.errors) {
        ++noticed;
        with_offset += reading.errors.find(" at offset ") != std::string::npos;
      } else {
        ASSERT_TRUE(reading.contents == whole.contents) << "offset " << offset << " bit " << bit;
        // No checksum protects the one sequence number of RocksDB's ingested files.
        const bool is_rocksdb = file.find("rocksdb") == 0;
        ASSERT_TRUE(is_rocksdb || reading.sequences == whole.sequences) << "offset " << offset;
      }
      // Without checksums anything may come out of it, but it ends.
      largest_allocation = 0;
      Read(memory.path(), false);
      ASSERT_LE(largest_allocation, MaxAllocation(file, bytes.size())) << offset;
      memory.Set(offset, bytes[offset]);
    }
    EXPECT_TRUE(Read(memory.path(), true).contents == whole.contents);
    // What is not: a footer's padding, values outside of blocks, and blocks of another's
    // compression, which are not read.
    const bool is_special =
        file.find("blobs") != std::string::npos || file.find("foreign") != std::string::npos;
    EXPECT_GE(noticed, changed * (is_special ? 4 : 9) / 10);
    EXPECT_GE(with_offset, noticed * 8 / 10);
  }
}

TEST(SstableDamageTest, AWrongByteIsReportedWithItsBlock) {
  for (const std::string& file : Files()) {
    // These begin with a block that cannot be read, and with values outside of blocks.
    if (file.find("foreign") != std::string::npos || file.find("blobs") != std::string::npos) {
      continue;
    }
    SCOPED_TRACE(file);
    const std::string bytes = BytesOf(file);
    MemoryFile memory(bytes);
    memory.Set(20, static_cast<char>(bytes[20] ^ 4));
    const Reading reading = Read(memory.path(), true);
    EXPECT_EQ(reading.errors, memory.path() + ": data block at offset 0: its checksum is wrong");
  }
}

// An index that lost a block would otherwise look whole.
TEST(SstableDamageTest, TheNumberOfEntriesIsCompared) {
  const std::string bytes = BytesOf("rocksdb-7.8-version0.sst");
  MemoryFile memory(bytes);
  const std::string error = memory.path() +
                            ": has 120 entries and 0 range deletions, but its properties count "
                            "121 in all";
  int found = 0;
  for (size_t offset = 0; offset < bytes.size(); ++offset) {
    if (bytes[offset] != 120) continue;
    memory.Set(offset, 121);
    found += Read(memory.path(), false).errors == error;
    memory.Set(offset, 120);
  }
  EXPECT_EQ(found, 1);
}

// A buffer reserves a quarter more than it is asked for. These sizes, cut off at the bits of a
// size_t, would be 4 bytes.
TEST(SstableDamageTest, SizesBeyondTheAddressSpaceAreOutOfMemory) {
  sstable::Buffer buffer;
  EXPECT_THROW(buffer.Reserve(0xccccccccccccccd0), std::bad_alloc);
  if (sizeof(size_t) > 4) return;
  EXPECT_THROW(buffer.Reserve(0xccccccd0), std::bad_alloc);
  // A table of 3.2 GiB, nearly all of it a hole, whose metaindex has that size.
  const std::string footer = std::string("\0\xcb\x99\xb3\xe6\x0c", 6) + std::string(34, '\0') +
                             "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  MemoryFile memory("");
  memory.Truncate(0xccccccd0);
  const int descriptor = open(memory.path().c_str(), O_WRONLY);
  EXPECT_EQ(pwrite(descriptor, footer.data(), footer.size(), off_t{0xccccccd0}),
            static_cast<ssize_t>(footer.size()));
  close(descriptor);
  std::string error;
  EXPECT_THROW(Table::Open(memory.path(), {}, &error), std::bad_alloc) << error;
}

// A control of the checks of memory.
TEST(SstableDamageTest, LargeAllocationsAreSeen) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have allocators of their own";
#endif
  MemoryFile memory(BytesOf("rocksdb-11.9-version6.sst") + std::string(10 << 20, 'x'));
  largest_allocation = 0;
  Read(memory.path(), true);
  EXPECT_GE(largest_allocation, size_t{64} << 10);
  EXPECT_LE(largest_allocation, size_t{128} << 10);
}

}  // namespace
}  // namespace bloomline
