package bloomline

// #include "batch.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Layout says how the bits of a key lie in a Bloom filter.
type Layout int

const (
	LayoutBlocked    Layout = iota // in one cache line: fastest
	LayoutStandard                 // anywhere: the fewest bits
	LayoutBlocked128               // in 16 bytes
	LayoutBlocked64                // in 8 bytes
)

// BloomFilterOptions are for BloomFilter. Capacity, or NumBits and NumProbes, must be set.
type BloomFilterOptions struct {
	Capacity          uint64  // distinct keys
	FalsePositiveRate float64 // with that many keys; default: 0.01
	NumBits           uint64  // default: chosen for the rate
	NumProbes         int     // default: chosen for the rate
	Layout            Layout
	Seed              uint64 // DrawSeed gives one that outsiders do not know
}

func (o BloomFilterOptions) make() (*C.bloomline_bloomoptions_t, error) {
	options := C.bloomline_bloomoptions_create()
	if options == nil {
		return nil, ErrOutOfMemory
	}
	C.bloomline_bloomoptions_set_capacity(options, C.uint64_t(o.Capacity))
	if o.FalsePositiveRate != 0 {
		C.bloomline_bloomoptions_set_false_positive_rate(options, C.double(o.FalsePositiveRate))
	}
	C.bloomline_bloomoptions_set_num_bits(options, C.uint64_t(o.NumBits))
	C.bloomline_bloomoptions_set_num_probes(options, cInt(o.NumProbes))
	C.bloomline_bloomoptions_set_layout(options, cInt(int(o.Layout)))
	C.bloomline_bloomoptions_set_seed(options, C.uint64_t(o.Seed))
	return options, nil
}

func newBloomFilter(object *C.bloomline_bloom_t, message *C.char) (*BloomFilter, error) {
	h, err := newHandle(object, message,
		func(object *C.bloomline_bloom_t) { C.bloomline_bloom_destroy(object) })
	if err != nil {
		return nil, err
	}
	return &BloomFilter{h}, nil
}

// BloomFilter is for a known number of keys.
type BloomFilter struct{ *handle[*C.bloomline_bloom_t] }

// NewBloomFilter makes an empty filter.
func NewBloomFilter(options BloomFilterOptions) (*BloomFilter, error) {
	cOptions, err := options.make()
	if err != nil {
		return nil, err
	}
	defer C.bloomline_bloomoptions_destroy(cOptions)
	var message *C.char
	object := C.bloomline_bloom_create(cOptions, &message)
	f, err := newBloomFilter(object, message)
	return f, inGo(err)
}

