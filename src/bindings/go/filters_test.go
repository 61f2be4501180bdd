package bloomline_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bloomline"
)

// keysOf returns n keys of many lengths: the empty one, and one longer than a batch.
func keysOf(kind string, n int) [][]byte {
	keys := [][]byte{{}, bytes.Repeat([]byte(kind), 100000)}
	for i := len(keys); i < n; i++ {
		keys = append(keys, []byte(fmt.Sprint(strings.Repeat(kind, 1+i%40), i)))
	}
	return keys
}

func must[T any](made T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
}

func check(t testing.TB, ok bool, format string, values ...any) {
	t.Helper()
	if !ok {
		t.Fatalf(format, values...)
	}
}

const numKeys = 3000 // several batches

func newBloom(t testing.TB, capacity uint64) *bloomline.BloomFilter {
	return must(bloomline.NewBloomFilter(bloomline.BloomFilterOptions{Capacity: capacity}))(t)
}

type queried interface {
	MayMatch(key []byte) bool
	MayMatchKeys(keys [][]byte) []bool
}

// expectKeys checks that all keys match, that the functions for one key and for many agree, and that
// at most 3 % of other keys match.
func expectKeys(t testing.TB, f queried, keys [][]byte) {
	t.Helper()
	for i, match := range f.MayMatchKeys(keys) {
		check(t, match && f.MayMatch(keys[i]), "%T: key %d is lost", f, i)
	}
	others, wrong := keysOf("other", len(keys))[1:], 0
	for i, match := range f.MayMatchKeys(others) {
		check(t, match == f.MayMatch(others[i]), "%T: two answers for key %d", f, i)
		if match {
			wrong++
		}
	}
	check(t, wrong <= len(others)*3/100, "%T: %d of %d other keys match", f, wrong, len(others))
	check(t, len(f.MayMatchKeys(nil)) == 0, "%T: answers for no keys", f)
}

func TestFilterHasWhatWasAdded(t *testing.T) {
	keys, f := keysOf("key", numKeys), newBloom(t, numKeys)
	check(t, f.AddKey(keys[2]), "the first key is not new")
	allocations := testing.AllocsPerRun(10, func() { f.MayMatch(keys[1]) })
	check(t, allocations == 0, "%v allocations in a query", allocations)
	check(t, !f.AddKey(keys[2]), "a key that is in is new")
	added := f.AddKeys(keys)
	check(t, added > numKeys*97/100 && added < numKeys, "%d are new", added)
	expectKeys(t, f, keys)
}

func TestFilesAndBytesAreTheSame(t *testing.T) {
	keys, path, f := keysOf("key", numKeys), filepath.Join(t.TempDir(), "file"), newBloom(t, numKeys)
	f.AddKeys(keys)
	check(t, f.Save(path) == nil, "not saved")
	content := must(os.ReadFile(path))(t)
	check(t, bytes.Equal(content, must(f.ToBytes())(t)), "bytes differ")
	expectKeys(t, must(bloomline.LoadBloomFilter(path))(t), keys)
	expectKeys(t, must(bloomline.BloomFilterFromBytes(content))(t), keys)
	content[len(content)/2] ^= 1
	_, err := bloomline.BloomFilterFromBytes(content)
	check(t, err != nil && strings.HasPrefix(err.Error(), "bloomline: "), "%v", err)
	check(t, f.Save(path+"\x00") != nil, "a path with a null byte")
	check(t, f.Save("/nowhere/file") != nil, "saved nowhere")
	_, err = bloomline.LoadBloomFilter(path + ".missing")
	check(t, errors.Is(err, fs.ErrNotExist), "%v", err)
}

