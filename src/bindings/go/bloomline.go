// Package bloomline has filters that answer "certainly not in" or "maybe in", over bloomline's
// functions for C. A method does what the C++ function of the same name does; the C++ headers say
// more of cost and limits. Filters are the same bytes in every language.
//
// Install bloomline first: pkg-config must find bloomline_c. Package bloomline/rocksdb has the
// filters for RocksDB, and needs bloomline_rocksdb.
//
// Keys are bytes. An integer that other languages add as KeyOf(42) is its 8 bytes, lowest first:
// encoding/binary's LittleEndian.
//
// Methods for many keys need a third to a tenth of the time for each key, because a call from Go to
// C costs more than a query.
//
// An option that is zero has its default. Close frees the memory early, else the garbage collector
// does; it sees only the few bytes of the Go object. After Close, a method returns ErrClosed, or
// panics with it if it returns no error.
//
// Goroutines may call the methods that change nothing at the same time, as long as no other method
// runs; the race detector reports it when they do not. Different filters are independent.
package bloomline

// #cgo pkg-config: bloomline_c
// #include "batch.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

// ErrClosed says that a filter is used after Close, or was never made.
var ErrClosed = errors.New("bloomline: the filter is closed")

// ErrOutOfMemory says that the library had too little memory.
var ErrOutOfMemory = errors.New("bloomline: out of memory")

// Version returns the version of the library, as "0.1.0".
func Version() string { return C.GoString(C.bloomline_version()) }

// DrawSeed draws a seed that outsiders cannot know, from the system's generator.
func DrawSeed() (uint64, error) {
	var message *C.char
	seed := C.bloomline_draw_seed(&message)
	if seed == 0 {
		return 0, taken(message)
	}
	return uint64(seed), nil
}

// ActiveKernelName returns the name of the SIMD implementation that runs.
func ActiveKernelName() string { return C.GoString(C.bloomline_active_kernel_name()) }

// ForceKernel chooses the SIMD implementation.
func ForceKernel(name string) error {
	text, err := cString("the name of a kernel", name)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(text))
	var message *C.char
	return failed(C.bloomline_force_kernel(text, &message), message)
}

// handle owns an object of the library. Copies of a filter share it, so none frees it twice.
type handle[P comparable] struct {
	object  P // null: closed
	destroy func(P)
	content byte // stands for what is in the object, for the race detector
}

func newHandle[P comparable](object P, message *C.char, destroy func(P)) (*handle[P], error) {
	var null P
	if object == null {
		return nil, taken(message)
	}
	h := &handle[P]{object: object, destroy: destroy}
	runtime.SetFinalizer(h, (*handle[P]).close)
	return h, nil
}

// isClosed is true for the zero value of a filter, too.
func (h *handle[P]) isClosed() bool {
	var null P
	return h == nil || h.object == null
}

// reading returns the object for a call that may run beside others; the caller keeps h alive.
func (h *handle[P]) reading() P {
	if h.isClosed() {
		panic(ErrClosed)
	}
	raceRead(&h.content)
	return h.object
}

// changing returns the object for a call that must run alone.
func (h *handle[P]) changing() P {
	if h.isClosed() {
		panic(ErrClosed)
	}
	raceWrite(&h.content)
	return h.object
}

// release closes the handle without freeing the object.
func (h *handle[P]) release() {
	var null P
	h.object = null
	runtime.SetFinalizer(h, nil)
}

// Close frees the memory.
func (h *handle[P]) Close() error {
	h.close()
	return nil
}

func (h *handle[P]) close() {
	if !h.isClosed() {
		object := h.changing()
		h.release()
		h.destroy(object)
	}
}

// batch has keys that C reads in one call, one behind the other.
type batch struct {
	data    []byte
	lengths [C.batch_keys]C.size_t
}

var batches = sync.Pool{New: func() any { return &batch{data: make([]byte, 0, 16<<10)} }}

// eachBatch calls f for all keys, in groups; start is the number of keys before the group. It ends
// when f returns false.
func eachBatch(keys [][]byte, f func(start int, n C.size_t, data *C.char, lengths *C.size_t) bool) {
	const enoughBytes = 64 << 10
	b := batches.Get().(*batch)
	for start, n := 0, 0; start < len(keys); start += n {
		b.data = b.data[:0]
		for n = 0; n < len(b.lengths) && start+n < len(keys) && len(b.data) < enoughBytes; n++ {
			key := keys[start+n]
			b.data = append(b.data, key...)
			b.lengths[n] = C.size_t(len(key))
		}
		if !f(start, C.size_t(n), pointer(b.data), &b.lengths[0]) {
			break
		}
	}
	if cap(b.data) <= 4*enoughBytes {
		batches.Put(b)
	}
}

// sumOfBatches calls f for all keys and adds its results up.
func sumOfBatches[P comparable](h *handle[P], object P, keys [][]byte,
	f func(object P, n C.size_t, data *C.char, lengths *C.size_t) C.size_t) int {
	sum := 0
	eachBatch(keys, func(_ int, n C.size_t, data *C.char, lengths *C.size_t) bool {
		sum += int(f(object, n, data, lengths))
		return true
	})
	runtime.KeepAlive(h)
	return sum
}

