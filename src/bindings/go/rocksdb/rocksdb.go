// Package rocksdb puts bloomline's filters into RocksDB, through the binding of your choice or
// RocksDB's C functions. pkg-config must find bloomline_rocksdb_c, which must be compiled for the
// RocksDB that the binding uses.
package rocksdb

// #cgo pkg-config: bloomline_rocksdb_c
// #include <bloomline/c_metrics.h>
// #include <bloomline/c_rocksdb.h>
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// Register makes the name known in RocksDB's option strings, as in
//
//	block_based_table_factory={filter_policy={id=bloomline;format=ribbon;bits_per_key=10}}
//
// for grocksdb.GetOptionsFromString and the like. Call Register before these, from any goroutine,
// as often as you like. RocksDB drops errors of a filter policy's options: then stderr has a line,
// and opening a database fails.
func Register() error {
	var message *C.char
	if C.bloomline_rocksdb_register(&message) == 0 {
		return taken(message)
	}
	return nil
}

// NewFilterPolicy returns a rocksdb_filterpolicy_t* for the value of filter_policy= in an option
// string: "bloomline:10". rocksdb_block_based_options_set_filter_policy takes the policy over;
// otherwise destroy it with rocksdb_filterpolicy_destroy.
func NewFilterPolicy(options string) (unsafe.Pointer, error) {
	text, err := cText(options)
	if err != nil {
		return nil, err
	}
	var message *C.char
	policy := C.bloomline_rocksdb_filterpolicy_create(text, &message)
	if policy == nil {
		return nil, taken(message)
	}
	return unsafe.Pointer(policy), nil
}

// RewriteFilters gives the files of a column family the filter that its policy writes now, while the
// database is in use; see bloomline's docs/operating.md. db is a rocksdb_t*, and family a
// rocksdb_column_family_handle_t*; nil means the default family. The options are text, such as
// "bytes_per_second=20M;dry_run=true"; "" means the defaults.
//
// The report has some lines for people, and skipped is the number of files that still have another
// filter. If err is not nil, the report says what was done until then. The call cannot be cancelled,
// but a program that ends meanwhile loses nothing: the next call continues with the other files.
func RewriteFilters(db, family unsafe.Pointer, options string) (report string, skipped uint64, err error) {
	text, err := cText(options)
	if err != nil {
		return "", 0, err
	}
	var message, lines *C.char
	var left C.uint64_t
	done := C.bloomline_rocksdb_rewrite_filters((*C.rocksdb_t)(db),
		(*C.rocksdb_column_family_handle_t)(family), text, nil, nil, &left, &lines, &message)
	if lines != nil {
		defer C.free(unsafe.Pointer(lines))
		report = C.GoString(lines)
	}
	if done == 0 {
		return report, uint64(left), taken(message)
	}
	return report, uint64(left), nil
}

// MetricsText returns what the policies of this process have counted, in Prometheus' text format; see
// bloomline's docs/operating.md.
func MetricsText() (string, error) {
	var message *C.char
	text := C.bloomline_metrics_text(&message)
	if text == nil {
		return "", taken(message)
	}
	defer C.free(unsafe.Pointer(text))
	return C.GoString(text), nil
}

// cText makes an argument that C uses only during the call: C keeps no pointer of Go.
func cText(options string) (*C.char, error) {
	bytes, err := syscall.ByteSliceFromString(options)
	if err != nil {
		return nil, fmt.Errorf("bloomline: the option string is %q; allowed: no zero byte", options)
	}
	return (*C.char)(unsafe.Pointer(&bytes[0])), nil
}

// taken makes an error of the library's message, and frees the message.
func taken(message *C.char) error {
	if message == nil {
		return errors.New("bloomline: out of memory")
	}
	defer C.free(unsafe.Pointer(message))
	return errors.New("bloomline: " + C.GoString(message))
}
