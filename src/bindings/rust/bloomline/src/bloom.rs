use crate::ErrorKind::{InvalidInput, OutOfMemory};
use crate::{additions, builder, debug, done, ffi, getters, handle, made, queries, saved, Error};
use std::os::raw::c_int;

/// Where the bits of a key lie: `BloomLayout` in bloom_filter.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// All in one cache line: 9.9 bits per key for 1 %.
    Blocked,
    /// Anywhere, the standard Bloom filter: 9.6 bits per key for 1 %, more cache misses.
    Standard,
    /// All in a block of 128 bits.
    Blocked128,
    /// All in a block of 64 bits.
    Blocked64,
}

impl From<Layout> for c_int {
    fn from(layout: Layout) -> c_int {
        match layout {
            Layout::Blocked => 0,
            Layout::Standard => 1,
            Layout::Blocked128 => 2,
            Layout::Blocked64 => 3,
        }
    }
}

impl Layout {
    fn from_code(code: c_int) -> Layout {
        use Layout::{Blocked, Blocked128, Blocked64, Standard};
        [Blocked, Standard, Blocked128, Blocked64][code as usize]
    }
}

/// The builders of `BloomFilter` and `AtomicBloomFilter`, which have the same options.
macro_rules! bloom_builder {
    ($(#[$doc:meta])* $name:ident, $filter:ident, $create:ident) => {
        builder! {
            $(#[$doc])*
            $name, bloomline_bloomoptions_t, bloomline_bloomoptions_create,
            bloomline_bloomoptions_destroy;
            /// Distinct keys up to which the filter keeps its false-positive rate. It accepts more.
            capacity(u64) bloomline_bloomoptions_set_capacity;
            /// Fraction of missing keys that match in a filter of `capacity` keys. Default: 0.01.
            false_positive_rate(f64) bloomline_bloomoptions_set_false_positive_rate;
            /// In place of capacity and rate; rounded up to a multiple of 512.
            num_bits(u64) bloomline_bloomoptions_set_num_bits;
            /// Bits that a key sets, 1 to 30. Only with `num_bits`.
            num_probes(i32) bloomline_bloomoptions_set_num_probes;
            /// Default: [`Layout::Blocked`].
            layout(Layout) bloomline_bloomoptions_set_layout;
            /// Seed of the hash, default 0; see [`draw_seed`](crate::draw_seed).
            seed(u64) bloomline_bloomoptions_set_seed;
        }

        impl $name {
            /// An empty filter.
            pub fn build(&self) -> Result<$filter, Error> {
                let options = self.options()?;
                // Safety: the options are copied.
                made(InvalidInput, |e| unsafe { ffi::$create(options, e) }).map($filter)
            }

            /// An empty filter for so many keys.
            pub fn expected_items(self, capacity: u64) -> Result<$filter, Error> {
                self.capacity(capacity).build()
            }

            /// A filter of these keys, sized for them.
            pub fn items(
                self,
                keys: impl IntoIterator<Item = impl AsRef<[u8]>>,
            ) -> Result<$filter, Error> {
                let keys: Vec<_> = keys.into_iter().collect();
                let mut filter = self.expected_items(keys.len().max(1) as u64)?;
                filter.extend(keys);
                Ok(filter)
            }
        }
    };
}
bloom_builder! {
    /// The size of a [`BloomFilter`]: from a capacity and a false-positive rate, or from a number
    /// of bits and of probes.
    BloomFilterBuilder, BloomFilter, bloomline_bloom_create
}
bloom_builder! {
    /// The size of an [`AtomicBloomFilter`]: from a capacity and a false-positive rate, or from a
    /// number of bits and of probes.
    AtomicBloomFilterBuilder, AtomicBloomFilter, bloomline_atomic_create
}

handle! {
    /// A Bloom filter in memory: `BloomFilter` in bloom_filter.h.
    ///
    /// Threads can query one filter together. To add keys, they need an [`AtomicBloomFilter`]:
    ///
    /// ```compile_fail,E0596
    /// let seen = bloomline::BloomFilter::with_false_pos(0.01).expected_items(1000)?;
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| seen.insert("apple")); // error: cannot borrow `seen` as mutable
    /// });
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    BloomFilter, bloomline_bloom_t, bloomline_bloom_destroy
}
saved! {
    BloomFilter, bloomline_bloom_load, bloomline_bloom_from_bytes, bloomline_bloom_save,
    bloomline_bloom_to_bytes, bloomline_bloom_clear
}
getters! {
    BloomFilter;
    /// Bits in memory, a multiple of 512.
    num_bits: u64 = bloomline_bloom_num_bits;
    /// Bits that a key sets.
    num_probes: i32 = bloomline_bloom_num_probes;
    /// Seed of the hash.
    seed: u64 = bloomline_bloom_seed;
    /// Keys up to which the filter keeps its false-positive rate; 0 if nobody said.
    capacity: u64 = bloomline_bloom_capacity;
    /// Additions that changed a bit.
    num_keys: u64 = bloomline_bloom_num_keys;
    /// Distinct keys, estimated from the bits, all of which this reads.
    estimated_num_keys: u64 = bloomline_bloom_estimated_num_keys;
    /// The false-positive rate as the bits are now. Reads all of them.
    estimated_false_positive_rate: f64 = bloomline_bloom_estimated_false_positive_rate;
}

/// What `BloomFilter` and `AtomicBloomFilter` have in common.
macro_rules! bloom_methods {
    ($name:ident, $builder:ident, $layout:ident) => {
        impl $name {
            /// Where the bits of a key lie.
            pub fn layout(&self) -> Layout {
                // Safety: a handle that is not NULL.
                Layout::from_code(unsafe { ffi::$layout(self.0.as_ptr()) })
            }

            /// Sets size and rate one by one.
            pub fn builder() -> $builder {
                $builder::default()
            }

            /// For a false-positive rate, 0.01 for 1 %. The number of keys follows.
            pub fn with_false_pos(rate: f64) -> $builder {
                $builder::default().false_positive_rate(rate)
            }
        }

        debug! { $name; layout num_bits num_probes }
    };
}
bloom_methods! { BloomFilter, BloomFilterBuilder, bloomline_bloom_layout }
additions! {
    BloomFilter, [mut], "Adds a key. True: it was certainly not in before.",
    bloomline_bloom_add_key, bloomline_bloom_add_keys
}
queries! { BloomFilter, bloomline_bloom_may_match, bloomline_bloom_may_match_keys }

impl BloomFilter {
    /// Whether more than `capacity` keys were added.
    pub fn is_past_capacity(&self) -> bool {
        // Safety: a handle that is not NULL.
        unsafe { ffi::bloomline_bloom_is_past_capacity(self.0.as_ptr()) != 0 }
    }

    /// Adds all keys of `other`. Fails unless layout, size, probes and seed are equal.
    pub fn merge(&mut self, other: &BloomFilter) -> Result<(), Error> {
        let (to, from) = (self.0.as_ptr(), other.0.as_ptr());
        // Safety: &mut and & cannot be the same filter.
        done(InvalidInput, |e| unsafe { ffi::bloomline_bloom_merge(to, from, e) })
    }

    /// Keeps the bits that `other` has, too. Fails as `merge` does.
    pub fn intersect(&mut self, other: &BloomFilter) -> Result<(), Error> {
        let (to, from) = (self.0.as_ptr(), other.0.as_ptr());
        // Safety: as in merge.
        done(InvalidInput, |e| unsafe { ffi::bloomline_bloom_intersect(to, from, e) })
    }

    /// A copy, if there is memory for it.
    pub fn try_clone(&self) -> Result<BloomFilter, Error> {
        // Safety: a handle that is not NULL.
        made(OutOfMemory, |e| unsafe { ffi::bloomline_bloom_copy(self.0.as_ptr(), e) })
            .map(BloomFilter)
    }

    /// The same filter for many threads, in the same memory.
    pub fn into_atomic(self) -> Result<AtomicBloomFilter, Error> {
        // Safety: the function destroys its argument where it succeeds, and only there.
        let atomic =
            made(OutOfMemory, |_| unsafe { ffi::bloomline_atomic_from_bloom(self.0.as_ptr()) })?;
        std::mem::forget(self);
        Ok(AtomicBloomFilter(atomic))
    }

    /// Takes a filter over that another C function made.
    pub(crate) fn from_handle(handle: std::ptr::NonNull<ffi::bloomline_bloom_t>) -> BloomFilter {
        BloomFilter(handle)
    }
}

/// Panics where there is no memory; see [`BloomFilter::try_clone`].
impl Clone for BloomFilter {
    fn clone(&self) -> BloomFilter {
        self.try_clone().expect("a copy of a Bloom filter")
    }
}

impl PartialEq for BloomFilter {
    fn eq(&self, other: &BloomFilter) -> bool {
        // Safety: handles that are not NULL.
        unsafe { ffi::bloomline_bloom_equal(self.0.as_ptr(), other.0.as_ptr()) != 0 }
    }
}
impl Eq for BloomFilter {}

/// A filter of 1 %, sized for the keys. Panics where there is no memory; see
/// [`BloomFilterBuilder::items`].
impl<K: AsRef<[u8]>> FromIterator<K> for BloomFilter {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> BloomFilter {
        BloomFilter::builder().items(keys).expect("a Bloom filter of the keys")
    }
}

handle! {
    /// A Bloom filter that many threads add to and query at once, without locks:
    /// atomic_bloom_filter.h.
    ///
    /// ```
    /// let seen = bloomline::AtomicBloomFilter::builder().capacity(1000).build()?;
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| seen.insert("apple"));
    ///     scope.spawn(|| seen.insert("pear"));
    /// });
    /// assert!(seen.contains("apple") && seen.contains("pear"));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    AtomicBloomFilter, bloomline_atomic_t, bloomline_atomic_destroy
}
getters! {
    AtomicBloomFilter;
    /// Bits in memory, a multiple of 512.
    num_bits: u64 = bloomline_atomic_num_bits;
    /// Bits that a key sets.
    num_probes: i32 = bloomline_atomic_num_probes;
    /// Seed of the hash.
    seed: u64 = bloomline_atomic_seed;
    /// Keys up to which the filter keeps its false-positive rate; 0 if nobody said.
    capacity: u64 = bloomline_atomic_capacity;
    /// Distinct keys, estimated from the bits, all of which this reads.
    estimated_num_keys: u64 = bloomline_atomic_estimated_num_keys;
    /// The false-positive rate as the bits are now. Reads all of them.
    estimated_false_positive_rate: f64 = bloomline_atomic_estimated_false_positive_rate;
}
bloom_methods! { AtomicBloomFilter, AtomicBloomFilterBuilder, bloomline_atomic_layout }
additions! {
    AtomicBloomFilter, [], "Adds a key. True: it was certainly not in before.",
    bloomline_atomic_add_key, bloomline_atomic_add_keys
}
queries! { AtomicBloomFilter, bloomline_atomic_may_match, bloomline_atomic_may_match_keys }

impl AtomicBloomFilter {
    /// A copy of the bits as they are now, while other threads go on.
    pub fn snapshot(&self) -> Result<BloomFilter, Error> {
        // Safety: any number of threads may call it.
        made(OutOfMemory, |e| unsafe { ffi::bloomline_atomic_snapshot(self.0.as_ptr(), e) })
            .map(BloomFilter)
    }

    /// The same filter for one thread, in the same memory.
    pub fn into_bloom(self) -> Result<BloomFilter, Error> {
        // Safety: as in into_atomic; the call has the only handle.
        let bloom =
            made(OutOfMemory, |_| unsafe { ffi::bloomline_atomic_to_bloom(self.0.as_ptr()) })?;
        std::mem::forget(self);
        Ok(BloomFilter(bloom))
    }
}
