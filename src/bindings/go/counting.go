package bloomline

// #include "batch.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// CountingBloomFilterOptions must have Capacity, or NumCounters and NumProbes.
type CountingBloomFilterOptions struct {
	Capacity          uint64  // distinct keys at the same time
	FalsePositiveRate float64 // default: 0.01
	NumCounters       uint64  // default: chosen for the rate
	NumProbes         int     // default: chosen for the rate
	CounterBits       int     // 4 or 8; default: 4
	Seed              uint64
}

// CountingBloomFilter has counters in the place of bits, so that keys can be removed. Remove only
// what was added.
type CountingBloomFilter struct {
	owner *handle[*C.bloomline_counting_t]
}

func (f *CountingBloomFilter) h() *handle[*C.bloomline_counting_t] {
	if f == nil {
		return nil
	}
	return f.owner
}

func newCounting(object *C.bloomline_counting_t, message *C.char) (*CountingBloomFilter, error) {
	h, err := newHandle(object, message,
		func(object *C.bloomline_counting_t) { C.bloomline_counting_destroy(object) })
	if err != nil {
		return nil, err
	}
	return &CountingBloomFilter{h}, nil
}

// NewCountingBloomFilter makes an empty filter.
func NewCountingBloomFilter(o CountingBloomFilterOptions) (*CountingBloomFilter, error) {
	options := C.bloomline_countingoptions_create()
	if options == nil {
		return nil, ErrOutOfMemory
	}
	defer C.bloomline_countingoptions_destroy(options)
	C.bloomline_countingoptions_set_capacity(options, C.uint64_t(o.Capacity))
	if o.FalsePositiveRate != 0 {
		C.bloomline_countingoptions_set_false_positive_rate(options, C.double(o.FalsePositiveRate))
	}
	C.bloomline_countingoptions_set_num_counters(options, C.uint64_t(o.NumCounters))
	C.bloomline_countingoptions_set_num_probes(options, cInt(o.NumProbes))
	if o.CounterBits != 0 {
		C.bloomline_countingoptions_set_counter_bits(options, cInt(o.CounterBits))
	}
	C.bloomline_countingoptions_set_seed(options, C.uint64_t(o.Seed))
	var message *C.char
	object := C.bloomline_counting_create(options, &message)
	f, err := newCounting(object, message)
	return f, inGo(err)
}

