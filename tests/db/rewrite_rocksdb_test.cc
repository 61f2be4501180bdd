// Databases that RocksDB wrote in all its forms get new filters without it. RocksDB then opens them
// with all its checks, and gives the same answers.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/db/rewrite/new_manifest.h"
#include "src/db/rewrite/table_rewrite.h"
#include "src/db/tree/database.h"
#include "src/db/tree/folder_listing.h"
#include "src/db/tree/manifest.h"
#include "src/filter/layouts/rocksdb/rocksdb.h"
#include "src/filter/options/formats.h"
#include "src/support/number_text.h"
#include "tests/db/manifest_writer.h"
#include "tests/db/table_entries.h"
#include "tests/engines/forwarding_policy.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rewrite_rocksdb_test {
namespace {

using db::Outcome;
using db::TableRewrite;
using TableOptions = rocksdb::BlockBasedTableOptions;

constexpr int kRocksDBVersion = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;
constexpr uint32_t kLastFormatVersion = kRocksDBVersion >= 1004  ? 7
                                        : kRocksDBVersion >= 806 ? 6
                                                                 : 5;
constexpr int kKeys = 2500;
constexpr size_t kPrefixBytes = 6;

// An application's own order: a reversed one.
class OwnOrder : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "app.OwnOrder"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return b.compare(a);
  }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

struct Case {
  rocksdb::Options options;
  TableOptions table;
  bool has_range_deletion = false;
  bool ingests = false;
  bool has_right_file_checksums = true;  // 7.8.3 itself fails to verify them with block_align

  Case() {
    options.create_if_missing = options.create_missing_column_families = true;
    options.write_buffer_size = 64 << 10;
    options.target_file_size_base = 32 << 10;
    options.max_bytes_for_level_base = 96 << 10;
    options.level0_file_num_compaction_trigger = 3;
    options.compression = rocksdb::kNoCompression;
    options.paranoid_checks = true;
    options.file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 704
    options.verify_sst_unique_id_in_manifest = true;
#endif
    table.format_version = kLastFormatVersion;
    table.block_size = 1024;
    table.optimize_filters_for_memory = false;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(5));
  }
  void Finish() { options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table)); }
  size_t timestamp_bytes() const { return options.comparator->timestamp_size(); }
};

std::string Key(int i) {
  if (i == 0) return "";
  std::string key = std::to_string(i * 7919LL % 10007);
  key = "k" + std::string(6 - key.size(), '0') + key;
  if (i % 5 == 0) key += std::string(static_cast<size_t>(i % 60), 'x');
  return key;
}

// An open database of two families.
class Opened {
 public:
  Opened(const Case& opened, const std::string& path) : case_(opened) {
    std::vector<rocksdb::ColumnFamilyDescriptor> families{
        {rocksdb::kDefaultColumnFamilyName, case_.options}, {"two", case_.options}};
    const rocksdb::Status status =
        OpenRocksDB(rocksdb::DBOptions(case_.options), path, families, &handles_, &db_);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  ~Opened() {
    if (db_ == nullptr) return;
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    }
    db_->Close().PermitUncheckedError();
  }
  rocksdb::DB* db() const { return db_.get(); }

  void Write(const std::string& outside) const {
    for (rocksdb::ColumnFamilyHandle* family : handles_) {
      std::vector<const rocksdb::Snapshot*> snapshots;
      for (int i = 0; i < kKeys; ++i) {
        // Some keys have more versions than a block holds.
        for (int version = 0; i % 250 < 40 && version < 12; ++version) {
          Put(family, Key(i), std::string(90, 'v'));
          snapshots.push_back(db_->GetSnapshot());
        }
        Put(family, Key(i), "value " + std::to_string(i) + std::string(40, 'v'));
        if (i % 100 == 99) Delete(family, Key(i - 50));
        if (i == kKeys / 2) {
          EXPECT_TRUE(db_->Flush({}, family).ok());
        }
      }
      if (case_.has_range_deletion) {
        rocksdb::Slice begin = "k001000", end = "k001200";
        if (case_.options.comparator->Compare(begin, end) > 0) std::swap(begin, end);
        EXPECT_TRUE(db_->DeleteRange({}, family, begin, end).ok());
      }
      EXPECT_TRUE(db_->Flush({}, family).ok());
      for (const rocksdb::Snapshot* snapshot : snapshots) db_->ReleaseSnapshot(snapshot);
    }
    if (case_.ingests) Ingest(outside);
    Put(handles_[0], "only in the log", "1");
  }