// LoadBloomFilter reads a file that Save wrote, in Go or in another language.
func LoadBloomFilter(path string) (*BloomFilter, error) {
	name, err := readable(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	var message *C.char
	object := C.bloomline_bloom_load(name, &message)
	return newBloomFilter(object, message)
}

// BloomFilterFromBytes makes a filter of what ToBytes returned, or of a saved file.
func BloomFilterFromBytes(bytes []byte) (*BloomFilter, error) {
	var message *C.char
	object := C.bloomline_bloom_from_bytes(pointer(bytes), C.size_t(len(bytes)), &message)
	return newBloomFilter(object, message)
}

// AddKey returns true if the key was certainly not in before.
func (f *BloomFilter) AddKey(key []byte) bool {
	changed := C.bloomline_bloom_add_key(f.changing(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(f.handle)
	return changed
}

// AddKeys returns how many keys were certainly not in before.
func (f *BloomFilter) AddKeys(keys [][]byte) int {
	return sumOfBatches(f.handle, f.changing(), keys, func(object *C.bloomline_bloom_t, n C.size_t,
		data *C.char, lengths *C.size_t) C.size_t {
		return C.batch_bloom_add_keys(object, n, data, lengths)
	})
}

// Merge adds all keys of a filter of the same size, layout and seed.
func (f *BloomFilter) Merge(other *BloomFilter) error {
	if f.isClosed() || other.isClosed() {
		return ErrClosed
	}
	var message *C.char
	ok := C.bloomline_bloom_merge(f.changing(), other.reading(), &message)
	runtime.KeepAlive(f.handle)
	runtime.KeepAlive(other.handle)
	return inGo(failed(ok, message))
}

// Intersect keeps the keys that are in both filters, and some that are in one.
func (f *BloomFilter) Intersect(other *BloomFilter) error {
	if f.isClosed() || other.isClosed() {
		return ErrClosed
	}
	var message *C.char
	ok := C.bloomline_bloom_intersect(f.changing(), other.reading(), &message)
	runtime.KeepAlive(f.handle)
	runtime.KeepAlive(other.handle)
	return inGo(failed(ok, message))
}

// Clear removes all keys.
func (f *BloomFilter) Clear() {
	C.bloomline_bloom_clear(f.changing())
	runtime.KeepAlive(f.handle)
}

// MayMatch returns false if the key was certainly never added.
func (f *BloomFilter) MayMatch(key []byte) bool {
	match := C.bloomline_bloom_may_match(f.reading(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(f.handle)
	return match
}

// MayMatchKeys returns the answer of MayMatch for each key.
func (f *BloomFilter) MayMatchKeys(keys [][]byte) []bool {
	return answerBatches(f.handle, keys, func(object *C.bloomline_bloom_t, n C.size_t, data *C.char,
		lengths *C.size_t, answers *C.uint8_t) {
		C.batch_bloom_may_match_keys(object, n, data, lengths, answers)
	})
}

// Copy makes a copy in memory.
func (f *BloomFilter) Copy() (*BloomFilter, error) {
	if f.isClosed() {
		return nil, ErrClosed
	}
	var message *C.char
	object := C.bloomline_bloom_copy(f.reading(), &message)
	runtime.KeepAlive(f.handle)
	return newBloomFilter(object, message)
}

// Save writes a file, which is replaced as a whole or not at all.
func (f *BloomFilter) Save(path string) error {
	return save(f.handle, path, func(object *C.bloomline_bloom_t, name *C.char,
		message **C.char) C.uint8_t {
		return C.bloomline_bloom_save(object, name, message)
	})
}

// ToBytes returns the bytes that Save writes.
func (f *BloomFilter) ToBytes() ([]byte, error) {
	return toBytes(f.handle, func(object *C.bloomline_bloom_t, n *C.size_t, message **C.char) *C.char {
		return C.bloomline_bloom_to_bytes(object, n, message)
	})
}

// Equal is true if both filters have the same options and bits.
func (f *BloomFilter) Equal(other *BloomFilter) bool {
	equal := C.bloomline_bloom_equal(f.reading(), other.reading()) != 0
	runtime.KeepAlive(f.handle)
	runtime.KeepAlive(other.handle)
	return equal
}

// Layout returns the layout of the bits.
func (f *BloomFilter) Layout() Layout {
	defer runtime.KeepAlive(f.handle)
	return Layout(C.bloomline_bloom_layout(f.reading()))
}

// NumBits returns the memory of the filter, in bits.
func (f *BloomFilter) NumBits() uint64 {
	defer runtime.KeepAlive(f.handle)
	return uint64(C.bloomline_bloom_num_bits(f.reading()))
}

// NumProbes returns the bits of a key, k.
func (f *BloomFilter) NumProbes() int {
	defer runtime.KeepAlive(f.handle)
	return int(C.bloomline_bloom_num_probes(f.reading()))
}

// Seed returns the seed.
func (f *BloomFilter) Seed() uint64 {
	defer runtime.KeepAlive(f.handle)
	return uint64(C.bloomline_bloom_seed(f.reading()))
}

// Capacity returns the distinct keys up to which the filter keeps its false-positive rate.
func (f *BloomFilter) Capacity() uint64 {
	defer runtime.KeepAlive(f.handle)
	return uint64(C.bloomline_bloom_capacity(f.reading()))
}

// NumKeys returns the keys added, less those that matched already.
func (f *BloomFilter) NumKeys() uint64 {
	defer runtime.KeepAlive(f.handle)
	return uint64(C.bloomline_bloom_num_keys(f.reading()))
}

// IsPastCapacity is true if more keys were added than the capacity.
func (f *BloomFilter) IsPastCapacity() bool {
	defer runtime.KeepAlive(f.handle)
	return C.bloomline_bloom_is_past_capacity(f.reading()) != 0
}

// EstimatedNumKeys returns the number of distinct keys by the bits, all of which it reads.
func (f *BloomFilter) EstimatedNumKeys() uint64 {
	defer runtime.KeepAlive(f.handle)
	return uint64(C.bloomline_bloom_estimated_num_keys(f.reading()))
}

// EstimatedFalsePositiveRate returns the rate with the keys added so far. It reads all bits.
func (f *BloomFilter) EstimatedFalsePositiveRate() float64 {
	defer runtime.KeepAlive(f.handle)
	return float64(C.bloomline_bloom_estimated_false_positive_rate(f.reading()))
}
