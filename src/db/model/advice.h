// Computes what bloomline's filters would change in a database, from its levels, keys, filter bytes
// and rates: fewer wasted reads per Get of a missing key in the same memory, less memory with the
// same wasted reads, or what a given memory or rate allows; uniform and by level. The result has
// the settings to use. This is calculation only (bloomline/level_sizing.h), without reading files.
//
// The figures hold for the tree as it is, once each level is rewritten in place. They are computed
// for the option string as printed, with its rounded bits, and for filters of the given number of
// keys, whole blocks and trailers included. tool_rates_test applies the strings to a database and
// measures.
#ifndef BLOOMLINE_DB_MODEL_ADVICE_H_
#define BLOOMLINE_DB_MODEL_ADVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/db/model/build_cost.h"
#include "src/db/tables/table.h"
#include "src/filter/options/formats.h"
#include "src/filter/sizing/left_over.h"

namespace bloomline::model {

// A level as it is.
struct Level {
  int number = 0;  // from 0 on; -1: unknown (files on their own), so no advice by level
  // Sorted runs that a Get of a missing key in the database's range queries on average: in level 0
  // the number of files, in others 1; less if the files cover only a part of the range. Levels of
  // ascending keys have about 1 in all: bits by level then gain nothing, and are not advised.
  double num_runs = 1;
  uint64_t num_keys = 0;  // distinct keys (and prefixes) in the filters; 0: the level is not used
  // The number of filters, existing or missing: of files, of partitions, or LevelDB's filters with
  // keys. Small filters cost whole blocks.
  uint64_t num_filters = 1;
  uint64_t filter_bytes = 0;  // of the current filters, without their index; 0: no filters
  double wasted_reads = 0;    // now, per Get of a missing key in range: sum of the runs' rates
  // The fraction of num_runs in which RocksDB queries no filter, although there is one.
  double unqueried_share = 0;
  uint64_t unfiltered_keys = 0;  // of num_keys: in files that have lost filters, or never had them

  // The wasted reads, if those of the filters are these.
  double Wasted(double reads) const { return reads + unqueried_share * (num_runs - reads); }
};

// RocksDB's compaction of a column family. kOther, such as FIFO, has no bits by level.
enum class Compaction { kLeveled, kUniversal, kOther };

struct Situation {
  tables::Engine engine = tables::Engine::kRocksDB;
  Compaction compaction = Compaction::kLeveled;
  // The kind that has most of the filters' bytes, if it is RocksDB's kBloom or kRibbon. None for
  // filters of bloomline or LevelDB, or unknown ones.
  std::optional<Format> stock_format;
  // RocksDB is known to be 6.15 or later, which reads Ribbon filters.
  bool reads_ribbon = false;
  // RocksDB is not known to be older than 7.0, with which bloomline cannot be loaded. Then only its
  // own filters are advised: those that differ by level for `bloomline db rewrite`, which needs no
  // library in the program.
  bool loads_bloomline = true;
  // What RocksDB's option strings take before 7.0 (FilterPolicy::CreateFromString in
  // filter_policy.cc, read in 6.6 to 6.29, and options_helper.cc before): "bloomfilter:N:false",
  // until 6.5 with whole numbers only, of others they silently drop the rest;
  // "experimental_ribbon:N" from 6.15 on, "ribbonfilter:N" from 6.22 on, and from 6.24 on with a
  // level, which is otherwise 0.
  std::string ribbon_name = "ribbonfilter";
  bool takes_whole_bits = false;
  BuildCpu cpu;              // that builds the filters
  uint64_t table_bytes = 0;  // of all levels; 0: unknown
  // RocksDB's optimize_filters_for_hits: it writes no filter into a file below which there are no
  // keys, and queries none in the last level that has files (version_set.cc and
  // block_based_table_builder.cc, read in 6.29 to 11.9).
  bool skips_last_level = false;
  // With format_version 4 and lower, RocksDB and bloomline write Bloom filters that have a weak
  // hash.
  bool writes_old_bloom = false;
  // The program asks for Ribbon filters. In levels in which it has Bloom filters instead, the
  // preload library writes those, too, unless a variable says otherwise.
  bool asks_ribbon = false;
  // How large levels are at rest. least_keys are those of a flushed file.
  filter::LevelTargets targets;
  std::vector<Level> levels;  // in ascending order of numbers
  double wanted_bits = 10;    // memory per key of filters that are missing