  // All answers that do not depend on the filters, as a text.
  std::string Answers() const {
    std::string all;
    for (rocksdb::ColumnFamilyHandle* family : handles_) {
      for (int i = 0; i < kKeys; ++i) all += Get(family, Key(i)) + Get(family, Key(i) + "!");
      all += Get(family, "only in the log") + MultiGet(family);
      std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(Options(), family));
      for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
        all += iterator->key().ToString() + iterator->value().ToString();
      }
      EXPECT_TRUE(iterator->status().ok()) << iterator->status().ToString();
      if (case_.options.prefix_extractor != nullptr) all += PrefixSeeks(family);
    }
    return all;
  }

  void ExpectSound() const {
    rocksdb::Status status = db_->VerifyChecksum();
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (!case_.has_right_file_checksums) return;
    status = db_->VerifyFileChecksums({});
    EXPECT_TRUE(status.ok()) << status.ToString();
  }

 private:
  rocksdb::ReadOptions Options() const {
    rocksdb::ReadOptions options;
    if (case_.timestamp_bytes() != 0) options.timestamp = &newest_slice_;
    return options;
  }
  void Put(rocksdb::ColumnFamilyHandle* family, const std::string& key,
           const std::string& value) const {
    const rocksdb::Status status = case_.timestamp_bytes() == 0
                                       ? db_->Put({}, family, key, value)
                                       : db_->Put({}, family, key, NextTime(), value);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  void Delete(rocksdb::ColumnFamilyHandle* family, const std::string& key) const {
    EXPECT_TRUE((case_.timestamp_bytes() == 0 ? db_->Delete({}, family, key)
                                              : db_->Delete({}, family, key, NextTime()))
                    .ok());
  }
  std::string NextTime() const {
    ++time_;
    return std::string(reinterpret_cast<const char*>(&time_), sizeof(time_));
  }
  void Ingest(const std::string& path) const {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), case_.options, handles_[0]);
    EXPECT_TRUE(writer.Open(path).ok());
    for (int i = 20000; i < 20300; ++i) {
      EXPECT_TRUE(writer.Put("k0" + std::to_string(i), "ingested").ok());
    }
    EXPECT_TRUE(writer.Finish().ok());
    rocksdb::IngestExternalFileOptions options;
    options.write_global_seqno = true;
    const rocksdb::Status status = db_->IngestExternalFile(handles_[0], {path}, options);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  std::string Get(rocksdb::ColumnFamilyHandle* family, const std::string& key) const {
    std::string value;
    const rocksdb::Status status = db_->Get(Options(), family, key, &value);
    EXPECT_TRUE(status.ok() || status.IsNotFound()) << status.ToString();
    return status.ok() ? value + '+' : "-";
  }
  std::string MultiGet(rocksdb::ColumnFamilyHandle* family) const {
    std::vector<std::string> keys;
    for (int i = 0; i < kKeys; i += 3) keys.push_back(Key(i));
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    db_->MultiGet(Options(), family, keys.size(), slices.data(), values.data(), statuses.data());
    std::string all;
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_TRUE(statuses[i].ok() || statuses[i].IsNotFound()) << statuses[i].ToString();
      all += statuses[i].ok() ? values[i].ToString() : "-";
    }
    return all;
  }
  std::string PrefixSeeks(rocksdb::ColumnFamilyHandle* family) const {
    rocksdb::ReadOptions options = Options();
    options.prefix_same_as_start = true;
    std::string all;
    for (int i = 0; i < kKeys; i += 2) {
      const std::string key = Key(i);
      if (!case_.options.prefix_extractor->InDomain(key)) continue;
      std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(options, family));
      const std::string prefix = case_.options.prefix_extractor->Transform(key).ToString();
      iterator->Seek(prefix);
      for (; iterator->Valid(); iterator->Next()) all += iterator->key().ToString() + ' ';
      iterator->SeekForPrev(prefix + "~~~~");
      if (iterator->Valid()) all += iterator->key().ToString() + '\n';
    }
    return all;
  }

  Case case_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  mutable uint64_t time_ = 0;
  const std::string newest_ = std::string(8, '\xff');
  const rocksdb::Slice newest_slice_{newest_};
};

class FileSink : public support::ByteSink {
 public:
  explicit FileSink(const std::string& path) : out_(path, std::ios::binary) {}
  bool Append(const char* data, uint64_t n, std::string*) override {
    out_.write(data, static_cast<std::streamsize>(n));
    return out_.good();
  }

 private:
  std::ofstream out_;
};

Outcome RewriteTo(const std::string& path, const db::TableSource& source,
                  const TableRewrite& rewrite, db::RewrittenTable* result, std::string* error) {
  FileSink sink(path);
  return db::RewriteTable(source, rewrite, &sink, result, error);
}

