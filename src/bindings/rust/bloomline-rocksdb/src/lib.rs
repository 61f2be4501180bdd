#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

use bloomline::{done, made};
pub use bloomline::{Error, ErrorKind};
use librocksdb_sys as ffi;
use std::ffi::{CStr, CString};
use std::fmt;
use std::fs::DirBuilder;
use std::os::raw::c_char;
use std::os::unix::fs::DirBuilderExt;
use std::ptr::NonNull;

// Declared in include/bloomline/c_rocksdb.h and c_metrics.h.
extern "C" {
    fn bloomline_metrics_text(errptr: *mut *mut c_char) -> *mut c_char;
    fn bloomline_rocksdb_register(errptr: *mut *mut c_char) -> u8;
    fn bloomline_rocksdb_filterpolicy_create(
        options: *const c_char,
        errptr: *mut *mut c_char,
    ) -> *mut ffi::rocksdb_filterpolicy_t;
    fn bloomline_rocksdb_validate_family_options(
        options: *const c_char,
        errptr: *mut *mut c_char,
    ) -> u8;
}

fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidInput, message)
}

fn c_string(options: &str) -> Result<CString, Error> {
    CString::new(options)
        .map_err(|_| refused(format!("options are {options:?}; allowed: no zero byte")))
}

/// A copy of a text that malloc() gave. Frees the text.
///
/// # Safety
///
/// `text` is such a text.
unsafe fn taken(text: NonNull<c_char>) -> String {
    let text = text.as_ptr();
    // Safety: the caller's.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        ffi::rocksdb_free(text.cast());
        copy
    }
}

/// Makes the name `bloomline` known in RocksDB's option strings and OPTIONS files, for the whole
/// process. Call it before `rocksdb::Options::load_latest` of a database whose options have the
/// name: RocksDB takes an unknown name for "no filter". The other functions here call `register`.
pub fn register() -> Result<(), Error> {
    // Safety: any time is allowed.
    done(ErrorKind::InvalidInput, |e| unsafe { bloomline_rocksdb_register(e) })
}

/// What the policies of this process have counted, in Prometheus' text format: see bloomline's
/// docs/operating.md.
pub fn metrics_text() -> Result<String, Error> {
    // Safety: the result is NULL or a text that malloc() gave.
    unsafe { made(ErrorKind::OutOfMemory, |e| bloomline_metrics_text(e)).map(|text| taken(text)) }
}

const VERSION: &str = "[Version]\n  rocksdb_version=7.0.3\n  options_file_version=1.1\n";

/// Options of a database, as text, such as `max_background_jobs=4;listeners=bloomline.account`. The
/// crate `rocksdb` has no function for listeners. This one counts the filters of all levels: set it
/// for policies with `bits_by_level=auto`; the option `memory` needs it (see bloomline's
/// docs/rocksdb.md and docs/operating.md). Set what the text cannot say, such as an environment,
/// with the functions of the result.
///
/// An unknown option is an error. RocksDB leaves out a listener that it does not know, but
/// `rocksdb::DB` then refuses a policy with `memory`.
pub fn database_options(options: &str) -> Result<rocksdb::Options, Error> {
    register()?;
    check_line(options)?;
    let file = format!("{VERSION}[DBOptions]\n{}[CFOptions \"default\"]\n", lines_of(options));
    read_options(&file, rocksdb::Cache::new_lru_cache(1 << 20)).map(|(options, _)| options)
}

/// An option file ends an option with the line, and begins a comment with '#'.
fn check_line(text: &str) -> Result<(), Error> {
    if text.contains(['\n', '#', '\0']) {
        return Err(refused(format!(
            "options have {text:?}; allowed: one line without '#' and zero bytes"
        )));
    }
    Ok(())
}

/// Lets RocksDB read the text of an OPTIONS file.
fn read_options(
    file: &str,
    cache: rocksdb::Cache,
) -> Result<(rocksdb::Options, Vec<rocksdb::ColumnFamilyDescriptor>), Error> {
    // The name is random, so that no other process can know or repeat it: process numbers repeat,
    // and in containers often.
    let path =
        std::env::temp_dir().join(format!("bloomline_rocksdb_{:016x}", bloomline::draw_seed()?));
    let failed = |error: std::io::Error| {
        Error::new(ErrorKind::Io(error.kind()), format!("{}: {error}", path.display()))
    };
    DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
    let written = std::fs::write(path.join("OPTIONS-000001"), file);
    let read = written.map_err(failed).and_then(|()| {
        let refused = |error: rocksdb::Error| refused(error);
        let env = rocksdb::Env::new().map_err(refused)?;
        rocksdb::Options::load_latest(&path, env, false, cache).map_err(refused)
    });
    let _ = std::fs::remove_dir_all(&path);
    read
}

/// A filter policy as RocksDB's C functions take it.
pub struct FilterPolicy(NonNull<ffi::rocksdb_filterpolicy_t>);

// Safety: policies are thread-safe.
unsafe impl Send for FilterPolicy {}
unsafe impl Sync for FilterPolicy {}

impl FilterPolicy {
    /// The policy of the text after `filter_policy=` in an option string.
    pub fn new(options: &str) -> Result<FilterPolicy, Error> {
        let text = c_string(options)?;
        // Safety: a string that ends with zero.
        made(ErrorKind::InvalidInput, |e| unsafe {
            bloomline_rocksdb_filterpolicy_create(text.as_ptr(), e)
        })
        .map(FilterPolicy)
    }

