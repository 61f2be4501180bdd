// What each reader of RocksDB's filters makes of the same bytes: whole, damaged, unknown ones, and
// those that could be bloomline's as well as RocksDB's. The readers are the policy, FilterView, and
// `bloomline db inspect` and `verify`.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/filter.h"
#include "bloomline/rocksdb.h"
#include "src/db/engine_filters/engine_filter.h"
#include "tests/cli/tool_run.h"
#include "tests/engines/forwarding_policy.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/metric_value.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::filter_bytes_test {
namespace {

using namespace std::string_literals;  // bytes with zeros

constexpr char kStored[] = "key 7";  // in the filters that have keys
constexpr char kAll[] = "matches every key";
constexpr char kUnknown[] = "unknown";

enum class Matches { kNone, kStored, kAll };

// What the policy's metrics say of a filter that matches every key.
enum class Useless { kNo, kDamaged, kSaidByWriter, kFormerCompact };

struct Row {
  std::string name;
  std::string bytes;
  Matches reader;  // one key after the other, and in batches
  Useless useless;
  std::string layout;            // in `inspect`
  std::string why;               // a part of the reason in `inspect` and `verify`, if any
  Matches view = Matches::kAll;  // FilterView, which knows bloomline's trailer alone
  uint64_t end_bytes = 5;        // which `bloomline db` does not take for payload
};

// The filter of n keys that a policy writes into tables of this format version.
std::string FilterOf(const char* policy, int n, uint32_t version = 5) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = version;
  table.optimize_filters_for_memory = false;
  const Policy made = PolicyOf(policy);
  const Builder builder = NewBuilder(made, table);
  for (int i = 0; i < n; ++i) builder->AddKey("key " + std::to_string(i));
  return Finished(builder.get());
}

std::string With(std::string bytes, size_t from_end, int byte) {
  bytes[bytes.size() - from_end] = static_cast<char>(byte);
  return bytes;
}

// With n bytes more in front of RocksDB's last five.
std::string Longer(std::string bytes, size_t n) { return bytes.insert(bytes.size() - 5, n, 'x'); }

Row WithKeys(const std::string& name, const std::string& bytes, const char* layout) {
  return {name, bytes, Matches::kStored, Useless::kNo, layout, ""};
}
Row AlwaysMatching(const std::string& name, const std::string& bytes, Useless useless) {
  return {name, bytes, Matches::kAll, useless, kAll, ""};
}
Row Damaged(const std::string& name, const std::string& bytes, const std::string& why) {
  return {name, bytes, Matches::kAll, Useless::kDamaged, kUnknown, why};
}
// The policy's reader matches every key, as MultiGet takes those of an empty partition for missing.
Row NoKeys(const std::string& name, const std::string& bytes, Useless useless) {
  return {name, bytes, Matches::kAll, useless, "no keys", "", Matches::kAll, 0};
}

// With bloomline's trailer.
Row Own(Row row) {
  row.view = row.reader;
  row.end_bytes = row.reader == Matches::kAll ? row.bytes.size() : 20;
  return row;
}