// Gives all tables in the folder new filters, in place. Returns how many there were.
size_t RewriteAll(const std::string& folder, TableRewrite rewrite) {
  tree::Database database;
  std::string error;
  EXPECT_TRUE(tree::ReadDirectory(folder, {}, &database, &error)) << error;
  uint64_t next;
  EXPECT_TRUE(db::CheckManifest(database.manifest, &next, &error)) << error;
  next += 100;  // beyond the numbers of logs and OPTIONS
  EXPECT_TRUE(db::NewRewriteSession(&rewrite.session, &error)) << error;
  std::sort(database.files.begin(), database.files.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  std::map<uint64_t, db::NewTable> tables;
  for (const tree::TableFile& file : database.files) {
    const auto family = static_cast<size_t>(file.column_family);
    const db::TableSource source{file.path, database.column_families[family].comparator,
                                 file.bytes};
    bool knows_new_bloom;
    EXPECT_EQ(db::CheckTable(source, &knows_new_bloom, &error), Outcome::kDone) << error;
    rewrite.number = next++;
    const std::string path = folder + "/" + tree::SixDigits(rewrite.number) + ".sst";
    db::NewTable& added = tables[file.number];
    added.number = rewrite.number;
    EXPECT_EQ(RewriteTo(path, source, rewrite, &added.table, &error), Outcome::kDone) << error;
    EXPECT_EQ(db::CheckRewrittenTable(path, source, added.table, &error), Outcome::kDone) << error;
  }
  const std::string new_manifest = "MANIFEST-" + tree::SixDigits(next);
  FileSink sink(folder + "/" + new_manifest);
  EXPECT_TRUE(db::WriteManifest(database.manifest, tables, next + 1, &sink, &error)) << error;
  std::ofstream(folder + "/CURRENT") << new_manifest << '\n';
  return tables.size();
}

struct Form {
  std::string name;
  std::function<void(Case*)> change;
};

void Partition(Case* c) { PartitionFilters(256, &c->table); }
void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

std::vector<Form> Forms() {
  static OwnOrder own;
  std::vector<Form> forms;
  const auto add = [&](const std::string& name, auto change) { forms.push_back({name, change}); };
  for (uint32_t version = 2; version <= kLastFormatVersion; ++version) {
    add("Version" + std::to_string(version), [=](Case* c) { c->table.format_version = version; });
  }
  for (const auto checksum :
       {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash, rocksdb::kxxHash64}) {
    add("Checksum" + std::to_string(checksum), [=](Case* c) { c->table.checksum = checksum; });
  }
  for (const auto codec : rocksdb::GetSupportedCompressions()) {
    if (codec != rocksdb::kSnappyCompression && codec != rocksdb::kLZ4Compression &&
        codec != rocksdb::kZSTD) {
      continue;
    }
    add("Codec" + std::to_string(codec), [=](Case* c) {
      c->options.compression = codec;
      c->table.index_block_restart_interval = 8;
      if (codec == rocksdb::kSnappyCompression) return;
      c->options.compression_opts.max_dict_bytes = 4096;
    });
  }
  add("FirstKeys", [](Case* c) { c->table.index_type = TableOptions::kBinarySearchWithFirstKey; });
  add("HashIndex", [](Case* c) {
    c->table.index_type = TableOptions::kHashSearch;
    c->options.prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(kPrefixBytes));
  });
  add("HashesInBlocks",
      [](Case* c) { c->table.data_block_index_type = TableOptions::kDataBlockBinaryAndHash; });
  for (const bool separators : {false, true}) {
    add("TwoLevels" + std::to_string(separators), [=](Case* c) {
      c->table.index_type = TableOptions::kTwoLevelIndexSearch;
      c->table.metadata_block_size = 256;
      c->table.format_version = separators ? kLastFormatVersion : 2;
      c->options.compression = rocksdb::kSnappyCompression;
    });
  }
  add("Align", [](Case* c) {
    c->table.block_align = true;
    c->has_right_file_checksums = false;
  });
  add("RangeDeletion", [](Case* c) { c->has_range_deletion = true; });
  add("Ingested", [](Case* c) { c->ingests = true; });
  add("Prefixes", [](Case* c) {
    c->options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPrefixBytes));
  });
  add("CappedPrefixesAlone", [](Case* c) {
    c->options.prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(kPrefixBytes));
    c->table.whole_key_filtering = false;
  });
  add("OwnOrder", [](Case* c) { c->options.comparator = &own; });
  add("Reversed", [](Case* c) { c->options.comparator = rocksdb::ReverseBytewiseComparator(); });
  add("Timestamps", [](Case* c) {
    if (TimestampComparator() != nullptr) c->options.comparator = TimestampComparator();
  });
  add("Ribbon", [](Case* c) { c->table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(8)); });
  add("NoFilter", [](Case* c) { c->table.filter_policy.reset(); });
  for (uint32_t version = 2; version <= kLastFormatVersion; ++version) {
    add("PartitionsVersion" + std::to_string(version), [=](Case* c) {
      Partition(c);
      c->table.format_version = version;
      c->table.index_block_restart_interval = version % 2 == 0 ? 8 : 1;
    });
  }
  add("PartitionsOfPrefixes", [](Case* c) {
    Partition(c);
    c->options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPrefixBytes));
  });
  add("PartitionsOfPrefixesAlone", [](Case* c) {
    Partition(c);
    c->options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPrefixBytes + 1));
    c->table.whole_key_filtering = false;
  });
  add("PartitionsOwnOrder", [](Case* c) {
    Partition(c);
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 906
    // Only the comparator knows which of the partitions that are cut elsewhere has a key.
    c->table.decouple_partitioned_filters = false;
#endif
    c->options.comparator = &own;
    c->options.compression = rocksdb::kSnappyCompression;
  });
  add("PartitionsTimestamps", [](Case* c) {
    Partition(c);
    if (TimestampComparator() != nullptr) c->options.comparator = TimestampComparator();
  });
  add("Blobs", [](Case* c) {
    c->options.enable_blob_files = true;
    c->options.min_blob_size = 30;
  });
  add("Universal",
      [](Case* c) { c->options.compaction_style = rocksdb::kCompactionStyleUniversal; });
  return forms;
}

