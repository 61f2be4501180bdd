use crate::ErrorKind::{InvalidData, InvalidInput, OutOfMemory};
use crate::{bytes, c_path, done, ffi, handle, handle_type, keys, options_type, Error};
use std::os::raw::c_int;
use std::path::Path;
use std::ptr;

/// Where a filter stores the bits of a key: `BloomLayout` in bloom_filter.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// All bits are in one cache line: 9.9 bits per key for 1 %.
    Blocked = 0,
    /// Bits are anywhere (standard Bloom filter): 9.6 bits per key for 1 %, more cache misses.
    Standard = 1,
    /// All bits are in a block of 128 bits.
    Blocked128 = 2,
    /// All bits are in a block of 64 bits.
    Blocked64 = 3,
}

impl From<Layout> for c_int {
    fn from(layout: Layout) -> c_int {
        layout as c_int
    }
}

options_type! {
    /// The size of a [`BloomFilter`]: from a capacity and a false-positive rate, or from a number
    /// of bits and of probes.
    BloomFilterBuilder(bloomline_bloomoptions_t) = bloomline_bloomoptions_create;
    /// Distinct keys up to which the filter keeps its false-positive rate. It accepts more keys.
    capacity(u64) bloomline_bloomoptions_set_capacity;
    /// Fraction of missing keys that match in a filter of `capacity` keys. Default: 0.01.
    false_positive_rate(f64) bloomline_bloomoptions_set_false_positive_rate;
    /// Size in bits, in place of capacity and rate; rounded up to a multiple of 512.
    num_bits(u64) bloomline_bloomoptions_set_num_bits;
    /// Bits that a key sets, 1 to 30. Only with `num_bits`.
    num_probes(i32) bloomline_bloomoptions_set_num_probes;
    /// Default: [`Layout::Blocked`].
    layout(Layout) bloomline_bloomoptions_set_layout;
    /// Seed of the hash, default 0; see [`draw_seed`](crate::draw_seed).
    seed(u64) bloomline_bloomoptions_set_seed;
}

impl BloomFilterBuilder {
    /// An empty filter.
    pub fn build(&self) -> Result<BloomFilter, Error> {
        let options = self.0.as_ptr();
        // Safety: the options are copied.
        handle(InvalidInput, |e| unsafe { ffi::bloomline_bloom_create(options, e) })
            .map(BloomFilter)
    }

    /// An empty filter for this many keys.
    pub fn expected_items(self, capacity: u64) -> Result<BloomFilter, Error> {
        self.capacity(capacity).build()
    }
}

handle_type! {
    /// A Bloom filter in memory: `BloomFilter` in bloom_filter.h.
    ///
    /// Threads can query one filter together, as long as none adds keys:
    ///
    /// ```compile_fail,E0596
    /// let seen = bloomline::BloomFilter::with_false_pos(0.01).expected_items(1000)?;
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| seen.insert("apple")); // error: cannot borrow `seen` as mutable
    /// });
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    BloomFilter(bloomline_bloom_t);
    queries bloomline_bloom_may_match bloomline_bloom_may_match_keys;
    shown layout num_bits num_probes;
    /// Bits in memory, a multiple of 512.
    num_bits: u64 = bloomline_bloom_num_bits;
    /// Bits that a key sets.
    num_probes: i32 = bloomline_bloom_num_probes;
    /// Seed of the hash.
    seed: u64 = bloomline_bloom_seed;
    /// Keys up to which the filter keeps its false-positive rate; 0 if it is not stated.
    capacity: u64 = bloomline_bloom_capacity;
    /// Additions that changed a bit; after `intersect`, about the keys in both filters.
    num_keys: u64 = bloomline_bloom_num_keys;
    /// Distinct keys, estimated from the bits, all of which this reads. Too high after `intersect`.
    estimated_num_keys: u64 = bloomline_bloom_estimated_num_keys;
    /// The current false-positive rate. Reads all bits.
    estimated_false_positive_rate: f64 = bloomline_bloom_estimated_false_positive_rate;
}

