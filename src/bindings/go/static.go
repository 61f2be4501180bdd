package bloomline

// #include "batch.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// Format is the format of a static filter.
type Format int

const (
	FormatBlocked Format = iota // fastest
	FormatCompact               // smallest: 7 instead of 9.9 bits per key at 1 %
	FormatClassic               // LevelDB's; for sizing alone
	FormatBloom                 // RocksDB's; for sizing alone, filters are written in RocksDB
	FormatRibbon                // RocksDB's; BitsPerKey is that of a Bloom filter of the same rate
)

func (f Format) c() C.int {
	switch f {
	case FormatBlocked:
		return C.bloomline_format_blocked
	case FormatCompact:
		return C.bloomline_format_compact
	case FormatClassic:
		return C.bloomline_format_classic
	case FormatBloom:
		return C.bloomline_format_bloom
	case FormatRibbon:
		return C.bloomline_format_ribbon
	}
	return cInt(int(f)) // none of C's, either
}

// FilterOptions are for static filters. All may be zero.
type FilterOptions struct {
	Format     Format
	BitsPerKey float64 // default: 10; see BitsPerKeyForFalsePositiveRate
	Seed       uint64
	RandomSeed bool // each filter draws a seed of its own
}

func (o FilterOptions) make() (*C.bloomline_filteroptions_t, error) {
	options := C.bloomline_filteroptions_create()
	if options == nil {
		return nil, ErrOutOfMemory
	}
	C.bloomline_filteroptions_set_format(options, o.Format.c())
	if o.BitsPerKey != 0 {
		C.bloomline_filteroptions_set_bits_per_key(options, C.double(o.BitsPerKey))
	}
	C.bloomline_filteroptions_set_seed(options, C.uint64_t(o.Seed))
	C.bloomline_filteroptions_set_random_seed(options, cBool(o.RandomSeed))
	return options, nil
}

// Validate returns what is wrong with the options.
func (o FilterOptions) Validate() error {
	options, err := o.make()
	if err != nil {
		return err
	}
	defer C.bloomline_filteroptions_destroy(options)
	return validate(options)
}

func validate(options *C.bloomline_filteroptions_t) error {
	var message *C.char
	ok := C.bloomline_filteroptions_validate(options, &message)
	return inGo(failed(ok, message))
}

// FilterBuilder collects keys and makes a static filter of them.
type FilterBuilder struct {
	*handle[*C.bloomline_builder_t]
}

// NewFilterBuilder makes a builder without keys.
func NewFilterBuilder(o FilterOptions) (*FilterBuilder, error) {
	options, err := o.make()
	if err != nil {
		return nil, err
	}
	defer C.bloomline_filteroptions_destroy(options)
	var message *C.char
	object := C.bloomline_builder_create(options, &message)
	h, err := newHandle(object, message,
		func(object *C.bloomline_builder_t) { C.bloomline_builder_destroy(object) })
	if err != nil {
		return nil, inGo(err)
	}
	return &FilterBuilder{h}, nil
}

// AddKey adds a key.
func (b *FilterBuilder) AddKey(key []byte) {
	C.bloomline_builder_add_key(b.changing(), pointer(key), C.size_t(len(key)))
	runtime.KeepAlive(b.handle)
}

// AddKeys adds many keys, which is faster.
func (b *FilterBuilder) AddKeys(keys [][]byte) {
	object := b.changing()
	eachBatch(keys, func(_ int, n C.size_t, data *C.char, lengths *C.size_t) bool {
		C.batch_builder_add_keys(object, n, data, lengths)
		return true
	})
	runtime.KeepAlive(b.handle)
}

// AddKeyAndPrefix adds a key and its prefix, so that queries of the prefix match.
func (b *FilterBuilder) AddKeyAndPrefix(key, prefix []byte) {
	C.bloomline_builder_add_key_and_prefix(b.changing(), pointer(key), C.size_t(len(key)),
		pointer(prefix), C.size_t(len(prefix)))
	runtime.KeepAlive(b.handle)
}

// NumKeys returns the keys added; a key that follows its equal is not counted.
func (b *FilterBuilder) NumKeys() int {
	defer runtime.KeepAlive(b.handle)
	return int(C.bloomline_builder_num_keys(b.reading()))
}