func TestBloomFilters(t *testing.T) {
	keys := keysOf("key", numKeys)
	left, right := newBloom(t, numKeys), newBloom(t, numKeys)
	left.AddKeys(keys[:2000])
	right.AddKeys(keys[1000:])
	both := must(left.Copy())(t)
	check(t, both.Equal(left) && !both.Equal(right), "a copy is not equal")
	check(t, both.Merge(right) == nil, "not merged")
	expectKeys(t, both, keys)
	check(t, left.Intersect(right) == nil, "not intersected")
	expectKeys(t, left, keys[1000:2000])
	shared := left.NumKeys()
	check(t, shared > 900 && shared < 1100, "%d shared keys", shared)
	check(t, both.Merge(newBloom(t, 10*numKeys)) != nil, "filters of two sizes are merged")
	check(t, both.Merge(both) == nil, "not merged with itself")

	check(t, both.Capacity() == numKeys && !both.IsPastCapacity() && both.Seed() == 0 &&
		both.Layout() == bloomline.LayoutBlocked, "wrong figures")
	check(t, both.NumBits() > 9*numKeys && both.NumProbes() > 0, "wrong figures")
	estimated, rate := both.EstimatedNumKeys(), both.EstimatedFalsePositiveRate()
	check(t, estimated > 2900 && estimated < 3100, "%d keys estimated", estimated)
	check(t, rate > 0.003 && rate < 0.012, "rate %v estimated", rate)
	both.Clear()
	check(t, both.NumKeys() == 0 && !both.MayMatch(keys[5]), "not cleared")
}

func TestStaticFilters(t *testing.T) {
	keys := keysOf("key", numKeys)
	for _, format := range []bloomline.Format{bloomline.FormatBlocked, bloomline.FormatRibbon} {
		options := bloomline.FilterOptions{Format: format, BitsPerKey: 9, Seed: 5}
		builder := must(bloomline.NewFilterBuilder(options))(t)
		other := must(bloomline.NewFilterBuilder(options))(t)
		builder.AddKeys(keys[:2900])
		for _, key := range keys[2900:] {
			other.AddKey(key)
		}
		other.AddKeyAndPrefix([]byte("prefix and key"), []byte("prefix"))
		check(t, builder.TakeKeysFrom(other) == nil && builder.NumKeys() == numKeys+2, "not taken")
		stranger := must(bloomline.NewFilterBuilder(bloomline.FilterOptions{RandomSeed: true}))(t)
		check(t, builder.TakeKeysFrom(stranger) != nil, "keys of another seed are taken")
		content := must(builder.Finish(2))(t)
		check(t, builder.NumKeys() == 0, "keys are left")
		_, err := builder.Finish(0)
		check(t, err != nil && strings.Contains(err.Error(), "allowed"), "0 threads: %v", err)
		check(t, bloomline.ValidateFilter(content) == nil, "no filter")

		view := must(bloomline.OpenFilterView(content))(t)
		for i := range content {
			content[i] = 0 // the view has copied it
		}
		expectKeys(t, view, keys)
		check(t, view.MayMatch([]byte("prefix")) && !view.AlwaysMatches(), "no prefix")
		check(t, (view.NumProbes() == 0) == (format == bloomline.FormatRibbon), "wrong probes")
	}
	view := must(bloomline.OpenFilterView(nil))(t)
	check(t, view.AlwaysMatches() && view.MayMatch(nil), "no bytes are a filter")
	check(t, bloomline.ValidateFilter(nil) != nil, "no bytes are valid")
}

func second[T any](_ T, err error) error { return err }

func TestWrongValuesAreNamed(t *testing.T) {
	of := func(options bloomline.BloomFilterOptions) error {
		return second(bloomline.NewBloomFilter(options))
	}
	builder := func(options bloomline.FilterOptions) error {
		return second(bloomline.NewFilterBuilder(options))
	}
	for want, err := range map[string]error{
		"capacity is 0; allowed: 1 and more, or num_bits": of(bloomline.BloomFilterOptions{}),
		"num_probes is 2147483647 beside num_bits": of(bloomline.BloomFilterOptions{
			NumBits: 512, NumProbes: 1<<32 + 6}),
		"layout is 9; allowed: 0 ": of(bloomline.BloomFilterOptions{Layout: 9}),
		"format is -1; allowed: ":  builder(bloomline.FilterOptions{Format: 7}),
		"allowed: blocked, ribbon": builder(bloomline.FilterOptions{Format: bloomline.FormatCompact}),
		"bits_per_key is nan":      builder(bloomline.FilterOptions{BitsPerKey: math.NaN()}),
		"num_bits is":              newBloom(t, 1).Merge(newBloom(t, 1000)),
		"rate is 2":                second(bloomline.BitsPerKeyForFalsePositiveRate(0, 2)),
	} {
		check(t, err != nil && strings.Contains(err.Error(), want), "not %q: %v", want, err)
	}
	bits := must(bloomline.BitsPerKeyForFalsePositiveRate(bloomline.FormatRibbon, 0.01))(t)
	check(t, bits > 6.8 && bits < 7.1, "%v bits", bits)
	check(t, bloomline.Version() != "" && bloomline.ActiveKernelName() != "", "no names")
	check(t, must(bloomline.DrawSeed())(t) != must(bloomline.DrawSeed())(t), "two seeds are equal")
}

