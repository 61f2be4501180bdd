//! The types and functions of c.h, which build.rs declares as the header does.
#![allow(dead_code, missing_docs, non_camel_case_types)]
use std::os::raw::{c_char, c_int, c_void};

include!(concat!(env!("OUT_DIR"), "/ffi.rs"));

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
        impl crate::Object for $name {
            unsafe fn destroy(object: *mut $name) {
                // Safety: the caller's.
                unsafe { $destroy(object) }
            }
        }
    )* };
}
objects! {
    bloomline_filteroptions_t bloomline_filteroptions_destroy;
    bloomline_builder_t bloomline_builder_destroy;
    bloomline_view_t bloomline_view_destroy;
    bloomline_bloomoptions_t bloomline_bloomoptions_destroy;
    bloomline_bloom_t bloomline_bloom_destroy;
}
