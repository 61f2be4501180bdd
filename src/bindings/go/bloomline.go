// Package bloomline has filters that answer "certainly not in" or "maybe in", over bloomline's
// functions for C. A method does what the C++ function of the same name does; the C++ headers
// explain its cost and limits. Filters have the same bytes in every language.
//
// Install bloomline first: pkg-config must find bloomline_c. Package bloomline/rocksdb has the
// filters for RocksDB, and needs bloomline_rocksdb_c.
//
// Keys are bytes. For an integer, which other languages add as KeyOf(42), use its 8 bytes, lowest
// first: encoding/binary's LittleEndian.
//
// Methods for many keys take a third to a tenth of the time per key, because a call from Go to C
// costs more than a query.
//
// An option that is zero has its default. Errors name options as C does: num_bits is NumBits.
//
// Close frees the memory. Otherwise the garbage collector does, but late, because it sees only the
// few bytes of the Go object. After Close, every other method panics with ErrClosed.
//
// Goroutines may call the methods that change nothing at the same time, as long as no other method
// runs. The race detector does not see what C reads and writes. Different filters are independent.
package bloomline

// #cgo pkg-config: bloomline_c
// #include "batch.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// ErrClosed says that a filter was used after Close, or was never made.
var ErrClosed = errors.New("bloomline: the filter is closed")

// Version returns the version of the library, such as "0.1.0".
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

// handle owns an object of the library. Copies of a filter share the handle, so it is freed once.
type handle[P comparable] struct {
	object  P // null: closed
	destroy func(P)
}

func newHandle[P comparable](object P, message *C.char, destroy func(P)) (*handle[P], error) {
	var null P
	if object == null {
		return nil, taken(message)
	}
	h := &handle[P]{object: object, destroy: destroy}
	runtime.SetFinalizer(h, (*handle[P]).Close)
	return h, nil
}

// open returns the object. The caller keeps h alive while C uses it.
func (h *handle[P]) open() P {
	var null P
	if h == nil || h.object == null { // nil: the zero value of a filter
		panic(ErrClosed)
	}
	return h.object
}

// Close frees the memory.
func (h *handle[P]) Close() error {
	var null P
	if h != nil && h.object != null {
		h.destroy(h.object)
		h.object = null
		runtime.SetFinalizer(h, nil)
	}
	return nil
}

// batch has keys that C reads in one call; their bytes are stored one after the other.
type batch struct {
	data    []byte
	lengths [C.batch_keys]C.size_t
}

var batches = sync.Pool{New: func() any { return &batch{data: make([]byte, 0, 16<<10)} }}

// eachBatch calls f for all keys, in groups; start is the number of keys before the group.
func eachBatch(keys [][]byte, f func(start int, n C.size_t, data *C.char, lengths *C.size_t)) {
	const enoughBytes = 64 << 10
	b := batches.Get().(*batch)
	for start, n := 0, 0; start < len(keys); start += n {
		b.data = b.data[:0]
		for n = 0; n < len(b.lengths) && start+n < len(keys) && len(b.data) < enoughBytes; n++ {
			key := keys[start+n]
			b.data = append(b.data, key...)
			b.lengths[n] = C.size_t(len(key))
		}
		f(start, C.size_t(n), pointer(b.data), &b.lengths[0])
	}
	if cap(b.data) <= 4*enoughBytes {
		batches.Put(b)
	}
}

// pointer makes an argument that C uses only during the call: C keeps no pointer of Go.
func pointer(bytes []byte) *C.char {
	if len(bytes) == 0 {
		return nil
	}
	return (*C.char)(unsafe.Pointer(&bytes[0]))
}

func answer(answers []bool, i int) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(&answers[i])) }

// cPath makes an argument that C uses only during the call, like pointer.
func cPath(path string) (*C.char, error) {
	bytes, err := syscall.ByteSliceFromString(path)
	if err != nil {
		return nil, fmt.Errorf("bloomline: the path is %q; allowed: no zero byte", path)
	}
	return pointer(bytes), nil
}

// taken makes an error of the library's message, and frees the message.
func taken(message *C.char) error {
	if message == nil { // C had no memory for one
		return errors.New("bloomline: out of memory")
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

// takenBytes copies the library's bytes, and frees them.
func takenBytes(bytes *C.char, length C.size_t, message *C.char) ([]byte, error) {
	if bytes == nil {
		return nil, taken(message)
	}
	defer C.bloomline_free(unsafe.Pointer(bytes))
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(bytes)), int(length))...), nil
}

// cInt keeps a number that is too large for C out of range instead of cutting it off.
func cInt(number int) C.int {
	if number > math.MaxInt32 {
		return math.MaxInt32
	}
	if number < math.MinInt32 {
		return math.MinInt32
	}
	return C.int(number)
}
