package bloomline

// #include "batch.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Format is the format of a static filter.
type Format int

const (
	FormatBlocked Format = iota // fastest
	FormatCompact               // refused since bloomline 0.4.0: FormatRibbon takes its place
	FormatRibbon                // smallest: 7 instead of 9.9 bits per key at 1 %
)

func (f Format) c() C.int {
	switch f {
	case FormatBlocked:
		return C.bloomline_format_blocked
	case FormatCompact:
		return C.bloomline_format_compact
	case FormatRibbon:
		return C.bloomline_format_ribbon
	}
	return -1 // C has no such format
}

// BitsPerKeyForFalsePositiveRate returns the fewest bits per key for at most this rate (0.01: 1 %).
func BitsPerKeyForFalsePositiveRate(format Format, rate float64) (float64, error) {
	var message *C.char
	if C.bloomline_validate_false_positive_rate(format.c(), C.double(rate), &message) == 0 {
		return 0, taken(message)
	}
	return float64(C.bloomline_bits_per_key_for_false_positive_rate(format.c(), C.double(rate))), nil
}

// FilterOptions has the options of static filters. All may be zero.
type FilterOptions struct {
	Format     Format
	BitsPerKey float64 // default: 10; see BitsPerKeyForFalsePositiveRate
	Seed       uint64
	RandomSeed bool // each filter draws its own seed
}

func (o FilterOptions) make() *C.bloomline_filteroptions_t {
	options := C.bloomline_filteroptions_create()
	C.bloomline_filteroptions_set_format(options, o.Format.c())
	if o.BitsPerKey != 0 {
		C.bloomline_filteroptions_set_bits_per_key(options, C.double(o.BitsPerKey))
	}
	C.bloomline_filteroptions_set_seed(options, C.uint64_t(o.Seed))
	if o.RandomSeed {
		C.bloomline_filteroptions_set_random_seed(options, 1)
	}
	return options
}

// FilterBuilder collects keys and makes a static filter of them.
type FilterBuilder struct {
	*handle[*C.bloomline_builder_t]
}

// NewFilterBuilder makes a builder without keys.
func NewFilterBuilder(o FilterOptions) (*FilterBuilder, error) {
	options := o.make()
	defer C.bloomline_filteroptions_destroy(options)
	var message *C.char
	object := C.bloomline_builder_create(options, &message)
	h, err := newHandle(object, message,
		func(object *C.bloomline_builder_t) { C.bloomline_builder_destroy(object) })
	if err != nil {
		return nil, err
	}
	return &FilterBuilder{h}, nil
}

// AddKey adds a key.
func (b *FilterBuilder) AddKey(key []byte) {
	defer runtime.KeepAlive(b.handle)
	C.bloomline_builder_add_key(b.open(), pointer(key), C.size_t(len(key)))
}

// AddKeys adds many keys, which is faster.
func (b *FilterBuilder) AddKeys(keys [][]byte) {
	defer runtime.KeepAlive(b.handle)
	object := b.open()
	eachBatch(keys, func(_ int, n C.size_t, data *C.char, lengths *C.size_t) {
		C.batch_builder_add_keys(object, n, data, lengths)
	})
}

// AddKeyAndPrefix adds a key and its prefix, so that queries of the prefix match.
func (b *FilterBuilder) AddKeyAndPrefix(key, prefix []byte) {
	defer runtime.KeepAlive(b.handle)
	C.bloomline_builder_add_key_and_prefix(b.open(), pointer(key), C.size_t(len(key)),
		pointer(prefix), C.size_t(len(prefix)))
}

// NumKeys returns the number of keys added; adjacent duplicates count once.
func (b *FilterBuilder) NumKeys() int {
	defer runtime.KeepAlive(b.handle)
	return int(C.bloomline_builder_num_keys(b.open()))
}

// TakeKeysFrom moves all keys of another builder here, so that each goroutine can have a builder.
func (b *FilterBuilder) TakeKeysFrom(other *FilterBuilder) error {
	defer runtime.KeepAlive(b.handle)
	defer runtime.KeepAlive(other.handle)
	if C.bloomline_builder_take_keys_from(b.open(), other.open()) == 0 {
		return errors.New("bloomline: the builders have different formats or seeds " +
			"(a random seed is always another)")
	}
	return nil
}

// Finish returns the filter of all keys added. The builder is then empty and can be used again.
func (b *FilterBuilder) Finish(numThreads int) ([]byte, error) {
	defer runtime.KeepAlive(b.handle)
	object := b.open()
	if numThreads < 1 {
		return nil, fmt.Errorf("bloomline: numThreads is %d; allowed: 1 and more", numThreads)
	}
	var length C.size_t
	var message *C.char
	bytes := C.bloomline_builder_finish(object, cInt(numThreads), &length, &message)
	return takenBytes(bytes, length, message)
}

// FilterView queries a static filter. Any bytes make a view; bytes that are not understood, and
// compact filters of bloomline before 0.4, match every key: ValidateFilter says why.
type FilterView struct{ *handle[*C.bloomline_view_t] }

// OpenFilterView copies the bytes once, because C may not keep a pointer of Go.
func OpenFilterView(filter []byte) (*FilterView, error) {
	copied := C.aligned_copy(pointer(filter), C.size_t(len(filter)))
	if copied == nil {
		return nil, taken(nil)
	}
	destroy := func(object *C.bloomline_view_t) {
		C.bloomline_view_destroy(object)
		C.free(unsafe.Pointer(copied))
	}
	h, err := newHandle(C.bloomline_view_open(copied, C.size_t(len(filter))), nil, destroy)
	if err != nil {
		destroy(nil)
		return nil, err
	}
	return &FilterView{h}, nil
}

// ValidateFilter returns why a view of these bytes would match every key; nil if it would not.
func ValidateFilter(filter []byte) error {
	var message *C.char
	ok := C.bloomline_view_validate(pointer(filter), C.size_t(len(filter)), &message)
	return failed(ok, message)
}

// MayMatch returns false if the key was certainly never added.
func (v *FilterView) MayMatch(key []byte) bool {
	match := C.bloomline_view_may_match(v.open(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(v.handle) // a defer takes 3 ns
	return match
}

// MayMatchKeys returns the answer of MayMatch for each key.
func (v *FilterView) MayMatchKeys(keys [][]byte) []bool {
	defer runtime.KeepAlive(v.handle)
	object, answers := v.open(), make([]bool, len(keys))
	eachBatch(keys, func(start int, n C.size_t, data *C.char, lengths *C.size_t) {
		C.batch_view_may_match_keys(object, n, data, lengths, answer(answers, start))
	})
	return answers
}

// AlwaysMatches returns true if the bytes are not a filter, or a filter that matches every key.
func (v *FilterView) AlwaysMatches() bool {
	defer runtime.KeepAlive(v.handle)
	return C.bloomline_view_always_matches(v.open()) != 0
}

// NumProbes returns the number of bits that a key sets; 0 in a ribbon filter.
func (v *FilterView) NumProbes() int {
	defer runtime.KeepAlive(v.handle)
	return int(C.bloomline_view_num_probes(v.open()))
}