// LoadCountingBloomFilter reads a file that Save wrote.
func LoadCountingBloomFilter(path string) (*CountingBloomFilter, error) {
	name, err := readable(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	var message *C.char
	object := C.bloomline_counting_load(name, &message)
	return newCounting(object, message)
}

// CountingBloomFilterFromBytes makes a filter of what ToBytes returned.
func CountingBloomFilterFromBytes(bytes []byte) (*CountingBloomFilter, error) {
	var message *C.char
	object := C.bloomline_counting_from_bytes(pointer(bytes), C.size_t(len(bytes)), &message)
	return newCounting(object, message)
}

// Close frees the memory.
func (f *CountingBloomFilter) Close() error { f.h().close(); return nil }

// AddKey returns true if the key was certainly not in before.
func (f *CountingBloomFilter) AddKey(key []byte) bool {
	added := C.bloomline_counting_add_key(f.h().changing(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(f.h())
	return added
}

// RemoveKey returns false if the key is certainly not in; then nothing changed.
func (f *CountingBloomFilter) RemoveKey(key []byte) bool {
	matched := C.bloomline_counting_remove_key(f.h().changing(), pointer(key),
		C.size_t(len(key))) != 0
	runtime.KeepAlive(f.h())
	return matched
}

// MayMatch returns false if the key is certainly not in.
func (f *CountingBloomFilter) MayMatch(key []byte) bool {
	match := C.bloomline_counting_may_match(f.h().reading(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(f.h())
	return match
}

// EstimatedCount returns how often the key is in. It may be more, and is never less, up to
// MaxCount.
func (f *CountingBloomFilter) EstimatedCount(key []byte) uint32 {
	defer runtime.KeepAlive(f.h())
	return uint32(C.bloomline_counting_estimated_count(f.h().reading(), pointer(key),
		C.size_t(len(key))))
}

// AddKeys returns how many keys were certainly not in before.
func (f *CountingBloomFilter) AddKeys(keys [][]byte) int {
	return sumOfBatches(f.h(), f.h().changing(), keys, func(object *C.bloomline_counting_t, n C.size_t,
		data *C.char, lengths *C.size_t) C.size_t {
		return C.batch_counting_add_keys(object, n, data, lengths)
	})
}

// RemoveKeys returns how many keys matched.
func (f *CountingBloomFilter) RemoveKeys(keys [][]byte) int {
	return sumOfBatches(f.h(), f.h().changing(), keys, func(object *C.bloomline_counting_t, n C.size_t,
		data *C.char, lengths *C.size_t) C.size_t {
		return C.batch_counting_remove_keys(object, n, data, lengths)
	})
}

// MayMatchKeys returns the answer of MayMatch for each key.
func (f *CountingBloomFilter) MayMatchKeys(keys [][]byte) []bool {
	return answerBatches(f.h(), keys, func(object *C.bloomline_counting_t, n C.size_t, data *C.char,
		lengths *C.size_t, answers *C.uint8_t) {
		C.batch_counting_may_match_keys(object, n, data, lengths, answers)
	})
}

// Merge adds all counts of a filter of the same size, probes and seed.
func (f *CountingBloomFilter) Merge(other *CountingBloomFilter) error {
	if f.h().isClosed() || other.h().isClosed() {
		return ErrClosed
	}
	var message *C.char
	ok := C.bloomline_counting_merge(f.h().changing(), other.h().reading(), &message)
	runtime.KeepAlive(f.h())
	runtime.KeepAlive(other.h())
	return inGo(failed(ok, message))
}

// Save writes a file, which is replaced as a whole or not at all.
func (f *CountingBloomFilter) Save(path string) error {
	return save(f.h(), path, func(object *C.bloomline_counting_t, name *C.char,
		message **C.char) C.uint8_t {
		return C.bloomline_counting_save(object, name, message)
	})
}

// ToBytes returns the bytes that Save writes.
func (f *CountingBloomFilter) ToBytes() ([]byte, error) {
	return toBytes(f.h(), func(object *C.bloomline_counting_t, n *C.size_t,
		message **C.char) *C.char {
		return C.bloomline_counting_to_bytes(object, n, message)
	})
}

// ToBloomFilter makes a BloomFilter with the same answers, in a quarter or an eighth of the memory.
func (f *CountingBloomFilter) ToBloomFilter() (*BloomFilter, error) {
	if f.h().isClosed() {
		return nil, ErrClosed
	}
	var message *C.char
	object := C.bloomline_counting_create_bloom(f.h().reading(), &message)
	runtime.KeepAlive(f.h())
	return newBloomFilter(object, message)
}

// Clear removes all keys.
func (f *CountingBloomFilter) Clear() {
	C.bloomline_counting_clear(f.h().changing())
	runtime.KeepAlive(f.h())
}

// Equal is true if both filters have the same options and counters.
func (f *CountingBloomFilter) Equal(other *CountingBloomFilter) bool {
	object := f.h().reading()
	equal := C.bloomline_counting_equal(object, other.h().reading()) != 0
	runtime.KeepAlive(f.h())
	runtime.KeepAlive(other.h())
	return equal
}

// NumCounters returns the number of counters.
func (f *CountingBloomFilter) NumCounters() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_counting_num_counters(f.h().reading()))
}

// CounterBits returns 4 or 8.
func (f *CountingBloomFilter) CounterBits() int {
	defer runtime.KeepAlive(f.h())
	return int(C.bloomline_counting_counter_bits(f.h().reading()))
}

// NumProbes returns the counters of a key, k.
func (f *CountingBloomFilter) NumProbes() int {
	defer runtime.KeepAlive(f.h())
	return int(C.bloomline_counting_num_probes(f.h().reading()))
}

// Seed returns the seed.
func (f *CountingBloomFilter) Seed() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_counting_seed(f.h().reading()))
}

// Capacity returns the distinct keys up to which the filter keeps its false-positive rate.
func (f *CountingBloomFilter) Capacity() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_counting_capacity(f.h().reading()))
}

// MaxCount returns where counters stop. A key whose counters all stopped can no longer be removed.
func (f *CountingBloomFilter) MaxCount() uint32 {
	defer runtime.KeepAlive(f.h())
	return uint32(C.bloomline_counting_max_count(f.h().reading()))
}

// NumKeys returns the keys added, less those removed.
func (f *CountingBloomFilter) NumKeys() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_counting_num_keys(f.h().reading()))
}

// NumSaturatedCounters returns the counters that stopped.
func (f *CountingBloomFilter) NumSaturatedCounters() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_counting_num_saturated_counters(f.h().reading()))
}