class RewriteFormTest : public testing::TestWithParam<Form> {};

TEST_P(RewriteFormTest, GivesTheSameAnswers) {
  TempDir dir;
  Case form;
  GetParam().change(&form);
  form.Finish();
  {
    Opened written(form, dir.Path("db"));
    ASSERT_NE(written.db(), nullptr);
    written.Write(dir.Path("ingested"));
  }
  form.options.create_if_missing = false;
  form.options.disable_auto_compactions = true;
  const auto copy = [&](const char* name) {
    std::filesystem::copy(dir.Path("db"), dir.Path(name), std::filesystem::copy_options::recursive);
    return dir.Path(name);
  };
  // The answers without filters: RocksDB's own partitions lose keys in SeekForPrev.
  Case unfiltered = form;
  unfiltered.table.filter_policy.reset();
  unfiltered.Finish();
  const std::string answers = Opened(unfiltered, copy("unfiltered")).Answers();
  for (const Format format : {Format::kBloom, Format::kRibbon, Format::kBlocked}) {
    SCOPED_TRACE(FormatName(format));
    const std::string folder = copy(FormatName(format));
    TableRewrite rewrite;
    rewrite.format = format;
    rewrite.bits_per_key = 12;
    rewrite.is_legacy = format == Format::kBloom && form.table.format_version < 5;
    // Each of the two families has a file at least: RocksDB may have merged its two.
    EXPECT_GE(RewriteAll(folder, rewrite), 2u);
    Case reopened = form;
    reopened.options.statistics = rocksdb::CreateDBStatistics();
    reopened.table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(5));
    if (!filter::IsStock(format)) {
      reopened.table.filter_policy = NewRocksDBFilterPolicy(FilterOptions());
    }
    reopened.Finish();
    Opened opened(reopened, folder);
    ASSERT_NE(opened.db(), nullptr);
    EXPECT_TRUE(opened.Answers() == answers);
    opened.ExpectSound();
    if (!form.table.whole_key_filtering) continue;
    // One of two families' keys is missing in each; filters of 5 bits would let a tenth through.
    const auto count = [&](auto ticker) {
      return static_cast<double>(reopened.options.statistics->getTickerCount(ticker));
    };
    const double wasted = count(rocksdb::BLOOM_FILTER_FULL_POSITIVE) -
                          count(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
    EXPECT_GT(count(rocksdb::BLOOM_FILTER_USEFUL), 2 * kKeys);
    EXPECT_LT(wasted, 0.02 * count(rocksdb::BLOOM_FILTER_USEFUL));
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, RewriteFormTest, testing::ValuesIn(Forms()),
                         [](const auto& info) { return info.param.name; });

// A new filter with the old one's bits has its bytes.
TEST(RewriteTest, FiltersHaveTheBytesOfRocksDB) {
  struct Row {
    const char* policy;
    Format format;
    double bits_per_key;
    uint32_t format_version;
  };
  for (const Row& row : {Row{"bloomfilter:10:false", Format::kBloom, 10, 5},
                         Row{"bloomfilter:3.7:false", Format::kBloom, 3.7, 5},
                         Row{"bloomfilter:40:false", Format::kBloom, 40, 5},
                         Row{"bloomfilter:10:false", Format::kBloom, 10, 4},
                         Row{"bloomfilter:6.6:false", Format::kBloom, 6.6, 2},
                         Row{"ribbonfilter:10:-1", Format::kRibbon, 10, 5}}) {
    for (const bool has_prefixes : {false, true}) {
      SCOPED_TRACE(std::string(row.policy) + " " + std::to_string(row.format_version));
      TempDir dir;
      Case one;
      one.table.format_version = row.format_version;
      EXPECT_TRUE(
          rocksdb::FilterPolicy::CreateFromString({}, row.policy, &one.table.filter_policy).ok());
      if (has_prefixes) one.options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
      // RocksDB 9.6 and later add a key's prefix before the key, and a Ribbon filter depends on the
      // first of all. Any order gives a right filter.
      const bool adds_prefixes_first =
          has_prefixes && row.format == Format::kRibbon && kRocksDBVersion >= 906;
      one.table.optimize_filters_for_memory = false;  // RocksDB 9.10 has it on by default
      one.Finish();
      {
        Opened written(one, dir.Path("db"));
        ASSERT_NE(written.db(), nullptr);
        written.Write("");
      }
      tree::Database database;
      std::string error;
      ASSERT_TRUE(tree::ReadDirectory(dir.Path("db"), {}, &database, &error)) << error;
      TableRewrite rewrite;
      rewrite.format = row.format;
      rewrite.bits_per_key = row.bits_per_key;
      rewrite.is_legacy = row.format == Format::kBloom && row.format_version < 5;
      for (const tree::TableFile& file : database.files) {
        db::RewrittenTable result;
        ASSERT_EQ(RewriteTo(dir.Path("new"), {file.path, "", file.bytes}, rewrite, &result, &error),
                  Outcome::kDone)
            << error;
        const auto before = OpenTable(file.path);
        const auto after = OpenTable(dir.Path("new"));
        if (!adds_prefixes_first) {
          EXPECT_EQ(TableFilters(*after), TableFilters(*before));
        }
        const tables::Properties& ours = after->properties();
        const tables::Properties& theirs = before->properties();
        EXPECT_EQ(ours.num_filter_entries, theirs.num_filter_entries);
        EXPECT_EQ(ours.whole_key_filtering, theirs.whole_key_filtering);
        EXPECT_EQ(ours.prefix_filtering, theirs.prefix_filtering);
      }
    }
  }
}

// RocksDB before 6.6 counts the bits of a filter in 32 bits.
TEST(RewriteTest, LegacyFiltersHaveLessThan32BitsOfBits) {
  const filter::FilterShape shape =
      filter::kRocksDBLegacyRow.sstable_shape({uint64_t{1} << 30, 10});
  EXPECT_EQ(shape.num_blocks, 0xffff0000 / 512 + 1);  // RocksDB's limit, and odd
  EXPECT_LT(shape.payload_bytes() * 8, uint64_t{1} << 32);
}

// ---- What is refused, by name.

class OwnPolicy : public ForwardingPolicy {
 public:
  using ForwardingPolicy::ForwardingPolicy;
  const char* Name() const override { return "app.Policy"; }
  const char* CompatibilityName() const override { return Name(); }
};

class OwnPrefix : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "app.Prefix"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return {key.data(), std::min<size_t>(key.size(), 3)};
  }
  bool InDomain(const rocksdb::Slice&) const override { return true; }
};

