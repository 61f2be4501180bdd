// All that tables::Table says of a file, for comparison with what the engine says.
#ifndef BLOOMLINE_TESTS_DB_TABLE_ENTRIES_H_
#define BLOOMLINE_TESTS_DB_TABLE_ENTRIES_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "src/db/tables/table.h"

namespace bloomline::tests {

struct TableEntry {
  std::string key;
  uint64_t sequence = 0;
  int type = 0;
  std::string value;
  uint64_t block_offset = 0;  // not compared: engines do not say it

  bool operator==(const TableEntry& other) const {
    return std::tie(key, sequence, type, value) ==
           std::tie(other.key, other.sequence, other.type, other.value);
  }
};

inline void PrintTo(const TableEntry& entry, std::ostream* out) {
  *out << entry.key << " @" << entry.sequence << " type " << entry.type << ", "
       << entry.value.size() << " bytes";
}

inline std::unique_ptr<tables::Table> OpenTable(const std::string& path) {
  std::string error;
  auto table = tables::Table::Open(path, {}, &error);
  EXPECT_NE(table, nullptr) << error;
  return table;
}

// True, and said, if the table needs a library that this build did not find.
inline bool IsBuiltWithoutItsCodec(const tables::Table& table) {
  std::string error;
  const auto reader = table.NewKeyReader(&error);
  if (reader != nullptr && !reader->Next()) error = reader->error();
  if (error.find("this program was built without it") == std::string::npos) return false;
  std::printf("left out: %s\n", error.c_str());
  return true;
}

// Without entries on an error, which fails the test.
inline std::vector<TableEntry> TableEntries(const tables::Table& table) {
  std::string error;
  const auto reader = table.NewKeyReader(&error);
  EXPECT_NE(reader, nullptr) << error;
  if (reader == nullptr) return {};
  std::vector<TableEntry> entries;
  uint64_t last_block = ~uint64_t{0};
  uint32_t in_block = 0;
  while (reader->Next()) {
    if (reader->block_offset() != last_block) in_block = 0;
    last_block = reader->block_offset();
    EXPECT_EQ(reader->entry_in_block(), in_block++);
    entries.push_back({std::string(reader->user_key()), reader->sequence(), reader->type(),
                       std::string(reader->value()), reader->block_offset()});
  }
  EXPECT_EQ(reader->error(), "");
  return reader->error().empty() ? entries : std::vector<TableEntry>();
}

inline std::vector<std::string> TableFilters(const tables::Table& table) {
  std::string error;
  const auto reader = table.NewFilterReader(&error);
  EXPECT_NE(reader, nullptr) << error;
  std::vector<std::string> filters;
  for (uint64_t i = 0; reader != nullptr && i < reader->num_filters(); ++i) {
    std::string_view bytes;
    EXPECT_TRUE(reader->Read(i, &bytes, &error)) << error;
    filters.emplace_back(bytes);
  }
  return filters;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_DB_TABLE_ENTRIES_H_
