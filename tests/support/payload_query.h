// A query of a payload of any layout, also of one that only an open filter can query.
#ifndef BLOOMLINE_TESTS_SUPPORT_PAYLOAD_QUERY_H_
#define BLOOMLINE_TESTS_SUPPORT_PAYLOAD_QUERY_H_

#include <cstdint>

#include "src/filter/table/layout_table.h"
#include "src/filter/view/hash_query.h"

namespace bloomline::tests {

// `hash` is as in filter::HashMayMatch.
inline bool PayloadMayMatch(const filter::Payload& payload, const kernels::Kernel& kernel,
                            uint64_t hash) {
  if (payload.layout != filter::Layout::kRibbon) {
    return filter::HashMayMatch(payload, kernel, hash);
  }
  const filter::OpenFilter opened = filter::Opened(payload, kernel);
  return opened.may_match(opened, hash);
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_PAYLOAD_QUERY_H_
