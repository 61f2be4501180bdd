package bloomline_test

import (
	"fmt"
	"log"

	"bloomline"
)

func Example() {
	seen, err := bloomline.NewBloomFilter(bloomline.BloomFilterOptions{Capacity: 1000000})
	if err != nil {
		log.Fatal(err)
	}
	defer seen.Close()
	seen.AddKey([]byte("apple"))
	fmt.Println(seen.MayMatch([]byte("apple")), seen.MayMatch([]byte("pear")))
	// Output: true false
}

func ExampleFilterBuilder() {
	builder, err := bloomline.NewFilterBuilder(
		bloomline.FilterOptions{Format: bloomline.FormatRibbon, BitsPerKey: 8})
	if err != nil {
		log.Fatal(err)
	}
	defer builder.Close()
	for i := 0; i < 1000; i++ {
		builder.AddKey([]byte(fmt.Sprint(i)))
	}
	filter, err := builder.Finish(1)
	if err != nil {
		log.Fatal(err)
	}
	view, err := bloomline.OpenFilterView(filter)
	if err != nil {
		log.Fatal(err)
	}
	defer view.Close()
	fmt.Println(len(filter) < 1200, view.MayMatch([]byte("7")), view.MayMatch([]byte("x")))
	// Output: true true false
}
