use crate::{ffi, Format};

/// The false-positive rate of a static filter of thousands of keys. `bits_per_key` is clamped to
/// the range of the format.
pub fn false_positive_rate(format: Format, bits_per_key: f64) -> f64 {
    // Safety: any arguments are allowed.
    unsafe { ffi::bloomline_false_positive_rate(format.into(), bits_per_key) }
}

/// The bits per key that a static filter needs for a false-positive rate (0.01 for 1 %); None if no
/// such filter reaches it.
///
/// ```
/// use bloomline::{bits_per_key_for_false_positive_rate, Format};
/// let bits = |format| bits_per_key_for_false_positive_rate(format, 0.01).unwrap();
/// assert!(bits(Format::Compact) < 0.75 * bits(Format::Blocked));
/// ```
pub fn bits_per_key_for_false_positive_rate(format: Format, rate: f64) -> Option<f64> {
    // Safety: any arguments are allowed.
    let bits = unsafe { ffi::bloomline_bits_per_key_for_false_positive_rate(format.into(), rate) };
    (!bits.is_nan()).then_some(bits)
}

/// The bytes of a static filter with this many keys; None if no such filter exists.
pub fn filter_bytes(format: Format, num_keys: u64, bits_per_key: f64) -> Option<u64> {
    // Safety: any arguments are allowed.
    match unsafe { ffi::bloomline_filter_bytes(format.into(), num_keys, bits_per_key) } {
        0 => None,
        bytes => Some(bytes),
    }
}