std::vector<Row> Rows() {
  constexpr auto kNo = Useless::kNo, kDamaged = Useless::kDamaged;
  const std::string bloom = FilterOf("bloomfilter:10:false", 40);
  const std::string legacy = FilterOf("bloomfilter:10:false", 40, 4);
  const std::string ribbon = FilterOf("ribbonfilter:10:-1", 2000);
  const std::string flat = FilterOf("bloomline:10", 40);
  const std::string blocked = FilterOf("bloomline:10", 2000);
  const std::string zeros(64, '\0');
  const std::string no_layout = zeros.substr(0, 15) + "\0bLn\1"s;
  const std::string no_blocks = With(With(no_layout, 8, 1), 7, 6);
  const auto size_of_bloom = static_cast<int>(bloom.size());
  std::vector<Row> rows = {
      {"0 bytes", "", Matches::kNone, kNo, "no keys", "", Matches::kAll, 0},
      NoKeys("1 byte", "\6", kDamaged),
      NoKeys("2 bytes", "\xff\0"s, kDamaged),
      NoKeys("3 bytes", "\xff\0\6"s, kDamaged),
      NoKeys("4 bytes", "\xff\0\6\0"s, kDamaged),
      NoKeys("5 bytes of a Bloom filter", "\xff\0\6\0\0"s, kNo),
      NoKeys("5 bytes of a Ribbon filter", "\xfe\0\2\0\0"s, kNo),
      NoKeys("5 bytes of a legacy filter", "\6\1\0\0\0"s, kNo),
      NoKeys("5 bytes of bloomline's end", no_layout.substr(15), kNo),
      AlwaysMatching("6 bytes of bloomline's end", no_layout.substr(14), kDamaged),
      AlwaysMatching("19 bytes of bloomline's end", no_layout.substr(1), kDamaged),
      AlwaysMatching("another magic number", With(flat, 2, 'N'), kDamaged),
      AlwaysMatching("six zeros", zeros.substr(0, 6), Useless::kSaidByWriter),
      AlwaysMatching("seven zeros", zeros.substr(0, 7), kDamaged),
      AlwaysMatching("five zeros behind a one", "\1\0\0\0\0\0"s, kDamaged),
      AlwaysMatching("marker 0", zeros + "\0\1\2\3\4"s, kDamaged),
      Damaged("marker -3", zeros + "\xfd\0\6\0\0"s, "RocksDB filter of kind -3"),
      Damaged("marker -128", zeros + "\x80\0\6\0\0"s, "RocksDB filter of kind -128"),

      WithKeys("Bloom", bloom, "RocksDB Bloom"),
      WithKeys("Bloom and 63 bytes", Longer(bloom, 63), "RocksDB Bloom"),
      Damaged("Bloom of 63 bytes", zeros.substr(1) + "\xff\0\6\0\0"s, "of 63 bytes"),
      Damaged("Bloom without probes", With(bloom, 3, 0), "with 0 probes"),
      Damaged("Bloom of another variant", With(bloom, 4, 1), "variant 1"),
      WithKeys("Ribbon", ribbon, "RocksDB Ribbon"),
      WithKeys("Ribbon and 15 bytes", Longer(ribbon, 15), "RocksDB Ribbon"),
      Damaged("Ribbon of 15 bytes", zeros.substr(49) + "\xfe\0\2\0\0"s, "of 15 bytes"),
      Damaged("Ribbon of 1 block", zeros + "\xfe\0\1\0\0"s, "of 1 blocks"),
      WithKeys("legacy", legacy, "RocksDB legacy Bloom"),
      Damaged("legacy and a byte", Longer(legacy, 1), "in 1 blocks"),
      Damaged("legacy of 0 blocks", With(legacy, 4, 0), "in 0 blocks"),
      Damaged("legacy of 3 blocks", With(legacy, 4, 3), "in 3 blocks"),

      // The last five bytes of bloomline's trailer begin with RocksDB's marker 0.
      Own(WithKeys("flat", flat, "bloomline flat")),
      Own(WithKeys("blocked", blocked, "bloomline blocked")),
      Own({"no blocks", no_blocks, Matches::kNone, kNo, "no keys", ""}),
      Own(AlwaysMatching("its writer says so", With(flat, 8, 0), Useless::kSaidByWriter)),
      Own(AlwaysMatching("its 20 bytes say so", no_layout, Useless::kSaidByWriter)),
      Own(Damaged("another version", With(flat, 1, 2), "version is 2; known: 1")),
      Own(Damaged("another length", "x" + flat, "the trailer says")),
      Own(Damaged("an extension", With(flat, 6, 1), "its extension")),
      Own(Damaged("no probes", With(flat, 7, 0), "parameter is 0")),
      // All bits of the payload are set but those of a trailer.
      {"RocksDB's end behind bloomline's",
       std::string(64 * 64 - 20, '\xff') + no_blocks + "\xff\0\6\0\0"s, Matches::kAll, kNo,
       "RocksDB Bloom", ""},
      // The payload is not empty, but has another hash.
      Own({"bloomline's end behind RocksDB's",
           bloom + With(With(no_blocks, 8, 2), 12, size_of_bloom), Matches::kNone, kNo,
           "bloomline flat", ""}),
  };
  // RocksDB's policies do not write these, or not any more.
  FilterBuilder builder({Format::kRibbon, 7});
  for (int i = 0; i < 2000; ++i) builder.AddKey("key " + std::to_string(i));
  Row static_ribbon = Own(WithKeys("a static Ribbon filter", builder.Finish(), "bloomline ribbon"));
  static_ribbon.end_bytes = 25;
  rows.push_back(static_ribbon);
  Row former_compact =
      Own({"a compact filter", zeros + "\0\0\0\0\0\0\0\0\1\0\0\0\3\5\0\0bLn\1"s, Matches::kAll,
           Useless::kFormerCompact, "bloomline compact (before 0.4.0)", ""});
  former_compact.end_bytes = 20;
  rows.push_back(former_compact);
  // The layouts of LevelDB and RocksDB are never in a trailer.
  for (const int layout : {5, 0xef, 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xfd, 0xfe, 0xff}) {
    const std::string name = "layout " + std::to_string(layout);
    rows.push_back(Own(Damaged(name, With(flat, 8, layout), name + " is unknown")));
  }
  return rows;
}

