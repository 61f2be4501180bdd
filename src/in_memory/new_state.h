// The memory of a filter and what is kept beside it, in one step that can fail.
#ifndef BLOOMLINE_IN_MEMORY_NEW_STATE_H_
#define BLOOMLINE_IN_MEMORY_NEW_STATE_H_

#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "src/errors/error_text.h"
#include "src/errors/out_of_memory.h"
#include "src/memory/filter_memory.h"

namespace bloomline::filters {

// A State, which is BloomState or CountingState, whose memory has num_bytes zero bytes. Null, with
// one sentence in *error unless that is null, if there is no memory for `what`.
template <typename State>
std::unique_ptr<State> NewState(uint64_t num_bytes, const char* what, std::string* error) {
  std::unique_ptr<State> state(new (std::nothrow) State);
  if (state != nullptr) state->memory = FilterMemory::Zeroed(num_bytes);
  if (state != nullptr && state->memory.data() != nullptr) return state;
  core::ErrorText text;
  text << core::kOutOfMemory << ": " << num_bytes << " bytes for the filter's " << what;
  core::SetError(text, error);
  return nullptr;
}

}  // namespace bloomline::filters

#endif  // BLOOMLINE_IN_MEMORY_NEW_STATE_H_