// Returns a table of 100 keys, or of a range deletion alone.
std::string WriteTable(const Case& one, const std::string& path, bool has_keys = true) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), one.options);
  EXPECT_TRUE(writer.Open(path).ok());
  for (int i = 199; has_keys && i >= 100; --i) {
    const std::string key =
        std::to_string(one.options.comparator->Compare("1", "2") < 0 ? 299 - i : i);
    EXPECT_TRUE(writer.Put(key, "value").ok());
  }
  if (!has_keys) {
    EXPECT_TRUE(writer.DeleteRange("a", "b").ok());
  }
  EXPECT_TRUE(writer.Finish().ok());
  return path;
}

TEST(RewriteTest, RefusesWhatItDoesNotKnow) {
  static OwnOrder own;
  struct Row {
    const char* reason;
    Outcome outcome;
    std::function<void(Case*)> change;
    bool has_keys = true;
  };
  const Row rows[] = {
      {"filters of the policy 'app.Policy'", Outcome::kRefused,
       [](Case* c) { c->table.filter_policy.reset(new OwnPolicy(c->table.filter_policy)); }},
      {"prefix extractor 'app.Prefix'", Outcome::kRefused,
       [](Case* c) { c->options.prefix_extractor = std::make_shared<OwnPrefix>(); }},
      {"has no filter", Outcome::kLeft,
       [](Case* c) {
         c->options.comparator = &own;
         c->table.filter_policy.reset();
       }},
      {"has no keys", Outcome::kLeft, [](Case*) {}, false},
      {"neither keys nor prefixes", Outcome::kLeft,
       [](Case* c) { c->table.whole_key_filtering = false; }},
  };
  TempDir dir;
  bool ignored;
  std::string error;
  for (const Row& row : rows) {
    Case one;
    row.change(&one);
    one.Finish();
    const std::string path = WriteTable(one, dir.Path("table"), row.has_keys);
    EXPECT_EQ(db::CheckTable({path, "", std::filesystem::file_size(path)}, &ignored, &error),
              row.outcome)
        << error;
    EXPECT_NE(error.find(row.reason), std::string::npos) << error;
  }
  Case one;
  one.Finish();
  const std::string path = WriteTable(one, dir.Path("table"));
  const uint64_t bytes = std::filesystem::file_size(path);
  const auto refuses = [&](const db::TableSource& source, const char* reason) {
    EXPECT_EQ(db::CheckTable(source, &ignored, &error), Outcome::kRefused) << error;
    EXPECT_NE(error.find(reason), std::string::npos) << error;
  };
  refuses({path, "", bytes + 1}, "the MANIFEST says");
  refuses({path, "app.OwnOrder", bytes}, "'app.OwnOrder'");
  refuses({path, "", bytes, tables::Engine::kLevelDB}, "is a table of another engine");
  EXPECT_EQ(db::CheckTable({dir.Path("none"), "", 1}, &ignored, &error), Outcome::kFailed);
}