// answerBatches calls f for all keys; it stores an answer for each.
func answerBatches[P comparable](h *handle[P], keys [][]byte, f func(object P, n C.size_t,
	data *C.char, lengths *C.size_t, answers *C.uint8_t)) []bool {
	object, answers := h.reading(), make([]bool, len(keys))
	eachBatch(keys, func(start int, n C.size_t, data *C.char, lengths *C.size_t) bool {
		f(object, n, data, lengths, answer(answers, start))
		return true
	})
	runtime.KeepAlive(h)
	return answers
}

// pointer is for the arguments of a call alone: C keeps no pointer of Go.
func pointer(bytes []byte) *C.char {
	if len(bytes) == 0 {
		return nil
	}
	return (*C.char)(unsafe.Pointer(&bytes[0]))
}

func answer(answers []bool, i int) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(&answers[i])) }

// taken is the error of a message of the library, which is freed.
func taken(message *C.char) error {
	if message == nil {
		return ErrOutOfMemory
	}
	defer C.bloomline_free(unsafe.Pointer(message))
	return errors.New("bloomline: " + C.GoString(message))
}

func failed(ok C.uint8_t, message *C.char) error {
	if ok == 0 {
		return taken(message)
	}
	return nil
}

// goNames are what errors about options call by the names of C, C++ and option strings.
var goNames = strings.NewReplacer(
	"0 (classic), 1 (blocked), 2 (compact), 3 (bloom), 4 (ribbon)",
	"FormatBlocked, FormatCompact, FormatClassic, FormatBloom, FormatRibbon",
	"format is classic", "Format is FormatClassic", "format is bloom", "Format is FormatBloom",
	"format is ribbon", "Format is FormatRibbon", "format is", "Format is",
	"allowed: blocked, compact", "allowed: FormatBlocked, FormatCompact",
	"0 (kBlocked), 1 (kStandard), 2 (kBlocked128), 3 (kBlocked64)",
	"LayoutBlocked, LayoutStandard, LayoutBlocked128, LayoutBlocked64",
	"layout is", "Layout is", "kBlocked", "LayoutBlocked", "kStandard", "LayoutStandard",
	"capacity", "Capacity", "false_positive_rate", "FalsePositiveRate",
	"num_bits", "NumBits", "num_probes", "NumProbes",
	"bits_per_key", "BitsPerKey", "random_seed", "RandomSeed",
	"seed is", "Seed is", "seed 0", "Seed 0", "ValidateFalsePositiveRate", "BitsPerKeyForFalsePositiveRate")

// inGo has Go's names in an error about options. Errors about files stay as they are: a path may
// have such words.
func inGo(err error) error {
	if err == nil || err == ErrOutOfMemory {
		return err
	}
	return errors.New(goNames.Replace(err.Error()))
}

// takenBytes copies bytes of the library, which are freed.
func takenBytes(bytes *C.char, length C.size_t, message *C.char) ([]byte, error) {
	if bytes == nil {
		return nil, taken(message)
	}
	defer C.bloomline_free(unsafe.Pointer(bytes))
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(bytes)), int(length))...), nil
}

func cString(what, text string) (*C.char, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("bloomline: %s is %q; allowed: no zero byte", what, text)
	}
	return C.CString(text), nil
}

// regularFile opens a file; errors.Is recognizes why it cannot, as fs.ErrNotExist. As in C, a pipe
// must not block before Stat has shown what the file is.
func regularFile(path string) (*os.File, int64, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: errors.New("is not a regular file")}
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// readable returns the name of a regularFile. The caller frees it.
func readable(path string) (*C.char, error) {
	file, _, err := regularFile(path)
	if err != nil {
		return nil, err
	}
	file.Close()
	return C.CString(path), nil
}

// cInt keeps a number that C has no room for out of range, and does not cut it off.
func cInt(number int) C.int {
	if number > math.MaxInt32 {
		return math.MaxInt32
	}
	if number < math.MinInt32 {
		return math.MinInt32
	}
	return C.int(number)
}

func cBool(value bool) C.uint8_t {
	if value {
		return 1
	}
	return 0
}

func save[P comparable](h *handle[P], path string,
	f func(object P, name *C.char, message **C.char) C.uint8_t) error {
	if h.isClosed() {
		return ErrClosed
	}
	name, err := cString("the path", path)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(name))
	var message *C.char
	ok := f(h.reading(), name, &message)
	runtime.KeepAlive(h)
	return failed(ok, message)
}

func toBytes[P comparable](h *handle[P],
	f func(object P, length *C.size_t, message **C.char) *C.char) ([]byte, error) {
	if h.isClosed() {
		return nil, ErrClosed
	}
	var length C.size_t
	var message *C.char
	bytes := f(h.reading(), &length, &message)
	runtime.KeepAlive(h)
	return takenBytes(bytes, length, message)
}
