// Reads a database that bloomline wrote, and adds keys with goleveldb's own filters.
// Usage: go_side FOLDER; prints how many keys it finds, how many that are not there, and how many
// filters it asked.
package main

import (
	"fmt"
	"os"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/util"
)

// goleveldb's Bloom filter has an older name, by which it would not find LevelDB's filters.
type namedFilter struct {
	filter.Filter
	queries *int
}

func (namedFilter) Name() string { return "leveldb.BuiltinBloomFilter2" }
func (f namedFilter) Contains(bytes, key []byte) bool {
	*f.queries++
	return f.Filter.Contains(bytes, key)
}

const numKeys = 40000

func key(number int) []byte { return []byte(fmt.Sprintf("key%d", number)) }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "go_side:", err)
		os.Exit(1)
	}
}

func main() {
	queries := 0
	options := &opt.Options{
		ErrorIfMissing: true,
		Filter:         namedFilter{filter.NewBloomFilter(10), &queries},
	}
	db, err := leveldb.OpenFile(os.Args[1], options)
	check(err)
	found, wrong := 0, 0
	for i := 0; i < numKeys; i++ {
		value, err := db.Get(key(i), nil)
		switch {
		case err == nil && i%2 == 0 && string(value) == string(key(i)):
			found++
		case err != leveldb.ErrNotFound || i%2 == 0:
			wrong++
		}
	}
	fmt.Println(found, wrong, queries)
	for i := 1; i < numKeys; i += 2 {
		check(db.Put(key(i), key(i), nil))
	}
	check(db.CompactRange(util.Range{Limit: key(20000)}))
	check(db.Close())
}
