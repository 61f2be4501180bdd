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
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
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
	keys, path := keysOf("key", numKeys), filepath.Join(t.TempDir(), "file")
	for _, format := range []bloomline.Format{bloomline.FormatBlocked, bloomline.FormatCompact} {
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
		check(t, builder.Err() == nil && builder.NumKeys() == 0, "%v", builder.Err())
		_, err := builder.Finish(0)
		check(t, err != nil && strings.Contains(err.Error(), "allowed"), "0 threads: %v", err)
		check(t, bloomline.ValidateFilter(content) == nil, "no filter")

		view := must(bloomline.OpenFilterView(content))(t)
		for i := range content {
			content[i] = 0 // it was copied
		}
		expectKeys(t, view, keys)
		check(t, view.MayMatch([]byte("prefix")) && !view.AlwaysMatches(), "no prefix")
		check(t, (view.NumProbes() == 0) == (format == bloomline.FormatCompact), "wrong probes")

	}
	check(t, os.WriteFile(path, nil, 0o600) == nil, "not written")
	view := must(bloomline.OpenMappedFilterView(path))(t)
	check(t, view.AlwaysMatches() && view.MayMatch(nil), "no bytes are a filter")
	check(t, bloomline.ValidateFilter(nil) != nil, "no bytes are valid")
	_, err := bloomline.OpenMappedFilterView(path + ".missing")
	check(t, errors.Is(err, fs.ErrNotExist), "%v", err)
}

func TestOnlyRegularFiles(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe") // to open it for reading waits for a writer; none comes
	check(t, syscall.Mkfifo(pipe, 0o600) == nil, "no pipe")
	for _, path := range []string{pipe, folder, "/dev/zero"} {
		for _, err := range []error{
			second(bloomline.LoadBloomFilter(path)),
			second(bloomline.OpenMappedFilterView(path)),
			newBloom(t, 1).Save(path),
		} {
			check(t, err != nil && strings.HasSuffix(err.Error(), path+": is not a regular file"),
				"%s: %v", path, err)
		}
	}
}

func TestSizing(t *testing.T) {
	bits := must(bloomline.BitsPerKeyForFalsePositiveRate(bloomline.FormatCompact, 0.01))(t)
	rate := must(bloomline.FalsePositiveRate(bloomline.FormatCompact, bits))(t)
	check(t, bits > 6.8 && bits < 7.1 && rate > 0.009 && rate <= 0.01, "%v bits, %v", bits, rate)
	size := must(bloomline.FilterBytes(bloomline.FormatCompact, 1000000, bits))(t)
	check(t, size > 850000 && size < 890000, "%d bytes", size)
	levels := must(bloomline.KeysOfLevels(5, 10))(t)
	spread := must(bloomline.SpreadBitsByLevel(bloomline.FormatCompact, 7, levels, nil))(t)
	check(t, len(spread) == 5 && spread[0] > 23 && spread[4] < 7, "%v", spread)
	reads := must(bloomline.WastedReads(bloomline.FormatCompact, spread, nil))(t)
	bits = must(bloomline.BitsPerKeyForWastedReads(bloomline.FormatCompact, reads, levels, nil))(t)
	check(t, bits > 6.9 && bits < 7.1, "%v bits", bits)
}

// In ribbon, 10 bits per key take about 7.1 of memory.
func TestSizesOfRocksDBsOwnFilters(t *testing.T) {
	levels := must(bloomline.KeysOfLevels(5, 10))(t)
	for format, memory := range map[bloomline.Format]float64{bloomline.FormatBloom: 10,
		bloomline.FormatRibbon: 7.1} {
		rate := must(bloomline.FalsePositiveRate(format, 10))(t)
		check(t, rate > 0.0090 && rate < 0.0099, "%v: rate %v", format, rate)
		bits := must(bloomline.BitsPerKeyForFalsePositiveRate(format, rate))(t)
		check(t, math.Abs(bits-10) < 0.01, "%v: %v bits", format, bits)
		size := must(bloomline.FilterBytes(format, 1000000, 10))(t)
		check(t, math.Abs(8e-6*float64(size)/memory-1) < 0.02, "%v: %d bytes", format, size)
		spread := must(bloomline.SpreadBitsByLevel(format, 10, levels, nil))(t)
		reads := must(bloomline.WastedReads(format, spread, nil))(t)
		check(t, reads < 5*rate/3, "%v: %v wasted reads", format, reads)
		bits = must(bloomline.BitsPerKeyForWastedReads(format, reads, levels, nil))(t)
		check(t, math.Abs(bits-10) < 0.01, "%v: %v bits by level", format, bits)
	}
}

func second[T any](_ T, err error) error { return err }

// ofOthers finds num_bits of C, kBlocked of C++, and numbers of formats and layouts.
var ofOthers = regexp.MustCompile(`[a-z]_[a-z]|\bk[A-Z]|\d \(`)

func TestWrongValuesAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for want, err := range map[string]error{
		"Capacity is 0; allowed: 1 and more, or NumBits": second(bloomline.NewBloomFilter(
			bloomline.BloomFilterOptions{})),
		"NumProbes is 2147483647 beside NumBits": second(bloomline.NewBloomFilter(
			bloomline.BloomFilterOptions{NumBits: 512, NumProbes: 1<<32 + 6})),
		"Layout is 9; allowed: LayoutBlocked, LayoutStandard, LayoutBlocked128, LayoutBlocked64": second(
			bloomline.NewBloomFilter(bloomline.BloomFilterOptions{Layout: 9})),
		"FalsePositiveRate is 1e-30; allowed with LayoutBlocked64: ": second(
			bloomline.NewBloomFilter(bloomline.BloomFilterOptions{Capacity: 1,
				FalsePositiveRate: 1e-30, Layout: bloomline.LayoutBlocked64})),
		"Format is 7; allowed: FormatBlocked, FormatCompact, FormatClassic, FormatBloom, FormatRibbon": second(
			bloomline.FalsePositiveRate(7, 10)),
		"Format is FormatClassic, which is written in LevelDB only; allowed: FormatBlocked": second(
			bloomline.NewFilterBuilder(bloomline.FilterOptions{Format: bloomline.FormatClassic})),
		"Format is FormatBloom, which is written in RocksDB only; allowed: FormatBlocked": second(
			bloomline.NewFilterBuilder(bloomline.FilterOptions{Format: bloomline.FormatBloom})),
		"Format is FormatRibbon, which is written in RocksDB only; allowed: FormatBlocked": second(
			bloomline.NewFilterBuilder(bloomline.FilterOptions{Format: bloomline.FormatRibbon})),
		"RandomSeed is set and Seed is 5; allowed: Seed 0": bloomline.FilterOptions{
			Seed: 5, RandomSeed: true}.Validate(),
		"BitsPerKeyForFalsePositiveRate has the range": bloomline.FilterOptions{
			BitsPerKey: math.NaN()}.Validate(),
		"NumBits is": newBloom(t, 1).Merge(newBloom(t, 1000)),
		"BitsPerKey is 0": second(bloomline.FilterBytes(bloomline.FormatBlocked, 1,
			0)),
		"rate is 2":      second(bloomline.BitsPerKeyForFalsePositiveRate(0, 2)),
		"numLevels is 0": second(bloomline.KeysOfLevels(0, 10)),
		"levelSizeRatio 1001; allowed: 1 to 64, and 1 to 1000": second(
			bloomline.KeysOfLevels(5, 1001)),
		"runs of level 1 is 0": second(
			bloomline.WastedReads(0, []float64{1, 2}, []float64{1, 0})),
		"Format is 7":            second(bloomline.WastedReads(7, []float64{1}, nil)),
		"number of levels is 0":  second(bloomline.WastedReads(0, nil, nil)),
		"bitsOfLevel is [1 0.5]": second(bloomline.WastedReads(0, []float64{1, 0.5}, nil)),
		"runsOfLevel has 1":      second(bloomline.WastedReads(0, []float64{1, 2}, []float64{1})),
		"'x'":                    bloomline.ForceKernel("x"),
		`is "x\x00"`:             bloomline.ForceKernel("x\x00"),
		"no such file":           second(bloomline.LoadBloomFilter(path)),
	} {
		check(t, err != nil && strings.Contains(err.Error(), want), "not %q: %v", want, err)
		text := strings.ReplaceAll(err.Error(), path, "")
		check(t, !ofOthers.MatchString(text), "names of C or C++: %v", err)
	}
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
				check(t, callClosed(v.Method(i)) == bloomline.ErrClosed, "%T.%s works", f, name)
				calls++
			}
		}
	}
	check(t, calls > 100, "only %d calls", calls)
	check(t, newBloom(t, 1).Merge(&bloomline.BloomFilter{}) == bloomline.ErrClosed, "merged")
	check(t, newBloom(t, 1).Intersect(&bloomline.BloomFilter{}) == bloomline.ErrClosed, "intersected")
}

// callClosed returns the error of a call with zero arguments, or what it panics with.
func callClosed(method reflect.Value) (failure any) {
	defer func() {
		if failure == nil {
			failure = recover()
		}
	}()
	var arguments []reflect.Value
	for i := 0; i < method.Type().NumIn(); i++ {
		arguments = append(arguments, reflect.Zero(method.Type().In(i)))
	}
	results := method.Call(arguments)
	if len(results) > 0 && !results[len(results)-1].IsZero() {
		return results[len(results)-1].Interface()
	}
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

func benchmark(b *testing.B, n int) (*bloomline.BloomFilter, [][]byte) {
	f := newBloom(b, uint64(n))
	keys := make([][]byte, n)
	all := make([]byte, 0, 16*n)
	for i := range keys {
		all = append(all, fmt.Sprintf("user:%011d", i)...)
		keys[i] = all[16*i : 16*i+16]
	}
	f.AddKeys(keys)
	b.ResetTimer()
	return f, keys
}

func BenchmarkMayMatch(b *testing.B) {
	f, keys := benchmark(b, 1000000)
	for i := 0; i < b.N; i++ {
		if !f.MayMatch(keys[i%len(keys)]) {
			b.Fatal("a key is lost")
		}
	}
}

func BenchmarkMayMatchKeys(b *testing.B) {
	f, keys := benchmark(b, 1000000)
	const batch = 1000
	for i := 0; i < b.N; i += batch {
		start := i % len(keys)
		f.MayMatchKeys(keys[start : start+batch])
	}
}

func BenchmarkAddKey(b *testing.B) {
	f, keys := benchmark(b, 1000000)
	for i := 0; i < b.N; i++ {
		f.AddKey(keys[i%len(keys)])
	}
}

func BenchmarkAddKeys(b *testing.B) {
	f, keys := benchmark(b, 1000000)
	const batch = 1000
	for i := 0; i < b.N; i += batch {
		start := i % len(keys)
		f.AddKeys(keys[start : start+batch])
	}
}
