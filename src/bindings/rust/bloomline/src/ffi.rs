//! The functions of include/bloomline/c.h that this crate calls, one in a line, with names for the
//! types that many have. tests/declarations.rs compares them with the header.
#![allow(missing_docs, non_camel_case_types)]
use std::os::raw::{c_char, c_int, c_void};

/// A key, or other bytes; its length is the next argument.
pub type Bytes = *const c_char;
/// Many keys, and their lengths.
pub type Keys = *const *const c_char;
pub type Lengths = *const usize;
/// One byte for each key.
pub type Answers = *mut u8;
pub type ErrPtr = *mut *mut c_char;

macro_rules! objects {
    ($($name:ident $destroy:ident;)*) => { $(
        #[repr(C)]
        pub struct $name([u8; 0]);

        impl crate::Object for $name {
            unsafe fn destroy(object: *mut $name) {
                // Safety: the caller's.
                unsafe { $destroy(object) }
            }
        }
    )* };
}
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        extern "C" { $( pub fn $name($(_: $argument),*) $(-> $result)?; )* }
    };
}

objects! {
    bloomline_filteroptions_t bloomline_filteroptions_destroy;
    bloomline_builder_t bloomline_builder_destroy;
    bloomline_view_t bloomline_view_destroy;
    bloomline_bloomoptions_t bloomline_bloomoptions_destroy;
    bloomline_bloom_t bloomline_bloom_destroy;
}

functions! {
    bloomline_filteroptions_create() -> *mut bloomline_filteroptions_t;
    bloomline_filteroptions_destroy(*mut bloomline_filteroptions_t);
    bloomline_filteroptions_set_format(*mut bloomline_filteroptions_t, c_int);
    bloomline_filteroptions_set_bits_per_key(*mut bloomline_filteroptions_t, f64);
    bloomline_filteroptions_set_seed(*mut bloomline_filteroptions_t, u64);
    bloomline_filteroptions_set_random_seed(*mut bloomline_filteroptions_t, u8);
    bloomline_draw_seed(ErrPtr) -> u64;
    bloomline_bits_per_key_for_false_positive_rate(c_int, f64) -> f64;
    bloomline_builder_create(*const bloomline_filteroptions_t, ErrPtr) -> *mut bloomline_builder_t;
    bloomline_builder_destroy(*mut bloomline_builder_t);
    bloomline_builder_add_key(*mut bloomline_builder_t, Bytes, usize);
    bloomline_builder_add_keys(*mut bloomline_builder_t, usize, Keys, Lengths);
    bloomline_builder_num_keys(*const bloomline_builder_t) -> usize;
    bloomline_builder_finish(*mut bloomline_builder_t, c_int, *mut usize, ErrPtr) -> *mut c_char;
    bloomline_view_open(Bytes, usize) -> *mut bloomline_view_t;
    bloomline_view_destroy(*mut bloomline_view_t);
    bloomline_view_validate(Bytes, usize, ErrPtr) -> u8;
    bloomline_view_may_match(*const bloomline_view_t, Bytes, usize) -> u8;
    bloomline_view_may_match_keys(*const bloomline_view_t, usize, Keys, Lengths, Answers);
    bloomline_bloomoptions_create() -> *mut bloomline_bloomoptions_t;
    bloomline_bloomoptions_destroy(*mut bloomline_bloomoptions_t);
    bloomline_bloomoptions_set_capacity(*mut bloomline_bloomoptions_t, u64);
    bloomline_bloomoptions_set_false_positive_rate(*mut bloomline_bloomoptions_t, f64);
    bloomline_bloomoptions_set_num_bits(*mut bloomline_bloomoptions_t, u64);
    bloomline_bloomoptions_set_num_probes(*mut bloomline_bloomoptions_t, c_int);
    bloomline_bloomoptions_set_layout(*mut bloomline_bloomoptions_t, c_int);
    bloomline_bloomoptions_set_seed(*mut bloomline_bloomoptions_t, u64);
    bloomline_bloom_create(*const bloomline_bloomoptions_t, ErrPtr) -> *mut bloomline_bloom_t;
    bloomline_bloom_copy(*const bloomline_bloom_t, ErrPtr) -> *mut bloomline_bloom_t;
    bloomline_bloom_load(Bytes, ErrPtr) -> *mut bloomline_bloom_t;
    bloomline_bloom_from_bytes(Bytes, usize, ErrPtr) -> *mut bloomline_bloom_t;
    bloomline_bloom_destroy(*const bloomline_bloom_t);
    bloomline_bloom_add_key(*mut bloomline_bloom_t, Bytes, usize) -> u8;
    bloomline_bloom_add_keys(*mut bloomline_bloom_t, usize, Keys, Lengths, Answers) -> usize;
    bloomline_bloom_may_match(*const bloomline_bloom_t, Bytes, usize) -> u8;
    bloomline_bloom_may_match_keys(*const bloomline_bloom_t, usize, Keys, Lengths, Answers);
    bloomline_bloom_merge(*mut bloomline_bloom_t, *const bloomline_bloom_t, ErrPtr) -> u8;
    bloomline_bloom_intersect(*mut bloomline_bloom_t, *const bloomline_bloom_t, ErrPtr) -> u8;
    bloomline_bloom_save(*const bloomline_bloom_t, Bytes, ErrPtr) -> u8;
    bloomline_bloom_to_bytes(*const bloomline_bloom_t, *mut usize, ErrPtr) -> *mut c_char;
    bloomline_bloom_clear(*mut bloomline_bloom_t);
    bloomline_bloom_equal(*const bloomline_bloom_t, *const bloomline_bloom_t) -> u8;
    bloomline_bloom_layout(*const bloomline_bloom_t) -> c_int;
    bloomline_bloom_num_bits(*const bloomline_bloom_t) -> u64;
    bloomline_bloom_num_probes(*const bloomline_bloom_t) -> c_int;
    bloomline_bloom_seed(*const bloomline_bloom_t) -> u64;
    bloomline_bloom_capacity(*const bloomline_bloom_t) -> u64;
    bloomline_bloom_num_keys(*const bloomline_bloom_t) -> u64;
    bloomline_bloom_is_past_capacity(*const bloomline_bloom_t) -> u8;
    bloomline_bloom_estimated_num_keys(*const bloomline_bloom_t) -> u64;
    bloomline_bloom_estimated_false_positive_rate(*const bloomline_bloom_t) -> f64;
    bloomline_active_kernel_name() -> *const c_char;
    bloomline_free(*mut c_void);
    bloomline_version() -> *const c_char;
}
