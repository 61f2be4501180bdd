package bloomline

// #include "batch.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
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
	owner *handle[*C.bloomline_builder_t]
}

func (b *FilterBuilder) h() *handle[*C.bloomline_builder_t] {
	if b == nil {
		return nil
	}
	return b.owner
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

// Close frees the memory.
func (b *FilterBuilder) Close() error { b.h().close(); return nil }

// AddKey adds a key.
func (b *FilterBuilder) AddKey(key []byte) {
	C.bloomline_builder_add_key(b.h().changing(), pointer(key), C.size_t(len(key)))
	runtime.KeepAlive(b.h())
}

// AddKeys adds many keys, which is faster.
func (b *FilterBuilder) AddKeys(keys [][]byte) {
	object := b.h().changing()
	eachBatch(keys, func(_ int, n C.size_t, data *C.char, lengths *C.size_t) bool {
		C.batch_builder_add_keys(object, n, data, lengths)
		return true
	})
	runtime.KeepAlive(b.h())
}

// AddKeyAndPrefix adds a key and its prefix, so that queries of the prefix match.
func (b *FilterBuilder) AddKeyAndPrefix(key, prefix []byte) {
	C.bloomline_builder_add_key_and_prefix(b.h().changing(), pointer(key), C.size_t(len(key)),
		pointer(prefix), C.size_t(len(prefix)))
	runtime.KeepAlive(b.h())
}

// NumKeys returns the keys added; a key that follows its equal is not counted.
func (b *FilterBuilder) NumKeys() int {
	defer runtime.KeepAlive(b.h())
	return int(C.bloomline_builder_num_keys(b.h().reading()))
}

// TakeKeysFrom moves all keys of another builder here, so that each goroutine can have a builder.
func (b *FilterBuilder) TakeKeysFrom(other *FilterBuilder) error {
	if b.h().isClosed() || other.h().isClosed() {
		return ErrClosed
	}
	ok := C.bloomline_builder_take_keys_from(b.h().changing(), other.h().changing()) != 0
	runtime.KeepAlive(b.h())
	runtime.KeepAlive(other.h())
	if !ok {
		return errors.New("bloomline: the builders have different formats or seeds " +
			"(a random seed is always another)")
	}
	return nil
}

// Finish returns the filter of all keys added. The builder is then empty and can be used again.
func (b *FilterBuilder) Finish(numThreads int) ([]byte, error) {
	if numThreads < 1 && !b.h().isClosed() {
		return nil, fmt.Errorf("bloomline: numThreads is %d; allowed: 1 and more", numThreads)
	}
	return toBytes(b.h(), func(object *C.bloomline_builder_t, n *C.size_t,
		message **C.char) *C.char {
		return C.bloomline_builder_finish(b.h().changing(), cInt(numThreads), n, message)
	})
}

// Err returns why the last filter matches more keys than it should: memory was short.
func (b *FilterBuilder) Err() error {
	if b.h().isClosed() {
		return ErrClosed
	}
	defer runtime.KeepAlive(b.h())
	if message := C.bloomline_builder_error(b.h().reading()); message != nil {
		return errors.New("bloomline: " + C.GoString(message))
	}
	return nil
}

// FilterView queries a static filter. Any bytes make a view; those that it does not understand
// match every key.
type FilterView struct {
	owner *handle[*C.bloomline_view_t]
}

func (v *FilterView) h() *handle[*C.bloomline_view_t] {
	if v == nil {
		return nil
	}
	return v.owner
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

// Close frees the memory.
func (v *FilterView) Close() error { v.h().close(); return nil }

// MayMatch returns false if the key was certainly never added.
func (v *FilterView) MayMatch(key []byte) bool {
	match := C.bloomline_view_may_match(v.h().reading(), pointer(key), C.size_t(len(key))) != 0
	runtime.KeepAlive(v.h())
	return match
}

// MayMatchKeys returns the answer of MayMatch for each key.
func (v *FilterView) MayMatchKeys(keys [][]byte) []bool {
	return answerBatches(v.h(), keys, func(object *C.bloomline_view_t, n C.size_t, data *C.char,
		lengths *C.size_t, answers *C.uint8_t) {
		C.batch_view_may_match_keys(object, n, data, lengths, answers)
	})
}

// AlwaysMatches is true if the bytes are no filter, or one that matches every key.
func (v *FilterView) AlwaysMatches() bool {
	defer runtime.KeepAlive(v.h())
	return C.bloomline_view_always_matches(v.h().reading()) != 0
}

// NumProbes returns the bits of a key; 0 in a compact filter.
func (v *FilterView) NumProbes() int {
	defer runtime.KeepAlive(v.h())
	return int(C.bloomline_view_num_probes(v.h().reading()))
}

// OnDiskFilterOptions may all be zero.
type OnDiskFilterOptions struct {
	Filter        FilterOptions
	TempDirectory string // default: the current folder; a folder in memory defeats the purpose
	MemoryBytes   uint64 // default: 512 MiB
	NumThreads    int    // default: 1
}

// OnDiskFilterBuilder builds a static filter that is larger than memory into a file.
type OnDiskFilterBuilder struct {
	owner *handle[*C.bloomline_ondisk_t]
}

func (b *OnDiskFilterBuilder) h() *handle[*C.bloomline_ondisk_t] {
	if b == nil {
		return nil
	}
	return b.owner
}

// NewOnDiskFilterBuilder makes a builder without keys.
func NewOnDiskFilterBuilder(o OnDiskFilterOptions) (*OnDiskFilterBuilder, error) {
	filter, err := o.Filter.make()
	if err != nil {
		return nil, err
	}
	defer C.bloomline_filteroptions_destroy(filter)
	options := C.bloomline_ondiskoptions_create()
	if options == nil {
		return nil, ErrOutOfMemory
	}
	defer C.bloomline_ondiskoptions_destroy(options)
	C.bloomline_ondiskoptions_set_filter(options, filter)
	if o.TempDirectory != "" {
		path, err := cString("TempDirectory", o.TempDirectory)
		if err != nil {
			return nil, err
		}
		defer C.free(unsafe.Pointer(path))
		if C.bloomline_ondiskoptions_set_temp_directory(options, path) == 0 {
			return nil, ErrOutOfMemory
		}
	}
	if o.MemoryBytes != 0 {
		C.bloomline_ondiskoptions_set_memory_bytes(options, C.uint64_t(o.MemoryBytes))
	}
	if o.NumThreads != 0 {
		C.bloomline_ondiskoptions_set_num_threads(options, cInt(o.NumThreads))
	}
	var message *C.char
	object := C.bloomline_ondisk_create(options, &message)
	h, err := newHandle(object, message,
		func(object *C.bloomline_ondisk_t) { C.bloomline_ondisk_destroy(object) })
	if err != nil {
		if !strings.HasPrefix(err.Error(), "bloomline: "+o.TempDirectory+"/") {
			err = inGo(err)
		}
		return nil, err
	}
	return &OnDiskFilterBuilder{h}, nil
}

// Close frees the memory and removes the temporary file.
func (b *OnDiskFilterBuilder) Close() error { b.h().close(); return nil }

// AddKey adds a key. If it fails, Finish fails as well.
func (b *OnDiskFilterBuilder) AddKey(key []byte) error {
	if b.h().isClosed() {
		return ErrClosed
	}
	var message *C.char
	ok := C.bloomline_ondisk_add_key(b.h().changing(), pointer(key), C.size_t(len(key)), &message)
	runtime.KeepAlive(b.h())
	return failed(ok, message)
}

// AddKeys adds many keys, up to the first that cannot be added.
func (b *OnDiskFilterBuilder) AddKeys(keys [][]byte) error {
	if b.h().isClosed() {
		return ErrClosed
	}
	object, ok := b.h().changing(), C.uint8_t(1)
	var message *C.char
	eachBatch(keys, func(_ int, n C.size_t, data *C.char, lengths *C.size_t) bool {
		ok = C.batch_ondisk_add_keys(object, n, data, lengths, &message)
		return ok != 0
	})
	runtime.KeepAlive(b.h())
	return failed(ok, message)
}

// NumKeys returns the keys added.
func (b *OnDiskFilterBuilder) NumKeys() uint64 {
	defer runtime.KeepAlive(b.h())
	return uint64(C.bloomline_ondisk_num_keys(b.h().reading()))
}

// Finish writes the filter to a file, for OpenMappedFilterView. The builder is then empty and can
// be used again.
func (b *OnDiskFilterBuilder) Finish(path string) error {
	return save(b.h(), path, func(object *C.bloomline_ondisk_t, name *C.char,
		message **C.char) C.uint8_t {
		return C.bloomline_ondisk_finish(b.h().changing(), name, message)
	})
}
