package bloomline

// #include "batch.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// ScalableBloomFilterOptions may all be zero.
type ScalableBloomFilterOptions struct {
	InitialCapacity   uint64  // default: 1000
	FalsePositiveRate float64 // of the whole filter, however large it grows; default: 0.01
	Growth            int     // each stage has that many times the keys of the one before; default: 2
	Tightening        float64 // default: 0.5
	Layout            Layout
	Seed              uint64
}

// ScalableBloomFilter is for an unknown number of keys: it grows.
type ScalableBloomFilter struct {
	owner *handle[*C.bloomline_scalable_t]
}

func (f *ScalableBloomFilter) h() *handle[*C.bloomline_scalable_t] {
	if f == nil {
		return nil
	}
	return f.owner
}

func newScalable(object *C.bloomline_scalable_t, message *C.char) (*ScalableBloomFilter, error) {
	h, err := newHandle(object, message,
		func(object *C.bloomline_scalable_t) { C.bloomline_scalable_destroy(object) })
	if err != nil {
		return nil, err
	}
	return &ScalableBloomFilter{h}, nil
}

// NewScalableBloomFilter makes an empty filter.
func NewScalableBloomFilter(o ScalableBloomFilterOptions) (*ScalableBloomFilter, error) {
	options := C.bloomline_scalableoptions_create()
	if options == nil {
		return nil, ErrOutOfMemory
	}
	defer C.bloomline_scalableoptions_destroy(options)
	if o.InitialCapacity != 0 {
		C.bloomline_scalableoptions_set_initial_capacity(options, C.uint64_t(o.InitialCapacity))
	}
	if o.FalsePositiveRate != 0 {
		C.bloomline_scalableoptions_set_false_positive_rate(options, C.double(o.FalsePositiveRate))
	}
	if o.Growth != 0 {
		C.bloomline_scalableoptions_set_growth(options, cInt(o.Growth))
	}
	if o.Tightening != 0 {
		C.bloomline_scalableoptions_set_tightening(options, C.double(o.Tightening))
	}
	C.bloomline_scalableoptions_set_layout(options, cInt(int(o.Layout)))
	C.bloomline_scalableoptions_set_seed(options, C.uint64_t(o.Seed))
	var message *C.char
	object := C.bloomline_scalable_create(options, &message)
	f, err := newScalable(object, message)
	return f, inGo(err)
}

// LoadScalableBloomFilter reads a file that Save wrote.
func LoadScalableBloomFilter(path string) (*ScalableBloomFilter, error) {
	name, err := readable(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	var message *C.char
	object := C.bloomline_scalable_load(name, &message)
	return newScalable(object, message)
}

// ScalableBloomFilterFromBytes makes a filter of what ToBytes returned.
func ScalableBloomFilterFromBytes(bytes []byte) (*ScalableBloomFilter, error) {
	var message *C.char
	object := C.bloomline_scalable_from_bytes(pointer(bytes), C.size_t(len(bytes)), &message)
	return newScalable(object, message)
}

// Close frees the memory.
func (f *ScalableBloomFilter) Close() error { f.h().close(); return nil }

// AddKey returns true if the key was certainly not in before.
func (f *ScalableBloomFilter) AddKey(key []byte) bool {
	added := C.bloomline_scalable_add_key(f.h().changing(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(f.h())
	return added
}

// AddKeys returns how many keys were certainly not in before.
func (f *ScalableBloomFilter) AddKeys(keys [][]byte) int {
	return sumOfBatches(f.h(), f.h().changing(), keys, func(object *C.bloomline_scalable_t, n C.size_t,
		data *C.char, lengths *C.size_t) C.size_t {
		return C.batch_scalable_add_keys(object, n, data, lengths)
	})
}

// MayMatch returns false if the key was certainly never added.
func (f *ScalableBloomFilter) MayMatch(key []byte) bool {
	match := C.bloomline_scalable_may_match(f.h().reading(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(f.h())
	return match
}

// MayMatchKeys returns the answer of MayMatch for each key.
func (f *ScalableBloomFilter) MayMatchKeys(keys [][]byte) []bool {
	return answerBatches(f.h(), keys, func(object *C.bloomline_scalable_t, n C.size_t, data *C.char,
		lengths *C.size_t, answers *C.uint8_t) {
		C.batch_scalable_may_match_keys(object, n, data, lengths, answers)
	})
}

// Save writes a file, which is replaced as a whole or not at all.
func (f *ScalableBloomFilter) Save(path string) error {
	return save(f.h(), path, func(object *C.bloomline_scalable_t, name *C.char,
		message **C.char) C.uint8_t {
		return C.bloomline_scalable_save(object, name, message)
	})
}

// ToBytes returns the bytes that Save writes.
func (f *ScalableBloomFilter) ToBytes() ([]byte, error) {
	return toBytes(f.h(), func(object *C.bloomline_scalable_t, n *C.size_t,
		message **C.char) *C.char {
		return C.bloomline_scalable_to_bytes(object, n, message)
	})
}

// Clear removes all keys.
func (f *ScalableBloomFilter) Clear() {
	C.bloomline_scalable_clear(f.h().changing())
	runtime.KeepAlive(f.h())
}

// NumStages returns the Bloom filters of which it consists now.
func (f *ScalableBloomFilter) NumStages() int {
	defer runtime.KeepAlive(f.h())
	return int(C.bloomline_scalable_num_stages(f.h().reading()))
}

// NumBits returns the memory of the filter, in bits.
func (f *ScalableBloomFilter) NumBits() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_scalable_num_bits(f.h().reading()))
}

// Capacity returns the keys that fit before the filter grows again.
func (f *ScalableBloomFilter) Capacity() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_scalable_capacity(f.h().reading()))
}

// NumKeys returns the keys added, less those that matched already.
func (f *ScalableBloomFilter) NumKeys() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_scalable_num_keys(f.h().reading()))
}

// EstimatedNumKeys returns the number of distinct keys by the bits, all of which it reads.
func (f *ScalableBloomFilter) EstimatedNumKeys() uint64 {
	defer runtime.KeepAlive(f.h())
	return uint64(C.bloomline_scalable_estimated_num_keys(f.h().reading()))
}

// EstimatedFalsePositiveRate returns the rate with the keys added so far. It reads all bits.
func (f *ScalableBloomFilter) EstimatedFalsePositiveRate() float64 {
	defer runtime.KeepAlive(f.h())
	return float64(C.bloomline_scalable_estimated_false_positive_rate(f.h().reading()))
}

// IsPastCapacity is true if the filter stopped growing and no longer keeps its rate.
func (f *ScalableBloomFilter) IsPastCapacity() bool {
	defer runtime.KeepAlive(f.h())
	return C.bloomline_scalable_is_past_capacity(f.h().reading()) != 0
}
