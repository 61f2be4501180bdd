package bloomline

// #include "batch.h"
import "C"

import (
	"os"
	"runtime"
)

// Layout says how the bits of a key lie in a Bloom filter.
type Layout int

const (
	LayoutBlocked    Layout = iota // in one cache line: fastest
	LayoutStandard                 // anywhere: the fewest bits
	LayoutBlocked128               // in 16 bytes
	LayoutBlocked64                // in 8 bytes
)

// BloomFilterOptions has the options of BloomFilter. Set Capacity, or NumBits and NumProbes.
type BloomFilterOptions struct {
	Capacity          uint64  // distinct keys
	FalsePositiveRate float64 // with Capacity keys; default: 0.01
	NumBits           uint64  // default: chosen for the rate
	NumProbes         int     // default: chosen for the rate
	Layout            Layout
	Seed              uint64 // DrawSeed gives a seed that outsiders do not know
}

func (o BloomFilterOptions) make() *C.bloomline_bloomoptions_t {
	options := C.bloomline_bloomoptions_create()
	C.bloomline_bloomoptions_set_capacity(options, C.uint64_t(o.Capacity))
	if o.FalsePositiveRate != 0 {
		C.bloomline_bloomoptions_set_false_positive_rate(options, C.double(o.FalsePositiveRate))
	}
	C.bloomline_bloomoptions_set_num_bits(options, C.uint64_t(o.NumBits))
	C.bloomline_bloomoptions_set_num_probes(options, cInt(o.NumProbes))
	C.bloomline_bloomoptions_set_layout(options, cInt(int(o.Layout)))
	C.bloomline_bloomoptions_set_seed(options, C.uint64_t(o.Seed))
	return options
}

// BloomFilter is a Bloom filter for a known number of keys.
type BloomFilter struct{ *handle[*C.bloomline_bloom_t] }

func newBloomFilter(object *C.bloomline_bloom_t, message *C.char) (*BloomFilter, error) {
	h, err := newHandle(object, message,
		func(object *C.bloomline_bloom_t) { C.bloomline_bloom_destroy(object) })
	if err != nil {
		return nil, err
	}
	return &BloomFilter{h}, nil
}

// NewBloomFilter makes an empty filter.
func NewBloomFilter(options BloomFilterOptions) (*BloomFilter, error) {
	cOptions := options.make()
	defer C.bloomline_bloomoptions_destroy(cOptions)
	var message *C.char
	object := C.bloomline_bloom_create(cOptions, &message)
	return newBloomFilter(object, message)
}