// Bits are cleared in a filter that no checksum covers: its keys then are not the table's.
TEST(RewriteTest, AnOldFilterWithoutItsKeysIsFound) {
  for (const bool is_partitioned : {false, true}) {
    TempDir dir;
    Case one;
    one.table.checksum = rocksdb::kNoChecksum;
    one.table.format_version = 5;
    if (is_partitioned) PartitionFilters(64, &one.table);
    one.Finish();
    const std::string path = WriteTable(one, dir.Path("table"));
    std::string bytes = ReadFile(path);
    std::string error;
    std::string_view filter;
    const auto table = OpenTable(path);
    const auto reader = table->NewFilterReader(&error);
    ASSERT_TRUE(reader->Read(reader->num_filters() - 1, &filter, &error)) << error;
    const size_t offset = bytes.find(filter);
    ASSERT_NE(offset, bytes.npos);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), 64, '\0');
    std::ofstream(path, std::ios::binary) << bytes;
    db::RewrittenTable result;
    EXPECT_EQ(RewriteTo(dir.Path("new"), {path, "", bytes.size()}, TableRewrite(), &result, &error),
              Outcome::kLacksKey);
    EXPECT_NE(error.find("the filter lacks the key of entry"), error.npos) << error;
  }
}

// Before version 9.5, RocksDB's own partitions of prefixes lack that of the key before them.
TEST(RewriteTest, PartitionsNeedThePrefixesOfTheirNeighbours) {
  TempDir dir;
  Case one;
  one.table.block_size = 64;
  PartitionFilters(64, &one.table);
  one.table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(20));
  one.table.whole_key_filtering = false;
  one.options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
  one.Finish();
  const std::string path = WriteTable(one, dir.Path("table"));
  db::RewrittenTable result;
  result.bytes = std::filesystem::file_size(path);
  result.num_entries = 100;
  std::string error;
  const bool is_right = kRocksDBVersion >= 905;
  EXPECT_EQ(db::CheckRewrittenTable(path, {path, "", result.bytes}, result, &error),
            is_right ? Outcome::kDone : Outcome::kFailed)
      << error;
  EXPECT_EQ(error.find("the filter lacks the prefix of the key") == error.npos, is_right) << error;
  if (is_right) return;
  // The error names the last entry of a partition: the next partition lacks its prefix.
  std::string ignored;
  const auto table = OpenTable(path);
  const auto filters = table->NewFilterReader(&ignored);
  const auto keys = table->NewKeyReader(&ignored);
  std::optional<uint64_t> of_named;
  while (keys->Next()) {
    const uint64_t filter =
        filters->FilterOf(keys->user_key(), keys->sequence(), keys->block_offset());
    if (of_named) {
      EXPECT_NE(filter, *of_named) << error;
      return;
    }
    const std::string named = support::StrCat(
        path, ": the filter lacks the prefix of the key of entry ", keys->entry_in_block(),
        " in the data block at offset ", keys->block_offset());
    if (error == named) of_named = filter;
  }
  FAIL() << error;
}

