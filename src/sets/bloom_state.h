// The content of a Bloom filter: its bits and figures, and what it shares with a counting filter.
#ifndef BLOOMLINE_SETS_BLOOM_STATE_H_
#define BLOOMLINE_SETS_BLOOM_STATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "bloomline/bloom_filter.h"
#include "src/sets/bloom_bits.h"
#include "src/sets/saved_filter.h"
#include "src/support/memory.h"
#include "src/support/number_text.h"

namespace bloomline::sets {

// What the states of Bloom filters and counting filters share. State has kPayload, header()
// (without payload_offset and payload_checksum), payload() and New(shape, capacity, error).
template <typename State>
struct SavedState {
  uint64_t capacity = 0;
  uint64_t num_keys = 0;
  support::AlignedMemory memory;

  // Returns a state with num_bytes zero bytes. If memory for `what` runs out, it returns null, with
  // one sentence in *error unless `error` is null.
  static std::unique_ptr<State> Zeroed(uint64_t num_bytes, uint64_t capacity, const char* what,
                                       std::string* error) {
    auto state = std::make_unique<State>();
    state->capacity = capacity;
    state->memory = support::AlignedMemory::Zeroed(num_bytes);
    if (state->memory.data() != nullptr) return state;
    support::Refuse(error, "out of memory: ", num_bytes, " bytes for the filter's ", what);
    return nullptr;
  }

  uint64_t SavedBytes() const { return kFileHeaderBytes + self().header().payload_bytes; }

  bool AppendTo(support::ByteSink* sink, std::string* error) const {
    return AppendFilter(State::kPayload, self().header(), self().payload(), sink, error);
  }

  // Returns the filter. Returns null and sets *error if memory runs out or the checksum is wrong.
  static std::unique_ptr<State> Read(const support::ByteSource& source,
                                     const BloomFileHeader& header, std::string* error) {
    std::unique_ptr<State> state = State::New(header.shape, header.capacity, error);
    if (state == nullptr ||
        !source.ReadAt(header.payload_offset, header.payload_bytes, state->payload(), error) ||
        !PayloadMatches(source, header, state->payload(), error)) {
      return nullptr;
    }
    state->num_keys = header.num_keys;
    return state;
  }

  // Reads a source that holds one filter and nothing else.
  static std::unique_ptr<State> ReadSole(const support::ByteSource& source, std::string* error) {
    BloomFileHeader header;
    if (!ReadSoleBloomHeader(source, State::kPayload, &header, error)) return nullptr;
    return Read(source, header, error);
  }

 private:
  const State& self() const { return static_cast<const State&>(*this); }
};

struct BloomState : SavedState<BloomState> {
  static constexpr FilePayload kPayload = FilePayload::kBits;

  BloomBits bits;

  // Returns a state whose bits are all zero. If memory runs out, it returns null, with one sentence
  // in *error unless `error` is null.
  static std::unique_ptr<BloomState> New(const BloomShape& shape, uint64_t capacity,
                                         std::string* error);

  // Returns a copy, or null as above. Other threads may add keys to `from` meanwhile.
  static std::unique_ptr<BloomState> Copy(const BloomState& from, std::string* error);

  // The state of a filter.
  static BloomState& Of(const BloomFilterBase& filter) { return *filter.state_; }

  // Takes the state out of a filter, which can then only be destroyed or assigned to.
  static std::unique_ptr<BloomState> Take(BloomFilterBase* filter) {
    return std::move(filter->state_);
  }

  // Returns a filter with this state, or null if it is null.
  static std::unique_ptr<BloomFilter> ToFilter(std::unique_ptr<BloomState> state) {
    if (state == nullptr) return nullptr;
    return NewFilter([&] { return std::move(state); });
  }

  // Returns a filter with the state that take() returns. It is called after the allocation, so
  // nothing is taken if memory runs out.
  template <typename TakeState>
  static std::unique_ptr<BloomFilter> NewFilter(TakeState take) {
    return std::unique_ptr<BloomFilter>(new BloomFilter(take()));
  }

  BloomFileHeader header() const {
    return {bits.shape, capacity, num_keys, bits.num_bytes(), 0, 0};
  }
  char* payload() const { return bits.data; }
};

}  // namespace bloomline::sets

#endif  // BLOOMLINE_SETS_BLOOM_STATE_H_
