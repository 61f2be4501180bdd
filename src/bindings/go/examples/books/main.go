// Books opens a RocksDB with Ribbon filters, or filters of another policy, through RocksDB's C
// functions, writes a thousand keys, and reads them. Files of an earlier run get new filters, too.
package main

// #include <rocksdb/c.h>
import "C"

import (
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
	text := "{id=bloomline;format=ribbon;bits_per_key=10}"
	if len(os.Args) == 3 {
		text = os.Args[2]
	}
	policy, err := rocksdb.NewFilterPolicy(text)
	if err != nil {
		log.Fatal(err)
	}
	// The end of the process frees what RocksDB's C functions create.
	table := C.rocksdb_block_based_options_create()
	C.rocksdb_block_based_options_set_filter_policy(table, (*C.rocksdb_filterpolicy_t)(policy))
	options := C.rocksdb_options_create()
	C.rocksdb_options_set_create_if_missing(options, 1)
	C.rocksdb_options_set_block_based_table_factory(options, table)
	var message *C.char
	db := C.rocksdb_open(options, C.CString(os.Args[1]), &message)
	check(message)

	write, read := C.rocksdb_writeoptions_create(), C.rocksdb_readoptions_create()
	for i := 0; i < 1000; i++ {
		key, length := title(i)
		C.rocksdb_put(db, write, key, length, key, length, &message)
		check(message)
	}
	C.rocksdb_flush(db, C.rocksdb_flushoptions_create(), &message)
	check(message)
	report, skipped, err := rocksdb.RewriteFilters(unsafe.Pointer(db), nil, "include_level0=true")
	if err != nil || skipped != 0 {
		log.Fatal(report, err)
	}
	found := 0
	for i := 0; i < 2000; i++ {
		var length C.size_t
		key, keyLength := title(i)
		value := C.rocksdb_get(db, read, key, keyLength, &length, &message)
		check(message)
		if value != nil {
			found++
			C.rocksdb_free(unsafe.Pointer(value))
		}
	}
	fmt.Printf("found %d of 1000 books\n", found)
	C.rocksdb_close(db)
}

// title makes arguments that are valid during one call.
func title(i int) (*C.char, C.size_t) {
	key := []byte(fmt.Sprintf("book %d", i))
	return (*C.char)(unsafe.Pointer(&key[0])), C.size_t(len(key))
}

// check ends the program if a function of RocksDB failed.
func check(message *C.char) {
	if message != nil {
		log.Fatal(C.GoString(message))
	}
}