// The keys of a batch, which begins with the stored key.
std::vector<std::string> Keys() {
  std::vector<std::string> keys{kStored, "", std::string(300, 'l')};
  while (keys.size() < 70) keys.push_back("other " + std::to_string(keys.size()));
  return keys;
}

// may_match: the answers for Keys().
void ExpectMatches(Matches expected, const std::vector<char>& may_match) {
  EXPECT_EQ(may_match[0], expected != Matches::kNone) << "the stored key";
  const auto others = std::count(may_match.begin() + 1, may_match.end(), 1);
  const auto size = static_cast<std::ptrdiff_t>(may_match.size());
  EXPECT_EQ(others == size - 1, expected == Matches::kAll) << others;
  EXPECT_LT(others, expected == Matches::kAll ? size : size / 5);
}

// Calls f with the bytes of each row, where reads before the first and behind the last one end the
// test.
template <typename F>
void ForEachGuarded(F f) {
  GuardedBytes guarded(1 << 16);
  for (const Row& row : Rows()) {
    for (const std::string_view bytes : {guarded.AtStart(row.bytes), guarded.AtEnd(row.bytes)}) {
      SCOPED_TRACE(row.name);
      f(row, bytes);
    }
  }
}

TEST(FilterBytesTest, ThePolicysReaderAndItsMetrics) {
  const Policy policy = NewRocksDBFilterPolicy(FilterOptions{Format::kBloom, 10});
  const std::vector<std::string> keys = Keys();
  std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::Slice*> pointers;
  for (rocksdb::Slice& slice : slices) pointers.push_back(&slice);
  const auto useless = [] {
    constexpr char kName[] = "bloomline_filters_opened_matching_everything_total";
    return std::vector<double>{MetricValue(kName, "reason=\"damaged\""),
                               MetricValue(kName, "reason=\"said_by_writer\""),
                               MetricValue(kName, "reason=\"former_compact\"")};
  };
  ForEachGuarded([&](const Row& row, std::string_view bytes) {
    std::vector<double> expected = useless();
    if (row.useless != Useless::kNo) ++expected[static_cast<size_t>(row.useless) - 1];
    const Reader reader(policy->GetFilterBitsReader({bytes.data(), bytes.size()}));
    EXPECT_EQ(useless(), expected);
    std::vector<char> one_by_one;
    for (const std::string& key : keys) one_by_one.push_back(reader->MayMatch(key));
    ExpectMatches(row.reader, one_by_one);
    for (const int batch : {2, 7, 32, 70}) {  // longer ones are cut
      bool answers[70];
      for (int i = 0; i < 70; i += batch) {
        reader->MayMatch(std::min(batch, 70 - i), pointers.data() + i, answers + i);
      }
      EXPECT_EQ(std::vector<char>(answers, answers + 70), one_by_one) << batch;
    }
  });
}

TEST(FilterBytesTest, FilterViewAndTheCommand) {
  ForEachGuarded([](const Row& row, std::string_view bytes) {
    const FilterView view = FilterView::Open(bytes);
    const auto filter = engine_filters::EngineFilter::Open(engine_filters::Container::kRocksDB,
                                                           "rocksdb.BuiltinBloomFilter", bytes);
    std::vector<char> of_view, of_command;
    for (const std::string& key : Keys()) {
      of_view.push_back(view.MayMatch(key));
      of_command.push_back(filter.MayMatch(key));
    }
    ExpectMatches(row.view, of_view);
    ExpectMatches(row.layout == "no keys" ? Matches::kNone : row.reader, of_command);
    EXPECT_EQ(filter.payload_bytes, bytes.size() - row.end_bytes);
  });
}

