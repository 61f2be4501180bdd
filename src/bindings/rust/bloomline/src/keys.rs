//! Keys as the C functions take them.
use crate::ffi;
use std::os::raw::c_char;

/// The number of keys that go to a C function at once.
const GROUP: usize = 256;

/// The address and the length of a key.
#[inline(always)]
pub fn parts(key: &[u8]) -> (ffi::Bytes, usize) {
    (key.as_ptr().cast(), key.len())
}

/// Calls f(number of keys, keys, lengths) for all keys, in groups.
pub fn for_groups<K: AsRef<[u8]>>(
    keys: impl IntoIterator<Item = K>,
    mut f: impl FnMut(usize, ffi::Keys, ffi::Lengths),
) {
    let mut keys = keys.into_iter().fuse();
    let mut group = Vec::with_capacity(GROUP.min(keys.size_hint().0.max(16)));
    loop {
        group.clear();
        group.extend(keys.by_ref().take(GROUP));
        if group.is_empty() {
            return;
        }
        // The slices borrow the keys until f is done, even if as_ref() then returns others.
        let mut slices: [&[u8]; GROUP] = [&[]; GROUP];
        let mut addresses = [std::ptr::null::<c_char>(); GROUP];
        let mut lengths = [0; GROUP];
        for (i, key) in group.iter().enumerate() {
            slices[i] = key.as_ref();
            (addresses[i], lengths[i]) = parts(slices[i]);
        }
        f(group.len(), addresses.as_ptr(), lengths.as_ptr());
    }
}

/// Does the same for functions that give an answer for each key.
pub fn answers_of<K: AsRef<[u8]>>(
    keys: impl IntoIterator<Item = K>,
    mut f: impl FnMut(usize, ffi::Keys, ffi::Lengths, ffi::Answers),
) -> Vec<bool> {
    let mut all = Vec::new();
    for_groups(keys, |count, keys, lengths| {
        let mut answers = [0; GROUP];
        f(count, keys, lengths, answers.as_mut_ptr());
        all.extend(answers[..count].iter().map(|&answer| answer != 0));
    });
    all
}
