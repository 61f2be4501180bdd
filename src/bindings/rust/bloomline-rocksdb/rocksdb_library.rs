//! Whether the RocksDB that librocksdb-sys links has type information. That of the user may be
//! without: RocksDB's Makefile compiles releases with -fno-rtti. The adaptor's classes derive from
//! RocksDB's, and must then do without as well, or the program does not link. They never use it.
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Whether classes of RocksDB have type information. Stops the build if the user's library does not
/// show it.
pub fn has_type_information() -> bool {
    for variable in ["ROCKSDB_COMPILE", "ROCKSDB_LIB_DIR", "ROCKSDB_STATIC"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let compile = env::var("ROCKSDB_COMPILE").unwrap_or_default().to_lowercase();
    let folder = env::var_os("ROCKSDB_LIB_DIR").map(PathBuf::from);
    let Some(folder) = folder.filter(|_| compile != "1" && compile != "true") else {
        return true; // librocksdb-sys compiles RocksDB, with the compiler's default
    };
    let file = find(&folder);
    println!("cargo:rerun-if-changed={}", file.display());
    let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let names = |name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
    if names(b"_ZTIN7rocksdb12CustomizableE\0") {
        return true;
    }
    assert!(
        names(b"_ZTVN7rocksdb12CustomizableE\0"), // its table of virtual functions
        "{} does not have the class rocksdb::Customizable; allowed in ROCKSDB_LIB_DIR: the library \
         itself, of RocksDB 7.0 or later, with the names of its functions",
        file.display()
    );
    false
}

/// The file that the linker takes from a folder.
fn find(folder: &Path) -> PathBuf {
    let archive = folder.join("librocksdb.a");
    let shared = archive.with_extension(env::consts::DLL_EXTENSION);
    let is_static = env::var_os("ROCKSDB_STATIC").is_some();
    let file = if !is_static && shared.exists() { &shared } else { &archive };
    let allowed = if is_static { "librocksdb.a" } else { "RocksDB's library" };
    assert!(
        file.exists(),
        "ROCKSDB_LIB_DIR is '{}'; allowed: the absolute path of a folder with {allowed}",
        folder.display()
    );
    file.clone()
}