// MultiGet takes all keys of an empty partition for missing.
TEST(RewriteTest, PartitionsWithoutEntriesMatchEveryKey) {
  TempDir dir;
  Case one;
  PartitionFilters(64, &one.table);
  one.table.whole_key_filtering = false;
  one.options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(50));  // longer than all keys
  one.Finish();
  const std::string path = WriteTable(one, dir.Path("table"));
  for (const Format format : {Format::kBloom, Format::kRibbon, Format::kBlocked}) {
    TableRewrite rewrite;
    rewrite.format = format;
    db::RewrittenTable result;
    std::string error;
    ASSERT_EQ(RewriteTo(dir.Path("new"), {path, "", std::filesystem::file_size(path)}, rewrite,
                        &result, &error),
              Outcome::kDone)
        << error;
    for (const std::string& filter : TableFilters(*OpenTable(dir.Path("new")))) {
      EXPECT_EQ(filter, std::string(6, '\0'));
    }
  }
}

// Tables of RocksDB 6.29: no version since 7.0 writes such filters.
TEST(RewriteTest, BlockBasedFiltersBecomeFullOnes) {
  for (const char* const name : {"block-based", "block-based-prefixes"}) {
    const std::string path =
        std::string(BLOOMLINE_GOLDEN_DIR "/tables/rocksdb-6.29-") + name + ".sst";
    const db::TableSource source{path, "", std::filesystem::file_size(path)};
    TempDir dir;
    db::RewrittenTable result;
    std::string error;
    ASSERT_EQ(RewriteTo(dir.Path("new.sst"), source, TableRewrite(), &result, &error),
              Outcome::kDone)
        << error;
    ASSERT_EQ(db::CheckRewrittenTable(dir.Path("new.sst"), source, result, &error), Outcome::kDone)
        << error;
    const auto table = OpenTable(dir.Path("new.sst"));
    EXPECT_EQ(table->filter_kind(), tables::FilterKind::kFull);
    EXPECT_EQ(TableEntries(*table), TableEntries(*OpenTable(path)));
    rocksdb::SstFileReader reader((rocksdb::Options()));
    ASSERT_TRUE(reader.Open(dir.Path("new.sst")).ok());
    EXPECT_TRUE(reader.VerifyChecksum().ok());
    EXPECT_EQ(reader.GetTableProperties()->filter_size, result.filter_bytes);
    EXPECT_EQ(reader.GetTableProperties()->num_entries, result.num_entries);
  }
}

TEST(RewriteTest, ManifestsKeepWhatTheyNeedNotChange) {
  const auto field = [](uint64_t number, std::string_view content) {
    return Varint(number) + LengthPrefixed(content);
  };
  const std::string crc32c = field(8, "FileChecksumCrc32c");
  const std::string id(16, 'i');
  struct Row {
    std::string old_fields;
    std::string new_fields;  // or the error, if refused
    bool is_refused = false;
  };
  const Row rows[] = {
      {"", ""},
      {field(3, "\7") + field(13, "\5") + field(17, "note"), field(13, "\5")},
      {field(5, "time") + field(7, "abcd") + crc32c,
       field(5, "time") + field(7, "\1\2\3\4") + crc32c},
      {field(7, "") + field(8, "Unknown"), field(7, "") + field(8, "Unknown")},
      {field(12, std::string(16, 'o')) + field(15, "\1"), field(12, id) + field(15, "\x64")},
      {field(65, std::string(1, '\0')), field(65, std::string(1, '\0'))},
      {field(18, ""), "has field 18", true},
      {field(65, "\1"), "is in another folder", true},
      {field(7, "abcd") + field(8, "app.Sum"), "has a checksum by 'app.Sum'", true},
  };
  TempDir dir;
  for (const Row& row : rows) {
    ManifestWriter old;
    old.Add(NewDatabase("leveldb.BytewiseComparator"));
    old.Add(NewFile4(2, 5, "a", "c", row.old_fields));
    old.Add(Varint(300) + Varint(1) + NewFile4(2, 6, "d", "e"));  // the second of two is missing
    old.AddFragment(2, "torn");
    std::ofstream(dir.Path("old"), std::ios::binary) << old.bytes();
    std::map<uint64_t, db::NewTable> tables;
    tables[5].number = 20;
    tables[5].table.bytes = 1020;  // as NewFile4 says
    tables[5].table.tail_bytes = 100;
    tables[5].table.crc32c = 0x01020304;
    tables[5].table.unique_id = id;
    support::OutputBytes written(0);
    std::string error;
    uint64_t next;
    EXPECT_EQ(db::CheckManifest(dir.Path("old"), &next, &error), !row.is_refused);
    EXPECT_EQ(db::WriteManifest(dir.Path("old"), tables, 21, &written, &error), !row.is_refused);
    if (row.is_refused) {
      EXPECT_NE(error.find(row.new_fields), error.npos) << error;
      continue;
    }
    EXPECT_EQ(next, 9u);
    ManifestWriter expected;
    expected.Add(NewDatabase("leveldb.BytewiseComparator"));
    expected.Add(NewFile4(2, 5, "a", "c", row.old_fields));
    expected.Add(Varint(3) + Varint(21) + DeletedFile(2, 5) +
                 NewFile4(2, 20, "a", "c", row.new_fields));
    EXPECT_EQ(*written.bytes(), expected.bytes());
  }
}

