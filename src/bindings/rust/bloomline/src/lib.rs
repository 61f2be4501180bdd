#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod bloom;
mod ffi;
mod keys;
mod static_filter;

pub use bloom::{BloomFilter, BloomFilterBuilder, Layout};
pub use static_filter::{
    bits_per_key_for_false_positive_rate, FilterBuilder, FilterOptions, FilterView, Format,
};

use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};

/// What kind of failure an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An option or argument that is not allowed, or two filters that do not fit.
    InvalidInput,
    /// Bytes or a file that is not such a filter, or is damaged.
    InvalidData,
    /// What the system said, such as `Io(NotFound)`.
    Io(std::io::ErrorKind),
    /// Too little memory.
    OutOfMemory,
}

/// Why something failed: one sentence that names the value and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    /// An error with this sentence.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Takes over the message that a C function set; it is null if memory ran out. The error has
    /// this kind unless the system or the memory failed.
    fn take(errptr: *mut c_char, kind: ErrorKind) -> Error {
        if errptr.is_null() {
            return Error::new(ErrorKind::OutOfMemory, "out of memory");
        }
        // Safety: a string that malloc() gave, by convention 3 of c.h.
        let message = unsafe {
            let message = CStr::from_ptr(errptr).to_string_lossy().into_owned();
            ffi::bloomline_free(errptr.cast());
            message
        };
        Error::new(failure_in(&message).unwrap_or(kind), message)
    }
}

/// The kind of a failure of memory or of the system, found by the sentence, which ends with the
/// system's own text: C functions give no number.
fn failure_in(message: &str) -> Option<ErrorKind> {
    if message.starts_with("out of memory") || message.ends_with(": out of memory") {
        return Some(ErrorKind::OutOfMemory);
    }
    (1..=133).map(std::io::Error::from_raw_os_error).find_map(|error| {
        let text = error.to_string(); // "No such file or directory (os error 2)"
        let (meaning, _) = text.rsplit_once(" (os error")?;
        message.strip_suffix(meaning)?.ends_with(": ").then(|| ErrorKind::Io(error.kind()))
    })
}

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// A type of c.h.
trait Object {
    /// Frees an object of this type, which is no longer used.
    unsafe fn destroy(object: *mut Self);
}

/// The owner of an object. It is Send and Sync: functions that take a const object may run in
/// several threads at once (convention 7 of c.h), and methods call all others by `&mut self`.
struct Handle<T: Object>(NonNull<T>);

// Safety: see above.
unsafe impl<T: Object> Send for Handle<T> {}
unsafe impl<T: Object> Sync for Handle<T> {}

impl<T: Object> Handle<T> {
    #[inline(always)]
    fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Object> Drop for Handle<T> {
    fn drop(&mut self) {
        // Safety: the object is this handle's.
        unsafe { T::destroy(self.as_ptr()) }
    }
}

/// The memory that a C function returns, or why it returned none. bloomline-rocksdb uses this, too.
#[doc(hidden)]
pub fn made<T>(
    kind: ErrorKind,
    make: impl FnOnce(*mut *mut c_char) -> *mut T,
) -> Result<NonNull<T>, Error> {
    let mut message = ptr::null_mut();
    NonNull::new(make(&mut message)).ok_or_else(|| Error::take(message, kind))
}

/// The object that a C function returns, or why it returned none.
fn handle<T: Object>(
    kind: ErrorKind,
    make: impl FnOnce(ffi::ErrPtr) -> *mut T,
) -> Result<Handle<T>, Error> {
    made(kind, make).map(Handle)
}

/// A copy of the bytes that a C function returns, or why it returned none. Frees the bytes.
fn bytes(make: impl FnOnce(*mut usize, ffi::ErrPtr) -> *mut c_char) -> Result<Vec<u8>, Error> {
    let mut length = 0;
    let bytes = made(ErrorKind::OutOfMemory, |e| make(&mut length, e))?.as_ptr();
    // Safety: the C functions return as many bytes as they say, for the caller to free.
    unsafe {
        let copy = std::slice::from_raw_parts(bytes.cast(), length).to_vec();
        ffi::bloomline_free(bytes.cast());
        Ok(copy)
    }
}

/// Whether a C function succeeded. bloomline-rocksdb uses this, too.
#[doc(hidden)]
pub fn done(kind: ErrorKind, succeeds: impl FnOnce(*mut *mut c_char) -> u8) -> Result<(), Error> {
    let mut message = ptr::null_mut();
    match succeeds(&mut message) {
        0 => Err(Error::take(message, kind)),
        _ => Ok(()),
    }
}

fn c_path(path: &Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| {
        let message = format!("path is {path:?}; allowed: one without a zero byte");
        Error::new(ErrorKind::InvalidInput, message)
    })
}

