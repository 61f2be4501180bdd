// The choice of a filter's query functions, made once when it is opened.
#ifndef BLOOMLINE_QUERY_OPEN_FILTER_H_
#define BLOOMLINE_QUERY_OPEN_FILTER_H_

#include "bloomline/inline_query.h"
#include "src/format/layout.h"
#include "src/kernels/kernel.h"

namespace bloomline::core {

OpenFilter Opened(const Payload& payload, const kernels::Kernel& kernel);

}  // namespace bloomline::core

#endif  // BLOOMLINE_QUERY_OPEN_FILTER_H_
