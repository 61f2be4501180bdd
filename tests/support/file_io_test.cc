// Files past 2 and 4 GiB, where positions need more than 32 bits, also where long has no more.
#include "src/support/file_io.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "src/support/memory.h"
#include "tests/support/temp_dir.h"

namespace bloomline::support::file_io_test {
namespace {

// The files are sparse: they take some KiB.
constexpr uint64_t kPlaces[] = {(uint64_t{1} << 31) - 2, (uint64_t{1} << 32) - 2,
                                (uint64_t{1} << 32) + (uint64_t{1} << 31)};
constexpr uint64_t kEnd = kPlaces[2] + 4;

TEST(FileIoTest, WhatIsAtEachPlaceIsReadThere) {
  const tests::TempDir dir;
  const std::string path = dir.Path("large");
  std::string error;
  {
    std::ofstream file(path, std::ios::binary);
    for (const uint64_t place : kPlaces) {
      file.seekp(static_cast<std::streamoff>(place)) << "at " << place % 10;
    }
    ASSERT_TRUE(file.flush());
  }
  InputFile file;
  ASSERT_TRUE(file.Open(path, &error)) << error;
  EXPECT_EQ(file.size(), kEnd);
  for (const uint64_t place : kPlaces) {
    std::string bytes(4, 'x');
    ASSERT_TRUE(file.ReadAt(place, bytes.size(), bytes.data(), &error)) << error;
    EXPECT_EQ(bytes, "at " + std::to_string(place % 10));
  }
  char byte;
  EXPECT_FALSE(file.ReadAt(kEnd, 1, &byte, &error));
  EXPECT_NE(error.find("at offset " + std::to_string(kEnd) + ": the file ends after 0 of them"),
            std::string::npos)
      << error;
  if (sizeof(size_t) < sizeof(uint64_t)) return;
  const AlignedMemory mapped = AlignedMemory::OfFile(file.descriptor(), kEnd);
  ASSERT_NE(mapped.data(), nullptr);
  EXPECT_EQ(std::string(mapped.data() + static_cast<size_t>(kPlaces[2]), 4),
            "at " + std::to_string(kPlaces[2] % 10));
}

}  // namespace
}  // namespace bloomline::support::file_io_test
