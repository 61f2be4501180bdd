// Compact queries in plain C++: the specification.
#include "src/filter/layouts/compact/compact_query.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/layouts/kernel.h"

namespace bloomline::kernels {
namespace {

struct Query : PlainQuery<Query> {};

}  // namespace

CompactKernel PortableCompact() { return CompactKernelOf<Query>(PortableSolveCompact); }

}  // namespace bloomline::kernels
