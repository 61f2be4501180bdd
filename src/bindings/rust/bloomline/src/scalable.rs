use crate::ErrorKind::InvalidInput;
use crate::{additions, builder, debug, ffi, getters, handle, made, queries, saved, Error, Layout};

builder! {
    /// How a [`ScalableBloomFilter`] begins and grows.
    ScalableBloomFilterBuilder, bloomline_scalableoptions_t, bloomline_scalableoptions_create,
    bloomline_scalableoptions_destroy;
    /// Keys of the first stage; the order of magnitude is enough. Default: 1000.
    initial_capacity(u64) bloomline_scalableoptions_set_initial_capacity;
    /// Upper bound on the rate of the whole filter. Default: 0.01.
    false_positive_rate(f64) bloomline_scalableoptions_set_false_positive_rate;
    /// Each stage has so many times the capacity of the one before, 1 to 16. Default: 2.
    growth(i32) bloomline_scalableoptions_set_growth;
    /// Each stage has so many times the rate of the one before. Default: 0.5.
    tightening(f64) bloomline_scalableoptions_set_tightening;
    /// Default: [`Layout::Blocked`].
    layout(Layout) bloomline_scalableoptions_set_layout;
    /// Seed of the hash, default 0; see [`draw_seed`](crate::draw_seed).
    seed(u64) bloomline_scalableoptions_set_seed;
}

impl ScalableBloomFilterBuilder {
    /// An empty filter.
    pub fn build(&self) -> Result<ScalableBloomFilter, Error> {
        let options = self.options()?;
        // Safety: the options are copied.
        made(InvalidInput, |e| unsafe { ffi::bloomline_scalable_create(options, e) })
            .map(ScalableBloomFilter)
    }
}

handle! {
    /// A filter that grows with its keys, within one false-positive rate:
    /// scalable_bloom_filter.h.
    ///
    /// ```
    /// let mut seen = bloomline::ScalableBloomFilter::with_false_pos(0.001).build()?;
    /// seen.extend((0..100_000u64).map(u64::to_le_bytes));
    /// assert!(seen.contains(99_999u64.to_le_bytes()));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    ScalableBloomFilter, bloomline_scalable_t, bloomline_scalable_destroy
}
saved! {
    ScalableBloomFilter, bloomline_scalable_load, bloomline_scalable_from_bytes,
    bloomline_scalable_save, bloomline_scalable_to_bytes, bloomline_scalable_clear
}
getters! {
    ScalableBloomFilter;
    /// Stages, each of which a query reads.
    num_stages: usize = bloomline_scalable_num_stages;
    /// Bits in memory.
    num_bits: u64 = bloomline_scalable_num_bits;
    /// Keys of all stages so far.
    capacity: u64 = bloomline_scalable_capacity;
    /// Keys that were added and did not match before.
    num_keys: u64 = bloomline_scalable_num_keys;
    /// Distinct keys, estimated from the bits, all of which this reads.
    estimated_num_keys: u64 = bloomline_scalable_estimated_num_keys;
    /// The false-positive rate as the bits are now. Reads all of them.
    estimated_false_positive_rate: f64 = bloomline_scalable_estimated_false_positive_rate;
}
debug! { ScalableBloomFilter; num_keys capacity num_stages num_bits }
additions! {
    ScalableBloomFilter, [mut],
    "Adds a key unless it matches already. True: it was added, and certainly not in before.",
    bloomline_scalable_add_key, bloomline_scalable_add_keys
}
queries! { ScalableBloomFilter, bloomline_scalable_may_match, bloomline_scalable_may_match_keys }

impl ScalableBloomFilter {
    /// Sets the options one by one.
    pub fn builder() -> ScalableBloomFilterBuilder {
        ScalableBloomFilterBuilder::default()
    }

    /// For a false-positive rate, 0.01 for 1 %.
    pub fn with_false_pos(rate: f64) -> ScalableBloomFilterBuilder {
        ScalableBloomFilterBuilder::default().false_positive_rate(rate)
    }

    /// Whether the filter has stopped growing and holds more keys than it should.
    pub fn is_past_capacity(&self) -> bool {
        // Safety: a handle that is not NULL.
        unsafe { ffi::bloomline_scalable_is_past_capacity(self.0.as_ptr()) != 0 }
    }
}
