// Writes the tables of tests/db/sstable_golden_test.cc whose form depends on RocksDB's
// version. Build it against the version whose tables are wanted:
//   g++ -std=c++20 -I. -I ROCKSDB/include write_rocksdb_tables.cc -L BUILD -lrocksdb
// Usage: write_rocksdb_tables FOLDER   It prints the lines for FOLDER/tables.txt: file,
// format_version, kind of filter, filters, and a CRC-32 of their bytes as RocksDB made them.
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#if __has_include(<rocksdb/advanced_compression.h>)
#include <rocksdb/advanced_compression.h>
#endif

#include <cstdio>
#include <memory>
#include <string>

#include "tests/engines/recording_policy.h"
#include "tests/golden/tables/entries.h"

namespace {

using bloomline::tests::GoldenCrc32;
using bloomline::tests::GoldenEntry;
using bloomline::tests::kGoldenEntries;
using bloomline::tests::RecordingPolicy;
using TableOptions = rocksdb::BlockBasedTableOptions;

struct Spec {
  std::string name;
  rocksdb::Options options;
  TableOptions table;

  Spec(const std::string& file, uint32_t format_version) : name(file) {
    options.compression = rocksdb::kNoCompression;
    table.format_version = format_version;
    table.block_size = 300;
    table.metadata_block_size = 200;
  }
  Spec& Partition() {
    table.index_type = TableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    return *this;
  }
};

// OpenWithEmbeddedBlobs is there from 11.6 on.
template <typename Writer>
auto OpenWithBlobs(Writer* writer, const std::string& path, int)
    -> decltype(writer->OpenWithEmbeddedBlobs(path, {})) {
  return writer->OpenWithEmbeddedBlobs(path, {.min_blob_size = 30});
}
template <typename Writer>
rocksdb::Status OpenWithBlobs(Writer*, const std::string&, long) {
  return rocksdb::Status::NotSupported();
}

void Write(const std::string& folder, Spec spec, bool has_blobs = false) {
  const auto policy = std::make_shared<RecordingPolicy>(
      std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(10)));
  spec.table.filter_policy = policy;
  spec.options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(spec.table));
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), spec.options);
  const std::string path = folder + "/" + spec.name;
  rocksdb::Status status = has_blobs ? OpenWithBlobs(&writer, path, 0) : writer.Open(path);
  for (int i = 0; status.ok() && i < kGoldenEntries; ++i) {
    const auto entry = GoldenEntry(i);
    status = entry.is_deletion ? writer.Delete(entry.key) : writer.Put(entry.key, entry.value);
  }
  if (status.ok()) status = writer.Finish();
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), status.ToString().c_str());
    return;
  }
  std::string bytes;
  for (const std::string& filter : policy->record().written) bytes += filter;
  std::printf("%s %u %s %zu %08x\n", spec.name.c_str(), spec.table.format_version,
              spec.table.partition_filters ? "partitioned" : "full",
              policy->record().written.size(), GoldenCrc32(bytes));
}

#if ROCKSDB_MAJOR < 11
void WriteOld(const std::string& folder) {
  const std::string prefix = "rocksdb-7.8-";
  Spec first(prefix + "version0.sst", 0);
  first.table.checksum = rocksdb::kCRC32c;
  Write(folder, first);
  Spec zstd(prefix + "version5-zstd.sst", 5);
  zstd.options.compression = rocksdb::kZSTD;
  Write(folder, zstd.Partition());
}
#else
// A manager of compression that RocksDB does not have built in.
class Foreign : public rocksdb::CompressionManagerWrapper {
 public:
  using CompressionManagerWrapper::CompressionManagerWrapper;
  const char* Name() const override { return "TestManager"; }
  const char* CompatibilityName() const override { return "TestManager"; }
};

void WriteNew(const std::string& folder) {
  const std::string prefix = "rocksdb-11.9-";
  Spec six(prefix + "version6.sst", 6);
  six.table.checksum = rocksdb::kCRC32c;
  Write(folder, six);
  Spec partitioned(prefix + "version6-partitioned.sst", 6);
  partitioned.options.compression = rocksdb::kSnappyCompression;
  Write(folder, partitioned.Partition());
  Spec seven(prefix + "version7-snappy.sst", 7);
  seven.options.compression = rocksdb::kSnappyCompression;
  seven.table.data_block_index_type = TableOptions::kDataBlockBinaryAndHash;
  seven.table.uniform_cv_threshold = 100;
  Write(folder, seven);
  Spec separated(prefix + "version7-separated.sst", 7);
  separated.table.separate_key_value_in_data_block = true;
  separated.table.block_restart_interval = 4;
  separated.table.index_block_restart_interval = 3;
  Write(folder, separated.Partition());
  Spec first_keys(prefix + "version7-first-keys.sst", 7);
  first_keys.table.index_type = TableOptions::kBinarySearchWithFirstKey;
  first_keys.table.index_block_restart_interval = 4;
  Write(folder, first_keys);
  Write(folder, Spec(prefix + "version7-blobs.sst", 7), true);
  Spec foreign(prefix + "version7-foreign.sst", 7);
  foreign.options.compression = rocksdb::kSnappyCompression;
  foreign.options.compression_manager =
      std::make_shared<Foreign>(rocksdb::GetBuiltinV2CompressionManager());
  Write(folder, foreign);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
#if ROCKSDB_MAJOR < 11
  WriteOld(argv[1]);
#else
  WriteNew(argv[1]);
#endif
}
