// What bloomline's filters would do for a database: from its levels, keys, filter bytes and rates,
// the wasted reads per Get of a missing key now, and those with bloomline at the same memory, the
// memory at the same wasted reads, or for a given memory or rate; uniform and by level. Ends in
// what to set. Pure calculation (bloomline/level_sizing.h); reads no file.
#ifndef BLOOMLINE_ADVICE_ADVICE_H_
#define BLOOMLINE_ADVICE_ADVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/sstable/table.h"

namespace bloomline::advice {

// A level as it is.
struct Level {
  int number = 0;
  double num_runs = 1;        // sorted runs that a Get queries: files of level 0; else 1
  uint64_t num_keys = 0;      // distinct keys in the filters
  uint64_t filter_bytes = 0;  // now
  double wasted_reads = 0;    // now, per Get of a missing key in range: sum of its runs' rates
};

struct Situation {
  sstable::Engine engine = sstable::Engine::kRocksDB;
  bool leveled = true;  // else universal or FIFO: no advice by level
  bool partitioned = false;
  uint64_t keys_per_filter = 0;  // median; small filters cost whole blocks
  std::vector<Level> levels;     // by number
};

struct Request {
  std::optional<uint64_t> memory_bytes;  // --memory
  std::optional<double> wasted_reads;    // --rate
};

struct Choice {
  std::string title;  // "compact by level, the same memory"
  Format format = Format::kCompact;
  bool by_level = false;
  double bits_per_key = 0;            // on average
  std::vector<double> bits_of_level;  // as Situation::levels
  uint64_t filter_bytes = 0;
  double wasted_reads = 0;
  // How to get it; an empty one does not apply (LevelDB has no option strings).
  std::string option_string;  // "{id=bloomline;format=compact;bits_per_key=10;bits_by_level=auto}"
  std::string environment;    // "LD_PRELOAD=libbloomline_rocksdb_preload.so BLOOMLINE_..."
  std::string code;           // C++
};

struct Advice {
  uint64_t filter_bytes_now = 0;
  double wasted_reads_now = 0;
  std::vector<Choice> choices;  // the recommended one first
  std::vector<std::string> remarks;
};

// False with *error: the request is impossible; it names the value and the allowed range.
bool Advise(const Situation& situation, const Request& request, Advice* advice, std::string* error);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_ADVICE_ADVICE_H_