// ---- Files: each has the stored key and the bytes of a row.

class GivenBuilder : public ForwardingBuilder {
 public:
  GivenBuilder(rocksdb::FilterBitsBuilder* inner, const std::string& bytes)
      : ForwardingBuilder(inner), bytes_(bytes) {}
  Slice Finish(std::unique_ptr<const char[]>*) override { return bytes_; }
  Slice Finish(std::unique_ptr<const char[]>*, Status*) override { return bytes_; }

 private:
  const std::string& bytes_;
};

class GivenPolicy : public ForwardingPolicy {
 public:
  explicit GivenPolicy(const std::string& bytes)
      : ForwardingPolicy(PolicyOf("bloomfilter:10:false")), bytes_(bytes) {}
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return new GivenBuilder(ForwardingPolicy::GetBuilderWithContext(context), bytes_);
  }

 private:
  const std::string& bytes_;
};

class FilterBytesInFilesTest : public testing::Test {
 protected:
  FilterBytesInFilesTest() {
    for (const Row& row : rows_) {
      rocksdb::SstFileWriter writer(rocksdb::EnvOptions(),
                                    WithPolicy(std::make_shared<GivenPolicy>(row.bytes)));
      paths_.push_back(dir_.Path(std::to_string(100 + paths_.size()) + ".sst"));
      EXPECT_TRUE(writer.Open(paths_.back()).ok());
      EXPECT_TRUE(writer.Put(kStored, "value").ok());
      EXPECT_TRUE(writer.Finish().ok());
    }
  }

  // What the command prints of each file.
  std::vector<nlohmann::json> Printed(const std::string& command, const char* files_at) const {
    std::string arguments = "db " + command + " --json";
    for (size_t i = 0; i + 1 < paths_.size(); ++i) arguments += " '" + paths_[i] + "'";
    const ToolRun run = RunTool(arguments, paths_.back());
    const nlohmann::json::json_pointer pointer(files_at);
    if (!run.json.contains(pointer) || run.json.at(pointer).size() != rows_.size()) {
      ADD_FAILURE() << run.text;
      return {};
    }
    return run.json.at(pointer);
  }

  const std::vector<Row> rows_ = Rows();
  const TempDir dir_;
  std::vector<std::string> paths_;
};

TEST_F(FilterBytesInFilesTest, Inspect) {
  const std::vector<nlohmann::json> files = Printed("inspect", "/databases/0/files");
  for (size_t i = 0; i < files.size(); ++i) {
    SCOPED_TRACE(rows_[i].name + " " + files[i].dump());
    EXPECT_EQ(files[i]["layouts"][0]["layout"], rows_[i].layout);
    EXPECT_EQ(files[i]["filter_bytes"], rows_[i].bytes.size());
    EXPECT_EQ(files[i]["problem"].is_null(), rows_[i].why.empty());
    EXPECT_NE(files[i]["problem"].dump().find(rows_[i].why), std::string::npos);
  }
}

TEST_F(FilterBytesInFilesTest, Verify) {
  const std::vector<nlohmann::json> files = Printed("verify", "/files");
  for (size_t i = 0; i < files.size(); ++i) {
    const Row& row = rows_[i];
    SCOPED_TRACE(row.name + " " + files[i].dump());
    const bool is_former_compact = row.useless == Useless::kFormerCompact;
    std::string why = row.bytes.empty() ? "the engine queries no filter" : row.why;
    if (is_former_compact) why = "match every key";
    const bool is_lost = row.layout == "no keys" || row.reader == Matches::kNone;
    EXPECT_EQ(files[i]["lost"], is_lost && why.empty() ? 1 : 0);
    EXPECT_EQ(files[i]["keys_checked"], why.empty() ? 1 : 0);
    ASSERT_EQ(files[i]["not_checked"].size(), why.empty() ? 0 : 1);
    if (!row.why.empty() || is_former_compact) {
      EXPECT_EQ(files[i]["not_checked"][0]["may_be_lost"], !is_former_compact);
    }
    EXPECT_NE(files[i]["not_checked"].dump().find(why), std::string::npos);
  }
}

}  // namespace
}  // namespace bloomline::tests::filter_bytes_test