// ---- Damage: each byte changed, and each end cut off.

// Calls f with each damaged form of the file's bytes, which `path` then has.
template <typename F>
void ForEachDamage(const std::string& bytes, const std::string& path, F f) {
  const auto write = [&](const std::string& damaged) {
    std::ofstream(path, std::ios::binary) << damaged;
    f(damaged);
  };
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int flipped : {1, 0x80}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flipped);
      write(damaged);
    }
    write(bytes.substr(0, i));
  }
}

TEST(RewriteTest, DamagedTablesAreRefusedOrRight) {
  for (const bool is_partitioned : {false, true}) {
    TempDir dir;
    Case one;
    one.table.block_size = 256;
    one.table.format_version = is_partitioned ? kLastFormatVersion : 4;
    if (is_partitioned) PartitionFilters(64, &one.table);
    one.Finish();
    const std::string damaged_path = dir.Path("damaged");
    {
      rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), one.options);
      ASSERT_TRUE(writer.Open(dir.Path("table")).ok());
      for (int i = 10; i < 40; ++i) {
        ASSERT_TRUE(writer.Put("key" + std::to_string(i), std::to_string(i)).ok());
      }
      ASSERT_TRUE(writer.Finish().ok());
    }
    size_t num_done = 0;
    ForEachDamage(ReadFile(dir.Path("table")), damaged_path, [&](const std::string& damaged) {
      const db::TableSource source{damaged_path, "", damaged.size()};
      db::RewrittenTable result;
      std::string error;
      if (RewriteTo(dir.Path("new"), source, TableRewrite(), &result, &error) != Outcome::kDone) {
        EXPECT_NE(error.find(damaged_path), error.npos) << error;
        return;
      }
      ++num_done;
      ASSERT_EQ(db::CheckRewrittenTable(dir.Path("new"), source, result, &error), Outcome::kDone)
          << error;
      const std::vector<TableEntry> entries = TableEntries(*OpenTable(dir.Path("new")));
      EXPECT_EQ(entries.size(), 30u);
      EXPECT_EQ(entries, TableEntries(*OpenTable(damaged_path)));
    });
    EXPECT_LT(num_done,
              100u);  // no checksum covers an ingested file's number, and a footer's zeros
  }
}

TEST(RewriteTest, DamagedManifestsAreRefusedOrRight) {
  TempDir dir;
  Case one;
  one.options.write_buffer_size = 16 << 20;
  one.Finish();
  {
    Opened written(one, dir.Path("db"));
    ASSERT_NE(written.db(), nullptr);
    written.Write("");
  }
  std::string current = ReadFile(dir.Path("db/CURRENT"));
  current.pop_back();
  // The names and sizes of all live tables.
  const auto files_of = [](const std::string& path, std::string* error) {
    std::map<std::pair<uint32_t, uint64_t>, std::string> files;
    tree::LiveFiles live;
    if (!tree::ReadManifest(path, &live, error)) return files;
    for (const auto& [id, family] : live.families()) {
      for (const auto& [number, file] : family.files) {
        files[{id, number}] = std::to_string(file.level) + file.smallest_key + file.largest_key;
      }
    }
    return files;
  };
  const std::string damaged_path = dir.Path("damaged");
  size_t num_done = 0;
  ForEachDamage(ReadFile(dir.Path("db/" + current)), damaged_path, [&](const std::string&) {
    std::string error;
    const auto old_files = files_of(damaged_path, &error);
    std::map<uint64_t, db::NewTable> tables;
    std::map<std::pair<uint32_t, uint64_t>, std::string> expected;
    for (const auto& [id_and_number, description] : old_files) {
      const auto& [id, number] = id_and_number;
      tables[number].number = number + 1000;
      expected[{id, number + 1000}] = description;
    }
    bool is_written;
    {
      FileSink sink(dir.Path("new"));
      uint64_t next;
      is_written = db::CheckManifest(damaged_path, &next, &error) &&
                   db::WriteManifest(damaged_path, tables, 2000, &sink, &error);
    }
    if (!is_written) {
      EXPECT_NE(error.find(damaged_path), error.npos) << error;
      return;
    }
    ++num_done;
    EXPECT_EQ(files_of(dir.Path("new"), &error), expected) << error;
  });
  EXPECT_GT(num_done, 10u);
}

}  // namespace
}  // namespace bloomline::tests::rewrite_rocksdb_test
