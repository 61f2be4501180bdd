// The effect of bloomline's filters on a database: from its levels, keys, filter bytes and rates,
// the wasted reads per Get of a missing key now, and those with bloomline at the same memory, the
// memory at the same wasted reads, or for a given memory or rate; uniform and by level. It ends in
// the settings to use. Pure calculation (bloomline/level_sizing.h); reads no file.
//
// A promise holds for the tree as it is, once each level is rewritten in place. The figures are
// those of the option string as printed, with its rounded bits, and of filters of the given number
// of keys, whole blocks and trailers included. tool_rates_test applies the strings to a database
// and measures.
#ifndef BLOOMLINE_DB_ADVICE_MODEL_ADVICE_H_
#define BLOOMLINE_DB_ADVICE_MODEL_ADVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/db/sstable/table.h"

namespace bloomline::advice {

// A level as it is.
struct Level {
  int number = 0;  // from 0 on; -1: unknown (files on their own), which excludes advice by level
  // Sorted runs that a Get of a missing key in the database's range queries, on average: the files
  // of level 0, else 1; less if the level's files cover only a part of the range. Levels of
  // ascending keys cover about 1 together: bits by level gain nothing then, and are not advised.
  double num_runs = 1;
  uint64_t num_keys = 0;  // distinct keys (and prefixes) in the filters; 0: the level is not used
  // Files, partitions, or LevelDB's filters with keys, those that are missing included. Small ones
  // cost whole blocks.
  uint64_t num_filters = 1;
  uint64_t filter_bytes = 0;  // now; of the filters alone, without their index. 0: no filters
  double wasted_reads = 0;    // now, per Get of a missing key in range: sum of its runs' rates
  // The part of the keys, 0 to 1, in files below which no deeper level has keys. RocksDB's policy
  // gives these files the bits of the deepest level.
  double bottommost_share = 0;
};

struct Situation {
  sstable::Engine engine = sstable::Engine::kRocksDB;
  bool leveled = true;  // else universal or FIFO: no advice by level
  // The kind of RocksDB's own filters that has most of the filters' bytes, kBloom or kRibbon: the
  // first advice is then to keep it, with bits by level. None for filters of bloomline or LevelDB,
  // or unknown ones.
  std::optional<Format> stock_format;
  // Of full levels. Out of range (level_sizing.h), it is taken as 10.
  double level_size_ratio = 10;
  std::vector<Level> levels;  // in ascending order of their numbers
};

struct Request {
  // At most one of the two.
  std::optional<uint64_t> memory_bytes;  // --memory
  std::optional<double> wasted_reads;    // --wasted-reads

  int choice = 1;  // --choice: the one whose settings are shown, from 1 on
};

struct Choice {
  // "RocksDB Bloom by level, same memory": the filters stay as RocksDB itself writes and reads
  // them. "compact by level, same memory": as few wasted reads as possible in the memory of now. Or
  // "same wasted reads", in as little memory as possible; "bits_per_key=10", for levels that lack
  // filters now; "at most the given memory" or "the given rate" of the request.
  std::string title;
  Format format = Format::kCompact;
  bool by_level = false;
  double bits_per_key = 0;            // the option; by level: the average of full levels
  std::vector<double> bits_of_level;  // memory, as Situation::levels; 0: no filter, or no keys
  uint64_t filter_bytes = 0;
  double wasted_reads = 0;
  // The settings; an empty one does not apply (LevelDB has no option strings, and RocksDB's own
  // filters with the same bits in all levels need no environment).
  std::string option_string;  // "{id=bloomline;format=compact;bits_per_key=10;bits_by_level=auto}"
  std::string environment;    // "LD_PRELOAD=libbloomline_rocksdb_preload.so BLOOMLINE_FORMAT=..."

  // RocksDB's own filters: RocksDB without bloomline uses them.
  bool is_stock() const { return format == Format::kBloom || format == Format::kRibbon; }
};

struct Advice {
  uint64_t filter_bytes_now = 0;
  double wasted_reads_now = 0;
  // The recommended one comes first. Without a request, these are only choices that gain at least a
  // twentieth: none if the filters are already as good.
  std::vector<Choice> choices;

  // The choice whose settings the request shows; choices must not be empty.
  const Choice& Chosen(const Request& request) const {
    return choices[static_cast<size_t>(request.choice - 1)];
  }
};

// Returns false with *error, which names the value and the allowed range, if no level has keys, or
// the request is impossible.
bool Advise(const Situation& situation, const Request& request, Advice* advice, std::string* error);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_MODEL_ADVICE_H_
