// Names for known bytes that are not a static filter, for errors and reasons.
#ifndef BLOOMLINE_FILTER_CONTAINER_OTHER_CONTENTS_H_
#define BLOOMLINE_FILTER_CONTAINER_OTHER_CONTENTS_H_

#include <string_view>

namespace bloomline::filter {

// The first 8 bytes of saved filters (docs/format.md, sections 8 to 10).
constexpr char kBloomMagic[] = "bLnBloom";
constexpr char kScalableMagic[] = "bLnScale";
constexpr char kCountingMagic[] = "bLnCount";

// "a saved BloomFilter" and the like, by the first bytes; empty for others.
std::string_view SavedKind(std::string_view bytes);

// "a table (SSTable) of LevelDB" and the like, by the last bytes; empty for others.
std::string_view TableKind(std::string_view bytes);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_CONTAINER_OTHER_CONTENTS_H_
