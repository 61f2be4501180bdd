//go:build ignore

// Opens a RocksDB with Ribbon filters through grocksdb: go run main.go DIRECTORY
package main

import (
	"fmt"
	"log"
	"os"

	"bloomline/rocksdb"

	"github.com/linxGnu/grocksdb"
)

func main() {
	if err := rocksdb.Register(); err != nil {
		log.Fatal(err)
	}
	base := grocksdb.NewDefaultOptions()
	base.SetCreateIfMissing(true)
	table := grocksdb.NewDefaultBlockBasedTableOptions()
	table.SetBlockSize(16 << 10)
	base.SetBlockBasedTableFactory(table)
	options, err := grocksdb.GetOptionsFromString(base,
		"block_based_table_factory={filter_policy={id=bloomline;format=ribbon;bits_per_key=10}}")
	if err != nil {
		log.Fatal(err)
	}
	db, err := grocksdb.OpenDb(options, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for i := 0; i < 1000; i++ {
		key := []byte(fmt.Sprintf("book %d", i))
		if err := db.Put(grocksdb.NewDefaultWriteOptions(), key, key); err != nil {
			log.Fatal(err)
		}
	}
	if err := db.Flush(grocksdb.NewDefaultFlushOptions()); err != nil {
		log.Fatal(err)
	}
	value, err := db.GetBytes(grocksdb.NewDefaultReadOptions(), []byte("book 7"))
	if err != nil || string(value) != "book 7" {
		log.Fatalf("%q, %v", value, err)
	}
}