// LoadBloomFilter reads a file that Save wrote, in Go or in another language.
func LoadBloomFilter(path string) (*BloomFilter, error) {
	name, err := cPath(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil { // errors.Is recognizes this error, unlike C's
		return nil, err
	}
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
	changed := C.bloomline_bloom_add_key(f.open(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(f.handle)
	return changed
}

// AddKeys returns how many keys were certainly not in before.
func (f *BloomFilter) AddKeys(keys [][]byte) int {
	defer runtime.KeepAlive(f.handle)
	object, sum := f.open(), 0
	eachBatch(keys, func(_ int, n C.size_t, data *C.char, lengths *C.size_t) {
		sum += int(C.batch_bloom_add_keys(object, n, data, lengths))
	})
	return sum
}

// Merge adds all keys of a filter of the same size, layout and seed.
func (f *BloomFilter) Merge(other *BloomFilter) error {
	defer runtime.KeepAlive(f.handle)
	defer runtime.KeepAlive(other.handle)
	var message *C.char
	return failed(C.bloomline_bloom_merge(f.open(), other.open(), &message), message)
}

// Intersect keeps the keys that are in both filters, and some that are in one.
func (f *BloomFilter) Intersect(other *BloomFilter) error {
	defer runtime.KeepAlive(f.handle)
	defer runtime.KeepAlive(other.handle)
	var message *C.char
	return failed(C.bloomline_bloom_intersect(f.open(), other.open(), &message), message)
}

// Clear removes all keys.
func (f *BloomFilter) Clear() {
	defer runtime.KeepAlive(f.handle)
	C.bloomline_bloom_clear(f.open())
}

// MayMatch returns false if the key was certainly never added.
func (f *BloomFilter) MayMatch(key []byte) bool {
	match := C.bloomline_bloom_may_match(f.open(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(f.handle) // a defer takes 3 ns
	return match
}

// MayMatchKeys returns the answer of MayMatch for each key.
func (f *BloomFilter) MayMatchKeys(keys [][]byte) []bool {
	defer runtime.KeepAlive(f.handle)
	object, answers := f.open(), make([]bool, len(keys))
	eachBatch(keys, func(start int, n C.size_t, data *C.char, lengths *C.size_t) {
		C.batch_bloom_may_match_keys(object, n, data, lengths, answer(answers, start))
	})
	return answers
}

// Copy makes a copy in memory.
func (f *BloomFilter) Copy() (*BloomFilter, error) {
	defer runtime.KeepAlive(f.handle)
	var message *C.char
	object := C.bloomline_bloom_copy(f.open(), &message)
	return newBloomFilter(object, message)
}

// Save writes a file, which is replaced as a whole or not at all.
func (f *BloomFilter) Save(path string) error {
	defer runtime.KeepAlive(f.handle)
	name, err := cPath(path)
	if err != nil {
		return err
	}
	var message *C.char
	return failed(C.bloomline_bloom_save(f.open(), name, &message), message)
}

// ToBytes returns the bytes that Save writes.
func (f *BloomFilter) ToBytes() ([]byte, error) {
	defer runtime.KeepAlive(f.handle)
	var length C.size_t
	var message *C.char
	bytes := C.bloomline_bloom_to_bytes(f.open(), &length, &message)
	return takenBytes(bytes, length, message)
}

// Equal returns true if both filters have the same options and bits.
func (f *BloomFilter) Equal(other *BloomFilter) bool {
	defer runtime.KeepAlive(f.handle)
	defer runtime.KeepAlive(other.handle)
	return C.bloomline_bloom_equal(f.open(), other.open()) != 0
}

// Layout returns the layout of the bits.
func (f *BloomFilter) Layout() Layout {
	defer runtime.KeepAlive(f.handle)
	return Layout(C.bloomline_bloom_layout(f.open()))
}

// NumBits returns the size of the filter in bits.
func (f *BloomFilter) NumBits() uint64 {
	defer runtime.KeepAlive(f.handle)
	return uint64(C.bloomline_bloom_num_bits(f.open()))
}

// NumProbes returns k, the number of bits that a key sets.
func (f *BloomFilter) NumProbes() int {
	defer runtime.KeepAlive(f.handle)
	return int(C.bloomline_bloom_num_probes(f.open()))
}

// Seed returns the seed.
func (f *BloomFilter) Seed() uint64 {
	defer runtime.KeepAlive(f.handle)
	return uint64(C.bloomline_bloom_seed(f.open()))
}

// Capacity returns the number of distinct keys for which the filter keeps its false-positive rate.
func (f *BloomFilter) Capacity() uint64 {
	defer runtime.KeepAlive(f.handle)
	return uint64(C.bloomline_bloom_capacity(f.open()))
}

// NumKeys returns the number of keys added, without those that already matched.
func (f *BloomFilter) NumKeys() uint64 {
	defer runtime.KeepAlive(f.handle)
	return uint64(C.bloomline_bloom_num_keys(f.open()))
}

// IsPastCapacity returns true if more keys than the capacity were added.
func (f *BloomFilter) IsPastCapacity() bool {
	defer runtime.KeepAlive(f.handle)
	return C.bloomline_bloom_is_past_capacity(f.open()) != 0
}

// EstimatedNumKeys estimates the number of distinct keys from the bits, all of which it reads.
func (f *BloomFilter) EstimatedNumKeys() uint64 {
	defer runtime.KeepAlive(f.handle)
	return uint64(C.bloomline_bloom_estimated_num_keys(f.open()))
}

// EstimatedFalsePositiveRate returns the rate with the keys added so far. It reads all the bits.
func (f *BloomFilter) EstimatedFalsePositiveRate() float64 {
	defer runtime.KeepAlive(f.handle)
	return float64(C.bloomline_bloom_estimated_false_positive_rate(f.open()))
}
