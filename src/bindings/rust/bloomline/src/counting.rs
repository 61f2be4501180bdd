use crate::ErrorKind::{InvalidInput, OutOfMemory};
use crate::{additions, builder, debug, done, ffi, getters, handle, keys, made, queries, saved};
use crate::{BloomFilter, Error};

builder! {
    /// The size of a [`CountingBloomFilter`]: from a capacity and a false-positive rate, or from a
    /// number of counters and of probes.
    CountingBloomFilterBuilder, bloomline_countingoptions_t, bloomline_countingoptions_create,
    bloomline_countingoptions_destroy;
    /// Distinct keys in at the same time, up to which the filter keeps its false-positive rate.
    capacity(u64) bloomline_countingoptions_set_capacity;
    /// Fraction of missing keys that match in a filter of `capacity` keys. Default: 0.01.
    false_positive_rate(f64) bloomline_countingoptions_set_false_positive_rate;
    /// In place of capacity and rate; rounded up to a multiple of 512.
    num_counters(u64) bloomline_countingoptions_set_num_counters;
    /// Counters that a key has, 1 to 30. Only with `num_counters`.
    num_probes(i32) bloomline_countingoptions_set_num_probes;
    /// 4 or 8: a key may be in 14 or 254 times. Default: 4.
    counter_bits(i32) bloomline_countingoptions_set_counter_bits;
    /// Seed of the hash, default 0; see [`draw_seed`](crate::draw_seed).
    seed(u64) bloomline_countingoptions_set_seed;
}

impl CountingBloomFilterBuilder {
    /// An empty filter.
    pub fn build(&self) -> Result<CountingBloomFilter, Error> {
        let options = self.options()?;
        // Safety: the options are copied.
        made(InvalidInput, |e| unsafe { ffi::bloomline_counting_create(options, e) })
            .map(CountingBloomFilter)
    }

    /// An empty filter for so many keys.
    pub fn expected_items(self, capacity: u64) -> Result<CountingBloomFilter, Error> {
        self.capacity(capacity).build()
    }
}

handle! {
    /// A filter from which keys can be removed: counting_bloom_filter.h. Remove only what was
    /// added: the removal of a false positive can lose other keys.
    ///
    /// ```
    /// let mut open = bloomline::CountingBloomFilter::with_false_pos(0.01).expected_items(1000)?;
    /// open.insert("session 1");
    /// assert!(open.remove("session 1"));
    /// assert!(!open.contains("session 1"));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    CountingBloomFilter, bloomline_counting_t, bloomline_counting_destroy
}
saved! {
    CountingBloomFilter, bloomline_counting_load, bloomline_counting_from_bytes,
    bloomline_counting_save, bloomline_counting_to_bytes, bloomline_counting_clear
}
getters! {
    CountingBloomFilter;
    /// Counters in memory, a multiple of 512.
    num_counters: u64 = bloomline_counting_num_counters;
    /// Bits of a counter.
    counter_bits: i32 = bloomline_counting_counter_bits;
    /// Counters that a key has.
    num_probes: i32 = bloomline_counting_num_probes;
    /// Seed of the hash.
    seed: u64 = bloomline_counting_seed;
    /// Keys up to which the filter keeps its false-positive rate; 0 if nobody said.
    capacity: u64 = bloomline_counting_capacity;
    /// Where counters stop: 15 or 255.
    max_count: u32 = bloomline_counting_max_count;
    /// Additions less removals.
    num_keys: u64 = bloomline_counting_num_keys;
    /// Counters that have reached their maximum, and stay there.
    num_saturated_counters: u64 = bloomline_counting_num_saturated_counters;
}
debug! { CountingBloomFilter; num_keys num_counters counter_bits num_probes }
additions! {
    CountingBloomFilter, [mut],
    "Adds a key, once more if it is in. True: it was certainly not in before.",
    bloomline_counting_add_key, bloomline_counting_add_keys
}
queries! { CountingBloomFilter, bloomline_counting_may_match, bloomline_counting_may_match_keys }

impl CountingBloomFilter {
    /// Sets size and rate one by one.
    pub fn builder() -> CountingBloomFilterBuilder {
        CountingBloomFilterBuilder::default()
    }

    /// For a false-positive rate, 0.01 for 1 %. The number of keys follows.
    pub fn with_false_pos(rate: f64) -> CountingBloomFilterBuilder {
        CountingBloomFilterBuilder::default().false_positive_rate(rate)
    }

    /// Undoes one `insert` of the key. False: it is certainly not in, and nothing changed.
    #[inline]
    pub fn remove(&mut self, key: impl AsRef<[u8]>) -> bool {
        let (key, length) = keys::parts(key.as_ref());
        // Safety: the key is read during the call alone.
        unsafe { ffi::bloomline_counting_remove_key(self.0.as_ptr(), key, length) != 0 }
    }

    /// How often the key is in: never too low up to `max_count`.
    #[inline]
    pub fn estimated_count(&self, key: impl AsRef<[u8]>) -> u32 {
        let (key, length) = keys::parts(key.as_ref());
        // Safety: the key is read during the call alone.
        unsafe { ffi::bloomline_counting_estimated_count(self.0.as_ptr(), key, length) }
    }

    /// Removes many keys. Returns how many were in.
    pub fn remove_keys(&mut self, keys: impl IntoIterator<Item = impl AsRef<[u8]>>) -> usize {
        let mut removed = 0;
        keys::for_groups(keys, |count, keys, lengths| {
            let (handle, none) = (self.0.as_ptr(), std::ptr::null_mut());
            // Safety: so many keys and lengths; the answers may be NULL.
            removed +=
                unsafe { ffi::bloomline_counting_remove_keys(handle, count, keys, lengths, none) };
        });
        removed
    }

    /// Adds all keys of `other`. Fails unless both have the same shape and seed.
    pub fn merge(&mut self, other: &CountingBloomFilter) -> Result<(), Error> {
        let (to, from) = (self.0.as_ptr(), other.0.as_ptr());
        // Safety: &mut and & cannot be the same filter.
        done(InvalidInput, |e| unsafe { ffi::bloomline_counting_merge(to, from, e) })
    }

    /// A Bloom filter with the same answers, in a quarter or an eighth of the memory.
    pub fn to_bloom(&self) -> Result<BloomFilter, Error> {
        // Safety: a handle that is not NULL.
        made(OutOfMemory, |e| unsafe { ffi::bloomline_counting_create_bloom(self.0.as_ptr(), e) })
            .map(BloomFilter::from_handle)
    }
}

impl PartialEq for CountingBloomFilter {
    fn eq(&self, other: &CountingBloomFilter) -> bool {
        // Safety: handles that are not NULL.
        unsafe { ffi::bloomline_counting_equal(self.0.as_ptr(), other.0.as_ptr()) != 0 }
    }
}
impl Eq for CountingBloomFilter {}
