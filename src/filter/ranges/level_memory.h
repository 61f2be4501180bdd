// The memory of range entries by level.
#ifndef BLOOMLINE_FILTER_RANGES_LEVEL_MEMORY_H_
#define BLOOMLINE_FILTER_RANGES_LEVEL_MEMORY_H_

#include "src/filter/ranges/choice_constants.h"
#include "src/filter/sizing/left_over.h"

namespace bloomline::filter {

// Returns the memory that a key of a new file gets for range entries, relative to that of the mean
// key of the tree. Upper levels get more, as far as the mean allows:
//
// - Levels 1 and below share out their own memory. So a file's memory follows from the keys of the
//   levels alone, and the memory of older files needs no account, because what a level's key gets
//   changes little while levels grow.
// - Files of level 0 get the mean, and a twenty-fifth of the memory of all files in addition. If
//   flushed files are not merged but moved down, they only get the mean, because they keep it.
//
// Returns 1 if the tree has no keys in that level, and below level 0 of universal compaction, whose
// levels have no targets.
double LevelMemory(const TreeFill& tree, int level, bool merges_flushes,
                   const ChoiceConstants& constants = {});

// Whether no level below has keys.
bool IsLastLevel(const TreeFill& tree, int level);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_LEVEL_MEMORY_H_
