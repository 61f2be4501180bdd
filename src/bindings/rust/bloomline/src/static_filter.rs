use crate::ErrorKind::{InvalidData, InvalidInput, OutOfMemory};
use crate::{bytes, done, ffi, handle, handle_type, keys, options_type, Error};
use std::marker::PhantomData;
use std::os::raw::c_int;

/// Formats of filters: filter_options.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A Bloom filter in which each key's bits are in one cache line.
    Blocked = 1,
    /// LevelDB's; [`FilterOptions::build`] refuses it. `Ribbon` takes its place.
    Compact = 2,
    /// Has the rate of `Blocked` in about 70 % of the memory; takes longer to build and to query.
    Ribbon = 4,
}

impl From<Format> for c_int {
    fn from(format: Format) -> c_int {
        format as c_int
    }
}

/// The bits per key that a static filter needs for a false-positive rate (0.01 for 1 %); None if no
/// such filter reaches it.
///
/// ```
/// use bloomline::{bits_per_key_for_false_positive_rate, Format};
/// let bits = |format| bits_per_key_for_false_positive_rate(format, 0.01).unwrap();
/// assert!(bits(Format::Ribbon) < 0.75 * bits(Format::Blocked));
/// ```
pub fn bits_per_key_for_false_positive_rate(format: Format, rate: f64) -> Option<f64> {
    // Safety: any arguments are allowed.
    let bits = unsafe { ffi::bloomline_bits_per_key_for_false_positive_rate(format.into(), rate) };
    (!bits.is_nan()).then_some(bits)
}

options_type! {
    /// What a [`FilterBuilder`] builds. Default: blocked, 10 bits per key.
    FilterOptions(bloomline_filteroptions_t) = bloomline_filteroptions_create;
    /// Default: [`Format::Blocked`].
    format(Format) bloomline_filteroptions_set_format;
    /// Memory, also in [`Format::Ribbon`]: 1 to 100. See [`bits_per_key_for_false_positive_rate`].
    bits_per_key(f64) bloomline_filteroptions_set_bits_per_key;
    /// Seed of the hash, which the filter records.
    seed(u64) bloomline_filteroptions_set_seed;
    /// Each filter draws its own seed.
    random_seed(bool) bloomline_filteroptions_set_random_seed;
}

impl FilterOptions {
    /// A builder without keys.
    pub fn build(&self) -> Result<FilterBuilder, Error> {
        let options = self.0.as_ptr();
        // Safety: the options are copied.
        handle(InvalidInput, |e| unsafe { ffi::bloomline_builder_create(options, e) })
            .map(FilterBuilder)
    }
}

handle_type! {
    /// Builds filters of a fixed set of keys: filter.h.
    ///
    /// ```
    /// use bloomline::{FilterBuilder, FilterView, Format};
    ///
    /// let options = FilterBuilder::options().format(Format::Ribbon).bits_per_key(8.0);
    /// let mut builder = options.build()?;
    /// builder.extend(["apple", "banana"]);
    /// let bytes = builder.finish(1)?;
    ///
    /// let filter = FilterView::open(&bytes)?;
    /// assert!(filter.contains("apple"));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    FilterBuilder(bloomline_builder_t);
    shown num_keys;
    /// Keys added so far.
    num_keys: usize = bloomline_builder_num_keys;
}

impl FilterBuilder {
    /// Sets the options one by one.
    pub fn options() -> FilterOptions {
        FilterOptions::default()
    }

    /// Adds a key. Adjacent duplicates count once.
    #[inline]
    pub fn insert(&mut self, key: impl AsRef<[u8]>) {
        let (key, length) = keys::parts(key.as_ref());
        // Safety: the key is read only during the call.
        unsafe { ffi::bloomline_builder_add_key(self.0.as_ptr(), key, length) }
    }

    /// The filter's bytes. The builder is then empty and can be used again.
    pub fn finish(&mut self, num_threads: u16) -> Result<Vec<u8>, Error> {
        let threads = c_int::from(num_threads.max(1));
        // Safety: `length` gets the number of bytes.
        bytes(|length, e| unsafe {
            ffi::bloomline_builder_finish(self.0.as_ptr(), threads, length, e)
        })
    }
}

impl<K: AsRef<[u8]>> Extend<K> for FilterBuilder {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        keys::for_groups(keys, |count, keys, lengths| {
            // Safety: the number of keys and lengths is right.
            unsafe { ffi::bloomline_builder_add_keys(self.0.as_ptr(), count, keys, lengths) }
        });
    }
}

/// How the sentence begins that refuses a filter of the former layout, which matches every key.
const FORMER_COMPACT: &str = "a compact filter of bloomline before 0.4.0";

handle_type! {
    /// Queries the bytes of a static filter, which it borrows: filter.h.
    ///
    /// ```compile_fail,E0597
    /// let view = {
    ///     let bytes = bloomline::FilterBuilder::options().build()?.finish(1)?;
    ///     bloomline::FilterView::open(&bytes)? // error: `bytes` does not live long enough
    /// };
    /// assert!(view.contains("apple"));
    /// # Ok::<(), bloomline::Error>(())
    /// ```
    FilterView<'bytes>(bloomline_view_t);
    queries bloomline_view_may_match bloomline_view_may_match_keys;
    shown;
}

impl<'bytes> FilterView<'bytes> {
    /// With bytes that are not understood, every key matches. Fails if memory runs out, and for a
    /// compact filter, which bloomline wrote before 0.4.0: build it again.
    pub fn open(bytes: &'bytes [u8]) -> Result<FilterView<'bytes>, Error> {
        match Self::validate(bytes) {
            Err(error) if error.message.starts_with(FORMER_COMPACT) => return Err(error),
            _ => {}
        }
        let (first, length) = keys::parts(bytes);
        // Safety: the bytes outlive the view, because it borrows them.
        let view = handle(OutOfMemory, |_| unsafe { ffi::bloomline_view_open(first, length) })?;
        Ok(FilterView(view, PhantomData))
    }

    /// Why a view of these bytes would match every key; None if it would not.
    pub fn validate(bytes: &[u8]) -> Result<(), Error> {
        let (first, length) = keys::parts(bytes);
        // Safety: the bytes are read only during the call.
        done(InvalidData, |e| unsafe { ffi::bloomline_view_validate(first, length, e) })
    }
}
