package bloomline

// #include "batch.h"
import "C"

import (
	"fmt"
	"math"
)

// FalsePositiveRate returns the rate of a static filter of thousands of keys. 0.01 is 1 %.
func FalsePositiveRate(format Format, bitsPerKey float64) (float64, error) {
	if err := validateBits(format, bitsPerKey); err != nil {
		return 0, err
	}
	return float64(C.bloomline_false_positive_rate(format.c(), C.double(bitsPerKey))), nil
}

// BitsPerKeyForFalsePositiveRate returns the least bits per key with at most that rate.
func BitsPerKeyForFalsePositiveRate(format Format, rate float64) (float64, error) {
	var message *C.char
	ok := C.bloomline_validate_false_positive_rate(format.c(), C.double(rate), &message)
	if err := inGo(failed(ok, message)); err != nil {
		return 0, err
	}
	return float64(C.bloomline_bits_per_key_for_false_positive_rate(format.c(),
		C.double(rate))), nil
}

// FilterBytes returns the size of a static filter of that many distinct keys.
func FilterBytes(format Format, numKeys uint64, bitsPerKey float64) (uint64, error) {
	if err := validateBits(format, bitsPerKey); err != nil {
		return 0, err
	}
	return uint64(C.bloomline_filter_bytes(format.c(), C.uint64_t(numKeys),
		C.double(bitsPerKey))), nil
}

func validateBits(format Format, bitsPerKey float64) error {
	options, err := FilterOptions{Format: format}.make()
	if err != nil {
		return err
	}
	defer C.bloomline_filteroptions_destroy(options)
	C.bloomline_filteroptions_set_bits_per_key(options, C.double(bitsPerKey))
	return validate(options)
}

// KeysOfLevels returns the keys of full levels, as fractions of all keys, the smallest level first.
func KeysOfLevels(numLevels int, levelSizeRatio float64) ([]float64, error) {
	keys := make([]C.double, 64)
	if C.bloomline_keys_of_levels(cInt(numLevels), C.double(levelSizeRatio), &keys[0]) == 0 {
		return nil, fmt.Errorf("bloomline: numLevels is %d and levelSizeRatio %g; allowed: "+
			"1 to 64, and 1 to 1000", numLevels, levelSizeRatio)
	}
	return goDoubles(keys[:numLevels]), nil
}

// SpreadBitsByLevel returns the bits per key of each level that waste the fewest reads for missing
// keys. runsOfLevel, the sorted runs of each level, may be nil: 1 each.
func SpreadBitsByLevel(format Format, bitsPerKey float64, keysOfLevel,
	runsOfLevel []float64) ([]float64, error) {
	keys, runs, err := cLevels("keysOfLevel", keysOfLevel, runsOfLevel)
	if err != nil {
		return nil, err
	}
	bits := make([]C.double, len(keys))
	var message *C.char
	ok := C.bloomline_spread_bits_by_level(format.c(), C.double(bitsPerKey), first(keys),
		first(runs), C.int(len(keys)), first(bits), &message)
	return goDoubles(bits), inGo(failed(ok, message))
}

// WastedReads returns the reads that a Get of a missing key is expected to waste.
func WastedReads(format Format, bitsOfLevel, runsOfLevel []float64) (float64, error) {
	bits, runs, err := cLevels("bitsOfLevel", bitsOfLevel, runsOfLevel)
	if err != nil {
		return 0, err
	}
	reads := float64(C.bloomline_wasted_reads(format.c(), first(bits), first(runs),
		C.int(len(bits))))
	if math.IsNaN(reads) {
		keys := make([]float64, len(bits))
		for i := range keys {
			keys[i] = 1
		}
		if _, err := SpreadBitsByLevel(format, 10, keys, runsOfLevel); err != nil {
			return 0, err // its sentence about format, levels and runs
		}
		return 0, fmt.Errorf("bloomline: bitsOfLevel is %v; allowed: 0, or bits per key that the "+
			"format allows", bitsOfLevel)
	}
	return reads, nil
}

// BitsPerKeyForWastedReads returns the least bits per key with which SpreadBitsByLevel wastes at
// most that many reads.
func BitsPerKeyForWastedReads(format Format, wastedReads float64, keysOfLevel,
	runsOfLevel []float64) (float64, error) {
	// For its sentence about the levels.
	if _, err := SpreadBitsByLevel(format, 10, keysOfLevel, runsOfLevel); err != nil {
		return 0, err
	}
	keys, runs, _ := cLevels("keysOfLevel", keysOfLevel, runsOfLevel)
	bits := float64(C.bloomline_bits_per_key_for_wasted_reads(format.c(), C.double(wastedReads),
		first(keys), first(runs), C.int(len(keys))))
	if math.IsNaN(bits) {
		return 0, fmt.Errorf("bloomline: wastedReads is %g; allowed: above 0, and what the most "+
			"bits per key of the format reach", wastedReads)
	}
	return bits, nil
}

func cLevels(name string, levels, runs []float64) (cLevels, cRuns []C.double, err error) {
	if runs != nil && len(runs) != len(levels) {
		return nil, nil, fmt.Errorf("bloomline: runsOfLevel has %d levels; allowed: %d, as %s",
			len(runs), len(levels), name)
	}
	return cDoubles(levels), cDoubles(runs), nil
}

func cDoubles(values []float64) []C.double {
	result := make([]C.double, len(values))
	for i, value := range values {
		result[i] = C.double(value)
	}
	return result
}

func goDoubles(values []C.double) []float64 {
	result := make([]float64, len(values))
	for i, value := range values {
		result[i] = float64(value)
	}
	return result
}

func first(values []C.double) *C.double {
	if len(values) == 0 {
		return nil
	}
	return &values[0]
}