/// bloomline's version, such as "0.1.0".
pub fn version() -> &'static str {
    // Safety: static storage.
    unsafe { CStr::from_ptr(ffi::bloomline_version()) }.to_str().unwrap_or("")
}

/// The name of the SIMD implementation (kernel) that is in use.
pub fn active_kernel_name() -> &'static str {
    // Safety: static storage.
    unsafe { CStr::from_ptr(ffi::bloomline_active_kernel_name()) }.to_str().unwrap_or("")
}

/// A seed that outsiders cannot know, so that they cannot choose keys that collide. Fails if the
/// system's generator fails.
pub fn draw_seed() -> Result<u64, Error> {
    let mut message = ptr::null_mut();
    // Safety: the message is NULL, as convention 3 asks.
    match unsafe { ffi::bloomline_draw_seed(&mut message) } {
        0 => Err(Error::take(message, ErrorKind::Io(std::io::ErrorKind::Other))),
        seed => Ok(seed),
    }
}

/// Defines a type that owns an object, with its functions that take no further arguments and, for a
/// filter, its queries. Debug shows what `shown` names: never a seed, which may be secret.
macro_rules! handle_type {
    (
        $(#[$doc:meta])* $name:ident $(<$life:lifetime>)?($raw:ident);
        $(queries $may_match:ident $may_match_keys:ident;)?
        shown $($shown:ident)*;
        $($(#[$get_doc:meta])* $get:ident: $type:ty = $function:ident;)*
    ) => {
        $(#[$doc])*
        pub struct $name $(<$life>)?(
            crate::Handle<crate::ffi::$raw>,
            $(std::marker::PhantomData<&$life [u8]>)?
        );

        impl $(<$life>)? $name $(<$life>)? {
            $(
                $(#[$get_doc])*
                pub fn $get(&self) -> $type {
                    // Safety: an object that lives.
                    unsafe { crate::ffi::$function(self.0.as_ptr()) }
                }
            )*

            $(
                /// False: the key was certainly not added.
                #[inline]
                pub fn contains(&self, key: impl AsRef<[u8]>) -> bool {
                    let (key, length) = crate::keys::parts(key.as_ref());
                    // Safety: the key is read only during the call.
                    unsafe { crate::ffi::$may_match(self.0.as_ptr(), key, length) != 0 }
                }

                /// `contains` for each key, in order.
                pub fn contains_keys(
                    &self,
                    keys: impl IntoIterator<Item = impl AsRef<[u8]>>,
                ) -> Vec<bool> {
                    crate::keys::answers_of(keys, |count, keys, lengths, answers| {
                        let object = self.0.as_ptr();
                        // Safety: the number of keys, lengths and answers is right.
                        unsafe { crate::ffi::$may_match_keys(object, count, keys, lengths, answers) }
                    })
                }
            )?
        }

        impl $(<$life>)? std::fmt::Debug for $name $(<$life>)? {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter
                    .debug_struct(stringify!($name))
                    $(.field(stringify!($shown), &self.$shown()))*
                    .finish_non_exhaustive()
            }
        }
    };
}

/// Options for a filter, set one by one. The C functions check them when a filter is made.
macro_rules! options_type {
    ($(#[$doc:meta])* $name:ident($raw:ident) = $create:ident;
     $($(#[$option_doc:meta])* $option:ident($type:ty) $set:ident;)*) => {
        crate::handle_type! { $(#[$doc])* $name($raw); shown; }

        impl Default for $name {
            fn default() -> Self {
                // Safety: any time is allowed; NULL means that memory ran out.
                let options = std::ptr::NonNull::new(unsafe { crate::ffi::$create() });
                $name(crate::Handle(options.expect("memory for options")))
            }
        }

        impl $name {
            $(
                $(#[$option_doc])*
                #[must_use]
                pub fn $option(self, $option: $type) -> Self {
                    // Safety: the object lives, and is this handle's.
                    unsafe { crate::ffi::$set(self.0.as_ptr(), $option.into()) }
                    self
                }
            )*
        }
    };
}

pub(crate) use {handle_type, options_type};