impl BloomFilter {
    /// Sets size and rate one by one.
    pub fn builder() -> BloomFilterBuilder {
        BloomFilterBuilder::default()
    }

    /// Sets the false-positive rate, 0.01 for 1 %. `expected_items` then sets the number of keys.
    pub fn with_false_pos(rate: f64) -> BloomFilterBuilder {
        BloomFilterBuilder::default().false_positive_rate(rate)
    }

    /// Reads a file that `save` wrote, in any language.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = c_path(path.as_ref())?;
        // Safety: a string that ends with zero.
        handle(InvalidData, |e| unsafe { ffi::bloomline_bloom_load(path.as_ptr(), e) })
            .map(BloomFilter)
    }

    /// Reads the bytes of `to_bytes`, or of a saved file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (first, length) = keys::parts(bytes);
        // Safety: the bytes are copied.
        handle(InvalidData, |e| unsafe { ffi::bloomline_bloom_from_bytes(first, length, e) })
            .map(BloomFilter)
    }

    /// Writes the filter to a file. At any time, `path` is the old file or the whole new one.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = c_path(path.as_ref())?;
        // Safety: a string that ends with zero.
        done(InvalidInput, |e| unsafe {
            ffi::bloomline_bloom_save(self.0.as_ptr(), path.as_ptr(), e)
        })
    }

    /// The bytes of the file that `save` writes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        // Safety: `length` gets the number of bytes.
        bytes(|length, e| unsafe { ffi::bloomline_bloom_to_bytes(self.0.as_ptr(), length, e) })
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        // Safety: nothing else uses the object, because of &mut.
        unsafe { ffi::bloomline_bloom_clear(self.0.as_ptr()) }
    }

    /// Adds a key. True: it was certainly not in before.
    #[inline]
    pub fn insert(&mut self, key: impl AsRef<[u8]>) -> bool {
        let (key, length) = keys::parts(key.as_ref());
        // Safety: the key is read only during the call.
        unsafe { ffi::bloomline_bloom_add_key(self.0.as_ptr(), key, length) != 0 }
    }

    /// Adds many keys. Returns how many were certainly not in before.
    pub fn insert_keys(&mut self, keys: impl IntoIterator<Item = impl AsRef<[u8]>>) -> usize {
        let mut added = 0;
        keys::for_groups(keys, |count, keys, lengths| {
            let (handle, none) = (self.0.as_ptr(), ptr::null_mut());
            // Safety: the number of keys and lengths is right; the answers may be NULL.
            added += unsafe { ffi::bloomline_bloom_add_keys(handle, count, keys, lengths, none) };
        });
        added
    }

    /// Where the bits of a key lie.
    pub fn layout(&self) -> Layout {
        use Layout::{Blocked, Blocked128, Blocked64, Standard};
        // Safety: an object that lives.
        let code = unsafe { ffi::bloomline_bloom_layout(self.0.as_ptr()) };
        [Blocked, Standard, Blocked128, Blocked64][code as usize]
    }

    /// Whether more than `capacity` keys were added.
    pub fn is_past_capacity(&self) -> bool {
        // Safety: an object that lives.
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

    /// A copy. Fails if memory runs out.
    pub fn try_clone(&self) -> Result<BloomFilter, Error> {
        // Safety: an object that lives.
        handle(OutOfMemory, |e| unsafe { ffi::bloomline_bloom_copy(self.0.as_ptr(), e) })
            .map(BloomFilter)
    }
}

impl<K: AsRef<[u8]>> Extend<K> for BloomFilter {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        self.insert_keys(keys);
    }
}

/// Panics if memory runs out; see [`BloomFilter::try_clone`].
impl Clone for BloomFilter {
    fn clone(&self) -> BloomFilter {
        self.try_clone().expect("a copy of a Bloom filter")
    }
}

impl PartialEq for BloomFilter {
    fn eq(&self, other: &BloomFilter) -> bool {
        // Safety: objects that live.
        unsafe { ffi::bloomline_bloom_equal(self.0.as_ptr(), other.0.as_ptr()) != 0 }
    }
}
impl Eq for BloomFilter {}
