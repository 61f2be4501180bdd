//! Compiles the adaptor for RocksDB, which is C++ in the folder `native`. The crate bloomline has
//! the filters' headers; librocksdb-sys has RocksDB's, unless ROCKSDB_INCLUDE_DIR names others. If
//! BLOOMLINE_LIB_DIR names a folder with libraries, the adaptor there is linked instead.
mod compile;
mod rocksdb_library;
use compile::path;
use std::env;
use std::path::Path;

fn main() {
    for variable in ["BLOOMLINE_LIB_DIR", "DOCS_RS", "ROCKSDB_INCLUDE_DIR"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation needs no library
    }
    if env::var_os("BLOOMLINE_LIB_DIR").is_some() {
        return compile::link(&["bloomline_rocksdb"]);
    }
    let mut flags = Vec::new();
    if !rocksdb_library::has_type_information() {
        flags.push("-fno-rtti");
    }
    let filters = path("DEP_BLOOMLINE_C_NATIVE");
    let native = compile::native(&["--adaptor", "rocksdb", &filters.to_string_lossy()]);
    let rocksdb = match env::var_os("ROCKSDB_INCLUDE_DIR") {
        Some(folder) => folder.into(),
        None => path("DEP_ROCKSDB_CARGO_MANIFEST_DIR").join("rocksdb/include"),
    };
    // RocksDB's headers need C++20 from 10.7 on.
    let folders: [&Path; 2] = [&native, &filters];
    compile::sources("bloomline_rocksdb", "c++20", &folders, Some(&rocksdb), &flags);
}