    /// The pointer for `rocksdb_block_based_options_set_filter_policy`, which takes the policy
    /// over. Otherwise pass it to `rocksdb_filterpolicy_destroy`.
    #[must_use]
    pub fn into_raw(self) -> *mut ffi::rocksdb_filterpolicy_t {
        let policy = self.0.as_ptr();
        std::mem::forget(self);
        policy
    }
}

impl fmt::Debug for FilterPolicy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FilterPolicy").finish_non_exhaustive()
    }
}

impl Drop for FilterPolicy {
    fn drop(&mut self) {
        // Safety: the policy is this object's.
        unsafe { ffi::rocksdb_filterpolicy_destroy(self.0.as_ptr()) }
    }
}

/// Options of a column family, as text. Options that are not set have RocksDB's defaults.
pub struct FamilyOptions {
    filter: String,
    table: String,
    family: String,
    block_cache: Option<rocksdb::Cache>,
}

/// Debug leaves out the texts, which may have a secret seed.
impl fmt::Debug for FamilyOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FamilyOptions").finish_non_exhaustive()
    }
}

impl FamilyOptions {
    /// Options with this filter policy, such as `bloomline:10`.
    #[must_use]
    pub fn with_filter(policy: &str) -> FamilyOptions {
        FamilyOptions {
            filter: policy.into(),
            table: String::new(),
            family: String::new(),
            block_cache: None,
        }
    }

    /// Options of the tables: what `BlockBasedOptions` sets, such as
    /// `block_size=16384;cache_index_and_filter_blocks=true`.
    #[must_use]
    pub fn table(mut self, options: &str) -> FamilyOptions {
        self.table = options.into();
        self
    }

    /// Other options, such as `write_buffer_size=134217728;compression=kZSTD`.
    #[must_use]
    pub fn family(mut self, options: &str) -> FamilyOptions {
        self.family = options.into();
        self
    }

    /// The cache of blocks, which families can share. Default: one of 32 MiB.
    #[must_use]
    pub fn block_cache(mut self, cache: &rocksdb::Cache) -> FamilyOptions {
        self.block_cache = Some(cache.clone());
        self
    }

    /// The column family of this name, for `rocksdb::DB::open_cf_descriptors`. It ignores all
    /// options for column families in the `rocksdb::Options` there, also comparator, merge operator
    /// and compaction filter. `family` can name those that RocksDB knows; other names are errors.
    ///
    /// RocksDB reads the options from a file, which exists as long as this function runs.
    pub fn descriptor(&self, name: &str) -> Result<rocksdb::ColumnFamilyDescriptor, Error> {
        if name.is_empty() {
            // RocksDB can end the process when it writes the first table of such a family.
            return Err(refused(format!("name is {name:?}; allowed: one byte and more")));
        }
        FilterPolicy::new(&self.filter)?; // registers the name; RocksDB would drop the error
        for text in [&self.filter, &self.table, &self.family, name] as [&str; 4] {
            check_line(text)?;
        }
        // RocksDB uses the first of two options with the same name.
        if lines_of(&self.table).lines().any(|line| line.trim().starts_with("filter_policy")) {
            return Err(refused(format!(
                "table options are {:?}; allowed: no filter_policy, which with_filter sets",
                self.table
            )));
        }
        let cache = self.block_cache.clone();
        let cache = cache.unwrap_or_else(|| rocksdb::Cache::new_lru_cache(32 << 20));
        let (_, mut families) = read_options(&self.file(name), cache)?;
        self.validate_names()?;
        families.pop().ok_or_else(|| refused("RocksDB read no column family"))
    }

    /// Fails for names that RocksDB does not know: it has read its defaults instead.
    fn validate_names(&self) -> Result<(), Error> {
        let [family, table] = [&self.family, &self.table].map(|o| lines_of(o).replace('\n', ";"));
        let text = format!("{family}block_based_table_factory={{{table}}}");
        let text = c_string(&text)?;
        // Safety: a string that ends with zero.
        done(ErrorKind::InvalidInput, |e| unsafe {
            bloomline_rocksdb_validate_family_options(text.as_ptr(), e)
        })
    }

    /// The text of the file. Its last family has this name, and the first must be "default".
    fn file(&self, name: &str) -> String {
        let name = name.replace('\\', r"\\"); // as RocksDB writes it
        let mut file = format!("{VERSION}[DBOptions]\n");
        if name != "default" {
            file += "[CFOptions \"default\"]\n[TableOptions/BlockBasedTable \"default\"]\n";
        }
        file += &format!("[CFOptions \"{name}\"]\n{}", lines_of(&self.family));
        file += &format!("[TableOptions/BlockBasedTable \"{name}\"]\n{}", lines_of(&self.table));
        file + &format!("  filter_policy={}\n", self.filter)
    }
}

/// "a=1;b={c=2;d=3}" as the lines "  a=1" and "  b={c=2;d=3}".
fn lines_of(options: &str) -> String {
    let mut depth = 0;
    let parts = options.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ';' && depth == 0
    });
    let options = parts.map(str::trim).filter(|option| !option.is_empty());
    options.fold(String::new(), |lines, option| lines + "  " + option + "\n")
}
