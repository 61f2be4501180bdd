// What RocksDB policies count, by column family and level. RocksDB names these when it makes a
// builder, and not when it opens a filter; so filters that this process built are recognised by
// their bytes.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_METRICS_POLICY_COUNTS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_METRICS_POLICY_COUNTS_H_

#include <string_view>

#include "bloomline/rocksdb.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline::engine {

// Returns the counts of a policy for filters whose column family and level are not known. Flushed
// files have filters of flush_format. bits_per_key is the number of its files, 0 if they get no
// filters.
filter::FilterCounts* CountsForPolicy(const RocksDBFilterOptions& options, Format flush_format,
                                      double bits_per_key);

// What a policy counts of a file that is about to be written.
class NewFileCounts {
 public:
  // `of_policy` are the policy's counts. bits_per_key: of the file's filter; 0: none.
  NewFileCounts(const filter::FilterCounts& of_policy, std::string_view column_family, int level,
                Format format, double bits_per_key);

  // For the file's builder.
  filter::FilterCounts* of_file() const { return of_file_; }

  // is_built: the file gets a filter. is_limited: it has fewer bits, because memory is limited.
  void Count(bool is_built, bool is_limited);

 private:
  filter::FilterCounts* const of_file_;
};

// Remembers that `filter` belongs to `counts`. The process remembers 16,384 filters; further ones
// replace others, whose queries then have no level. Thread-safe and lock-free.
void RememberOrigin(std::string_view filter, const filter::FilterCounts& counts);

// Returns the counts of a filter that this process has built; otherwise `unknown`.
filter::FilterCounts* FindOrigin(std::string_view filter, filter::FilterCounts* unknown);

// Whether a filter of bloomline's or RocksDB's says that it matches everything.
bool MatchesEverything(std::string_view filter);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_METRICS_POLICY_COUNTS_H_