  // What filters of all unfiltered_keys would take.
  uint64_t missing_bytes() const;
};

struct Request {
  // At most one of the two is set.
  std::optional<uint64_t> memory_bytes;  // --memory
  std::optional<double> wasted_reads;    // --wasted-reads

  int choice = 1;  // --choice: the number, from 1 on, of the choice whose settings are shown
};

// Of level 0 while a program writes much: twice RocksDB's level0_file_num_compaction_trigger.
constexpr int kFilesWritten = 8;

struct Choice {
  // "RocksDB Ribbon by level", "blocked".
  std::string kind;
  // "same memory": the fewest wasted reads in the current memory. "same wasted reads": in the least
  // memory. "10 bits per key", Situation::wanted_bits, if files or levels lack filters now: then
  // the memory grows. "at most the given memory" or "the given
  // rate" of the request.
  std::string goal;
  Format format = Format::kBlocked;
  bool by_level = false;
  double bits_per_key = 0;            // the option; by level: the mean of all files
  std::vector<double> bits_of_level;  // memory, by Situation::levels; 0: no filter, or no keys
  uint64_t filter_bytes = 0;
  // Of the tree as it is.
  double wasted_reads = 0;
  // If level 0 is empty, and if it has kFilesWritten files. NaN: keys rest in level 0.
  double wasted_at_rest = 0;
  double wasted_busy = 0;
  double build_ns = 0;     // CPU time per key of building the filters
  double build_share = 0;  // of the CPU time of RocksDB's compaction; 0 for LevelDB
  // The settings; an empty one does not apply (LevelDB has no option strings, and RocksDB's own
  // Bloom filters with the same bits in all levels need no environment).
  std::string option_string;  // "{id=bloomline;format=blocked;bits_per_key=10;bits_by_level=auto}"
  // With bloomline, which builds the same filters faster, if option_string is one that RocksDB has.
  std::string faster_option_string;
  std::string environment;  // "LD_PRELOAD=libbloomline_rocksdb_preload.so BLOOMLINE_FORMAT=..."
  // The --policy of `bloomline db rewrite`, where nothing else gives these filters.
  std::string rewrite_policy;
  // What the column family has to set besides. No environment does so.
  bool filters_last_level = false;    // optimize_filters_for_hits=false
  bool needs_format_version = false;  // 5, in the same factory as filter_policy

  // As an option string; empty: none.
  std::string column_family_option() const;
  // What the options of the database have to name: who knows the files of all levels. Preload
  // libraries do so themselves.
  std::string database_option() const;
  std::string title() const { return kind + ", " + goal; }
  // The filters are RocksDB's own: RocksDB uses them without bloomline.
  bool is_stock() const { return filter::IsStock(format); }
  // RocksDB also writes them without bloomline.
  bool needs_no_bloomline() const {
    return !option_string.empty() && option_string.find("bloomline") == option_string.npos;
  }
};

struct Advice {
  uint64_t filter_bytes_now = 0;
  double wasted_reads_now = 0;
  double wasted_at_rest_now = 0;
  double wasted_busy_now = 0;
  // For each goal, the recommended choice comes first. In RocksDB, it has RocksDB's own filters:
  // the best of those whose building takes at most kMostBuildShare. Without a request, only choices
  // that gain at least a twentieth are listed: none if the filters are already good. With
  // Situation::skips_last_level, those come first that end this, unless others waste few reads.
  std::vector<Choice> choices;

  // The choice whose settings the request shows; choices must not be empty.
  const Choice& Chosen(const Request& request) const {
    return choices[static_cast<size_t>(request.choice - 1)];
  }
};

// "RocksDB Ribbon", "blocked".
std::string KindName(Format format);

// Returns the bits per key of each level, by number, once bits_by_level=auto has written all files
// of the tree anew in their places.
std::vector<double> BitsByLevel(const Situation& tree, Format format, double bits_per_key);

// The filter_policy with these filters, in RocksDB's notation: "bloomfilter:10" if RocksDB has it,
// or
// "{id=bloomline;format=blocked;bits_per_key=10;bits_by_level=auto}". bits_per_key must be allowed.
std::string PolicyText(Format format, double bits_per_key, bool by_level);

// Returns false with *error, which names the value and the allowed range, if no level has keys, or
// the request is impossible.
bool Advise(const Situation& situation, const Request& request, Advice* advice, std::string* error);

}  // namespace bloomline::model

#endif  // BLOOMLINE_DB_MODEL_ADVICE_H_
