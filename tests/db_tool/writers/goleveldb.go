// Writes a database of goleveldb with its Bloom filter.
//
// Usage: goleveldb FOLDER NUM_KEYS
//
// The keys are even numbers, as 8-byte big-endian keys.
package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/util"
)

func main() {
	numKeys, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	db, err := leveldb.OpenFile(os.Args[1], &opt.Options{
		Filter:      filter.NewBloomFilter(10),
		WriteBuffer: 1 << 20,
	})
	if err != nil {
		log.Fatal(err)
	}
	for i := 0; i < numKeys; i++ {
		key := make([]byte, 8)
		binary.BigEndian.PutUint64(key, uint64(2*i))
		if err := db.Put(key, []byte(fmt.Sprintf("%0100d", i)), nil); err != nil {
			log.Fatal(err)
		}
	}
	if err := db.CompactRange(util.Range{}); err != nil {
		log.Fatal(err)
	}
	if err := db.Close(); err != nil {
		log.Fatal(err)
	}
}
