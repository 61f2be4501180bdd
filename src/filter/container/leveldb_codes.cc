#include "src/filter/container/leveldb_codes.h"

namespace bloomline::filter {

char LevelDBCode(const FilterShape& shape) {
  switch (shape.layout) {
    case Layout::kClassic:
      return static_cast<char>(shape.num_probes);
    case Layout::kFlat:
      return static_cast<char>(kFlatCodeBase + shape.num_probes);
    case Layout::kBlocked:
      return static_cast<char>(kBlockedCodeBase + shape.num_probes);
    case Layout::kSmallSet:
      return static_cast<char>(shape.num_blocks == 1
                                   ? kOneBlockCode + int(shape.first_attempt / kAttemptsPerCode)
                                   : kSeveralBlocksCodeBase + int(shape.num_blocks));
    case Layout::kCompact:  // not used in LevelDB
    case Layout::kAlwaysMatch:
      break;
  }
  return kLevelDBAlwaysMatch.back();
}

}  // namespace bloomline::filter
