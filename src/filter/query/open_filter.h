// The choice of a filter's query functions, made once when it is opened: by FilterView and RocksDB.
#ifndef BLOOMLINE_FILTER_QUERY_OPEN_FILTER_H_
#define BLOOMLINE_FILTER_QUERY_OPEN_FILTER_H_

#include "bloomline/inline_query.h"
#include "src/filter/format/layout.h"
#include "src/filter/kernels/kernel.h"

namespace bloomline::filter {

// payload: of the trailer container.
OpenFilter Opened(const Payload& payload, const kernels::Kernel& kernel);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_QUERY_OPEN_FILTER_H_
