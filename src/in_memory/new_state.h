// The memory of a filter and what is kept beside it, in one step that can fail.
#ifndef BLOOMLINE_IN_MEMORY_NEW_STATE_H_
#define BLOOMLINE_IN_MEMORY_NEW_STATE_H_

#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "src/support/error_text.h"
#include "src/support/filter_memory.h"
#include "src/support/out_of_memory.h"

namespace bloomline::in_memory {

// A State, which is BloomState or CountingState, whose memory has num_bytes zero bytes. Null, with
// one sentence in *error unless that is null, if there is no memory for `what`.
template <typename State>
std::unique_ptr<State> NewState(uint64_t num_bytes, const char* what, std::string* error) {
  std::unique_ptr<State> state(new (std::nothrow) State);
  if (state != nullptr) state->memory = support::FilterMemory::Zeroed(num_bytes);
  if (state != nullptr && state->memory.data() != nullptr) return state;
  support::ErrorText text;
  text << support::kOutOfMemory << ": " << num_bytes << " bytes for the filter's " << what;
  support::SetError(text, error);
  return nullptr;
}

}  // namespace bloomline::in_memory

#endif  // BLOOMLINE_IN_MEMORY_NEW_STATE_H_
