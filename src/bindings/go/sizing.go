package bloomline

// #include "batch.h"
import "C"

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
	if ok == 0 {
		return 0, taken(message)
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
	options := FilterOptions{Format: format}.make()
	C.bloomline_filteroptions_set_bits_per_key(options, C.double(bitsPerKey))
	return validate(options)
}