// TestClosedFiltersSaySo calls every method of every type after Close, and on the zero value.
func TestClosedFiltersSaySo(t *testing.T) {
	builder := must(bloomline.NewFilterBuilder(bloomline.FilterOptions{}))(t)
	closed := []any{builder, must(bloomline.OpenFilterView(nil))(t), newBloom(t, 1),
		&bloomline.FilterBuilder{}, &bloomline.FilterView{}, &bloomline.BloomFilter{}}
	calls := 0
	for _, f := range closed {
		value := reflect.ValueOf(f)
		copied := reflect.New(value.Elem().Type())
		copied.Elem().Set(value.Elem()) // a copy shares the handle
		for i := 0; i < 2; i++ {
			check(t, f.(interface{ Close() error }).Close() == nil, "%T: not closed twice", f)
		}
		for i := 0; i < value.NumMethod(); i++ {
			name := value.Type().Method(i).Name
			if name == "Close" {
				continue
			}
			for _, v := range []reflect.Value{value, copied} {
				check(t, panicOf(v.Method(i)) == bloomline.ErrClosed, "%T.%s works", f, name)
				calls++
			}
		}
	}
	check(t, calls > 80, "only %d calls", calls)
	for _, name := range []string{"Merge", "Intersect", "Equal"} {
		method := reflect.ValueOf(newBloom(t, 1)).MethodByName(name)
		check(t, panicOf(method) == bloomline.ErrClosed, "%s of a closed filter works", name)
	}
}

// panicOf calls a method with zero values, and returns what it panics with.
func panicOf(method reflect.Value) (failure any) {
	defer func() { failure = recover() }()
	var arguments []reflect.Value
	for i := 0; i < method.Type().NumIn(); i++ {
		argument := method.Type().In(i)
		value := reflect.Zero(argument)
		if argument.Kind() == reflect.Pointer { // another filter
			value = reflect.New(argument.Elem())
		}
		arguments = append(arguments, value)
	}
	method.Call(arguments)
	return nil
}

func TestManyGoroutines(t *testing.T) {
	keys, bloom := keysOf("key", 4*numKeys), newBloom(t, 4*numKeys)
	bloom.AddKeys(keys)
	var done sync.WaitGroup
	for part := 0; part < 4; part++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for i, match := range bloom.MayMatchKeys(keys) {
				if !match || !bloom.MayMatch(keys[i]) {
					t.Errorf("key %d is lost", i)
				}
			}
		}()
	}
	done.Wait()
}

func mappedBytes(t testing.TB) int {
	var pages int
	fmt.Sscan(string(must(os.ReadFile("/proc/self/statm"))(t)), &pages)
	return pages * os.Getpagesize()
}

// TestCollectorFreesFilters makes filters of 6.4 GiB without Close.
func TestCollectorFreesFilters(t *testing.T) {
	before := mappedBytes(t)
	for i := 0; i < 100; i++ {
		f := must(bloomline.NewBloomFilter(bloomline.BloomFilterOptions{
			NumBits: 64 << 23, NumProbes: 4}))(t)
		check(t, f.AddKey([]byte("key")), "not new")
		if i%8 == 0 {
			runtime.GC()
			time.Sleep(10 * time.Millisecond) // finalizers run in a goroutine
		}
	}
	more := mappedBytes(t) - before
	check(t, more < 3<<30, "%d MiB are left", more>>20)
}
