// Shapes of keys with fields of fixed width. A range ends at the next value of a field, such as
// [user:000017:, user:000018:).
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_PADDED_SHAPES_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_PADDED_SHAPES_H_

#include <vector>

#include "db_bench_ext/databases/range_shapes.h"

namespace bloomline::bench::ranges {

// Each shape twice: the second time with foreign keys, a short one and a long one among 5,000.
std::vector<Shape> PaddedShapes();

}  // namespace bloomline::bench::ranges

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_PADDED_SHAPES_H_
