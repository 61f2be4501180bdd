package bloomline

// #include "batch.h"
import "C"

import "runtime"

// AtomicBloomFilter is a Bloom filter that goroutines change and query at the same time.
type AtomicBloomFilter struct {
	owner *handle[*C.bloomline_atomic_t]
}

func (f *AtomicBloomFilter) h() *handle[*C.bloomline_atomic_t] {
	if f == nil {
		return nil
	}
	return f.owner
}

func newAtomic(object *C.bloomline_atomic_t, message *C.char) (*AtomicBloomFilter, error) {
	h, err := newHandle(object, message,
		func(object *C.bloomline_atomic_t) { C.bloomline_atomic_destroy(object) })
	if err != nil {
		return nil, err
	}
	return &AtomicBloomFilter{h}, nil
}

// NewAtomicBloomFilter makes an empty filter.
func NewAtomicBloomFilter(options BloomFilterOptions) (*AtomicBloomFilter, error) {
	cOptions, err := options.make()
	if err != nil {
		return nil, err
	}
	defer C.bloomline_bloomoptions_destroy(cOptions)
	var message *C.char
	object := C.bloomline_atomic_create(cOptions, &message)
	f, err := newAtomic(object, message)
	return f, inGo(err)
}

// AtomicFromBloomFilter takes the keys and the memory of a filter, which is then closed.
func AtomicFromBloomFilter(from *BloomFilter) (*AtomicBloomFilter, error) {
	if from.h().isClosed() {
		return nil, ErrClosed
	}
	object := C.bloomline_atomic_from_bloom(from.h().changing())
	if object != nil {
		from.h().release()
	}
	runtime.KeepAlive(from.h())
	return newAtomic(object, nil)
}

// ToBloomFilter gives the keys and the memory to a BloomFilter; this filter is then closed.
func (f *AtomicBloomFilter) ToBloomFilter() (*BloomFilter, error) {
	if f.h().isClosed() {
		return nil, ErrClosed
	}
	object := C.bloomline_atomic_to_bloom(f.h().changing())
	if object != nil {
		f.h().release()
	}
	runtime.KeepAlive(f.h())
	return newBloomFilter(object, nil)
}

// Snapshot makes a copy, for example to save it while other goroutines go on.
func (f *AtomicBloomFilter) Snapshot() (*BloomFilter, error) {
	if f.h().isClosed() {
		return nil, ErrClosed
	}
	var message *C.char
	object := C.bloomline_atomic_snapshot(f.h().reading(), &message)
	runtime.KeepAlive(f.h())
	return newBloomFilter(object, message)
}

// Close frees the memory.
func (f *AtomicBloomFilter) Close() error { f.h().close(); return nil }

// AddKey returns true if the key was certainly not in before.
func (f *AtomicBloomFilter) AddKey(key []byte) bool {
	changed := C.bloomline_atomic_add_key(f.h().reading(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(f.h())
	return changed
}

// AddKeys returns how many keys were certainly not in before.
func (f *AtomicBloomFilter) AddKeys(keys [][]byte) int {
	return sumOfBatches(f.h(), f.h().reading(), keys, func(object *C.bloomline_atomic_t, n C.size_t,
		data *C.char, lengths *C.size_t) C.size_t {
		return C.batch_atomic_add_keys(object, n, data, lengths)
	})
}

// MayMatch returns false if the key was certainly never added.
func (f *AtomicBloomFilter) MayMatch(key []byte) bool {
	match := C.bloomline_atomic_may_match(f.h().reading(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(f.h())
	return match
}

// MayMatchKeys returns the answer of MayMatch for each key.
func (f *AtomicBloomFilter) MayMatchKeys(keys [][]byte) []bool {
	return answerBatches(f.h(), keys, func(object *C.bloomline_atomic_t, n C.size_t, data *C.char,
		lengths *C.size_t, answers *C.uint8_t) {
		C.batch_atomic_may_match_keys(object, n, data, lengths, answers)
	})
}

// Layout returns the layout of the bits.
func (f *AtomicBloomFilter) Layout() Layout {
	defer runtime.KeepAlive(f.h())
	return Layout(C.bloomline_atomic_layout(f.h().reading()))
}

// NumBits returns the memory of the filter, in bits.
func (f *AtomicBloomFilter) NumBits() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_atomic_num_bits(f.h().reading()))
}

// NumProbes returns the bits of a key, k.
func (f *AtomicBloomFilter) NumProbes() int {
	defer runtime.KeepAlive(f.h())
	return int(C.bloomline_atomic_num_probes(f.h().reading()))
}

// Seed returns the seed.
func (f *AtomicBloomFilter) Seed() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_atomic_seed(f.h().reading()))
}

// Capacity returns the distinct keys up to which the filter keeps its false-positive rate.
func (f *AtomicBloomFilter) Capacity() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_atomic_capacity(f.h().reading()))
}

// EstimatedNumKeys returns the number of distinct keys by the bits, all of which it reads.
func (f *AtomicBloomFilter) EstimatedNumKeys() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_atomic_estimated_num_keys(f.h().reading()))
}

// EstimatedFalsePositiveRate returns the rate with the keys added so far. It reads all bits.
func (f *AtomicBloomFilter) EstimatedFalsePositiveRate() float64 {
	defer runtime.KeepAlive(f.h())
	return float64(C.bloomline_atomic_estimated_false_positive_rate(f.h().reading()))
}
