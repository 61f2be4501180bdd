// Size and false-positive rate of one filter, as bloomline writes it into tables of an engine.
#ifndef BLOOMLINE_INSPECT_ADVICE_FILTER_FIGURES_H_
#define BLOOMLINE_INSPECT_ADVICE_FILTER_FIGURES_H_

#include <cstdint>

#include "bloomline/filter_options.h"
#include "src/inspect/sstable/table.h"

namespace bloomline::advice {

struct FilterFigures {
  double bytes_per_key = 0;  // whole blocks and the trailer or code included
  double rate = 1;
};

// Of one filter of num_keys keys, at least 1. bits_per_key is 0, no filter, or allowed in `format`,
// which is kBlocked or kCompact. Takes up to 1 ms.
FilterFigures FiguresOf(sstable::Engine engine, Format format, uint64_t num_keys,
                        double bits_per_key);

// Of RocksDB's files or partitions of num_keys keys on average. They are cut at the end of a data
// block, of an index partition, or where a filter is full. So their sizes differ, and what one
// filter loses to a whole block another one gains.
FilterFigures MeanFiguresOf(sstable::Engine engine, Format format, uint64_t num_keys,
                            double bits_per_key);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_INSPECT_ADVICE_FILTER_FIGURES_H_
