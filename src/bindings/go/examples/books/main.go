// Books opens a RocksDB with compact filters, or those of another policy, through RocksDB's C
// functions, writes a thousand keys, and reads them. Files of an earlier run get the filters, too.
package main

// #include <rocksdb/c.h>
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"log"
	"os"
	"unsafe"

	"bloomline/rocksdb"
)

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		log.Fatal("usage: books DIRECTORY [POLICY]")
	}
	text := "{id=bloomline;format=compact;bits_per_key=10}"
	if len(os.Args) == 3 {
		text = os.Args[2]
	}
	if err := run(os.Args[1], text); err != nil {
		log.Fatal(err)
	}
}

func run(directory, text string) error {
	policy, err := rocksdb.NewFilterPolicy(text)
	if err != nil {
		return err
	}
	table := C.rocksdb_block_based_options_create()
	defer C.rocksdb_block_based_options_destroy(table)
	C.rocksdb_block_based_options_set_filter_policy(table, (*C.rocksdb_filterpolicy_t)(policy))
	options := C.rocksdb_options_create()
	defer C.rocksdb_options_destroy(options)
	C.rocksdb_options_set_create_if_missing(options, 1)
	C.rocksdb_options_set_block_based_table_factory(options, table)

	name := C.CString(directory)
	defer C.free(unsafe.Pointer(name))
	var message *C.char
	db := C.rocksdb_open(options, name, &message)
	if err := taken(message); err != nil {
		return err
	}
	defer C.rocksdb_close(db)

	write, read := C.rocksdb_writeoptions_create(), C.rocksdb_readoptions_create()
	defer C.rocksdb_writeoptions_destroy(write)
	defer C.rocksdb_readoptions_destroy(read)
	for i := 0; i < 1000; i++ {
		key, length := title(i)
		C.rocksdb_put(db, write, key, length, key, length, &message)
		if err := taken(message); err != nil {
			return err
		}
	}
	flush := C.rocksdb_flushoptions_create()
	defer C.rocksdb_flushoptions_destroy(flush)
	C.rocksdb_flush(db, flush, &message)
	if err := taken(message); err != nil {
		return err
	}
	report, skipped, err := rocksdb.RewriteFilters(unsafe.Pointer(db), nil, "include_level0=true")
	if err != nil {
		return err
	}
	if skipped != 0 {
		return errors.New(report)
	}
	found := 0
	for i := 0; i < 2000; i++ {
		var length C.size_t
		key, keyLength := title(i)
		value := C.rocksdb_get(db, read, key, keyLength, &length, &message)
		if err := taken(message); err != nil {
			return err
		}
		if value != nil {
			found++
			C.rocksdb_free(unsafe.Pointer(value))
		}
	}
	fmt.Printf("found %d of 1000 books\n", found)
	return nil
}

// title is for the arguments of one call.
func title(i int) (*C.char, C.size_t) {
	key := []byte(fmt.Sprintf("book %d", i))
	return (*C.char)(unsafe.Pointer(&key[0])), C.size_t(len(key))
}

func taken(message *C.char) error {
	if message == nil {
		return nil
	}
	defer C.rocksdb_free(unsafe.Pointer(message))
	return errors.New(C.GoString(message))
}