// TakeKeysFrom moves all keys of another builder here, so that each goroutine can have a builder.
func (b *FilterBuilder) TakeKeysFrom(other *FilterBuilder) error {
	if b.isClosed() || other.isClosed() {
		return ErrClosed
	}
	ok := C.bloomline_builder_take_keys_from(b.changing(), other.changing()) != 0
	runtime.KeepAlive(b.handle)
	runtime.KeepAlive(other.handle)
	if !ok {
		return errors.New("bloomline: the builders have different formats or seeds " +
			"(a random seed is always another)")
	}
	return nil
}

// Finish returns the filter of all keys added. The builder is then empty and can be used again.
func (b *FilterBuilder) Finish(numThreads int) ([]byte, error) {
	if numThreads < 1 && !b.isClosed() {
		return nil, fmt.Errorf("bloomline: numThreads is %d; allowed: 1 and more", numThreads)
	}
	return toBytes(b.handle, func(object *C.bloomline_builder_t, n *C.size_t,
		message **C.char) *C.char {
		return C.bloomline_builder_finish(b.changing(), cInt(numThreads), n, message)
	})
}

// Err returns why the last filter matches more keys than it should: memory was short.
func (b *FilterBuilder) Err() error {
	if b.isClosed() {
		return ErrClosed
	}
	defer runtime.KeepAlive(b.handle)
	if message := C.bloomline_builder_error(b.reading()); message != nil {
		return errors.New("bloomline: " + C.GoString(message))
	}
	return nil
}

// FilterView queries a static filter. Any bytes make a view; those that it does not understand
// match every key.
type FilterView struct {
	*handle[*C.bloomline_view_t]
}

// OpenFilterView copies the bytes once, because C may not keep a pointer of Go.
func OpenFilterView(filter []byte) (*FilterView, error) {
	copied := C.aligned_copy(pointer(filter), C.size_t(len(filter)))
	if copied == nil {
		return nil, ErrOutOfMemory
	}
	return openView(copied, len(filter), func() { C.free(unsafe.Pointer(copied)) })
}

// OpenMappedFilterView maps a file: pages are read when a query needs them.
func OpenMappedFilterView(path string) (*FilterView, error) {
	file, size, err := regularFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size == 0 {
		return OpenFilterView(nil) // what cannot be mapped
	}
	mapped, err := syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "mmap", Path: path, Err: err}
	}
	return openView(pointer(mapped), len(mapped), func() { syscall.Munmap(mapped) })
}

func openView(filter *C.char, length int, free func()) (*FilterView, error) {
	object := C.bloomline_view_open(filter, C.size_t(length))
	h, err := newHandle(object, nil, func(object *C.bloomline_view_t) {
		C.bloomline_view_destroy(object)
		free()
	})
	if err != nil {
		free()
		return nil, err
	}
	return &FilterView{h}, nil
}

// ValidateFilter returns why the view of these bytes matches every key.
func ValidateFilter(filter []byte) error {
	var message *C.char
	ok := C.bloomline_view_validate(pointer(filter), C.size_t(len(filter)), &message)
	return failed(ok, message)
}

// MayMatch returns false if the key was certainly never added.
func (v *FilterView) MayMatch(key []byte) bool {
	match := C.bloomline_view_may_match(v.reading(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(v.handle)
	return match
}

// MayMatchKeys returns the answer of MayMatch for each key.
func (v *FilterView) MayMatchKeys(keys [][]byte) []bool {
	return answerBatches(v.handle, keys, func(object *C.bloomline_view_t, n C.size_t, data *C.char,
		lengths *C.size_t, answers *C.uint8_t) {
		C.batch_view_may_match_keys(object, n, data, lengths, answers)
	})
}

// AlwaysMatches is true if the bytes are no filter, or one that matches every key.
func (v *FilterView) AlwaysMatches() bool {
	defer runtime.KeepAlive(v.handle)
	return C.bloomline_view_always_matches(v.reading()) != 0
}

// NumProbes returns the bits of a key; 0 in a compact filter.
func (v *FilterView) NumProbes() int {
	defer runtime.KeepAlive(v.handle)
	return int(C.bloomline_view_num_probes(v.reading()))
}
