// RocksDB's view of a FilterWriter.
#ifndef BLOOMLINE_ROCKSDB_BITS_BUILDER_H_
#define BLOOMLINE_ROCKSDB_BITS_BUILDER_H_

#include "bloomline/filter_options.h"
#include "src/build/filter_writer.h"
#include "src/rocksdb/filter_bits_abi.h"

namespace ROCKSDB_NAMESPACE {
class Logger;
}

namespace bloomline {

// RocksDB has no place for such an error: a status other than Corruption ends a debug build. Says
// it in `log`, which may be null, and once in the life of the process on stderr. Needs no memory.
void ReportUselessFilter(ROCKSDB_NAMESPACE::Logger* log, const char* what, const char* reason);

// One builder makes all partitions of a partitioned filter, so every Finish leaves it empty.
class RocksDBBitsBuilder : public ROCKSDB_NAMESPACE::FilterBitsBuilder {
 public:
  using Slice = ROCKSDB_NAMESPACE::Slice;
  using Status = ROCKSDB_NAMESPACE::Status;

  // `log`, which may be null, must outlive it. With `verify`
  // (BlockBasedTableOptions::detect_filter_construct_corruption), Finish compares the collected
  // hashes with a checksum taken as they came, and MaybePostVerify asks the finished filter for
  // each of them. Cost: 64 bits per key until then, and a query per key.
  RocksDBBitsBuilder(const FilterOptions& options, bool verify,
                     ROCKSDB_NAMESPACE::Logger* log = nullptr);

  void AddKey(const Slice& key) override;
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override;
#else
  void AddKeyAndAlt(const Slice& key, const Slice& alt);
#endif
  // RocksDB 10.9 and later ask from another thread while keys are added.
  size_t EstimateEntriesAdded() override;
  // Never an empty slice unless no key was added: RocksDB reads that as "no keys".
  Slice Finish(std::unique_ptr<const char[]>* buf) override;
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override;
  Status MaybePostVerify(const Slice& filter) override;
  size_t ApproximateNumEntries(size_t bytes) override;
  size_t CalculateSpace(size_t num_entries);
  double EstimatedFpRate(size_t num_entries, size_t bytes);

 private:
  core::FilterWriter writer_;
  const bool verify_;
  ROCKSDB_NAMESPACE::Logger* const log_;
  core::HashList unverified_;  // the hashes of the last finished filter
};

}  // namespace bloomline

#endif  // BLOOMLINE_ROCKSDB_BITS_BUILDER_H_
