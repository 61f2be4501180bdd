//! Compiles the adaptor for RocksDB with CMake, from the checkout that the crate bloomline found.
//! Without a checkout it links the installed adaptor. It uses the RocksDB of librocksdb-sys, and
//! the headers that ROCKSDB_INCLUDE_DIR names, that the crate contains, or that pkg-config finds.
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    for variable in
        ["ROCKSDB_INCLUDE_DIR", "ROCKSDB_LIB_DIR", "PKG_CONFIG_PATH", "CXX", "CXXFLAGS", "DOCS_RS"]
    {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation needs no library
    }
    match env::var_os("DEP_BLOOMLINE_C_SOURCE") {
        Some(source) => build(Path::new(&source)),
        None => {
            println!("cargo:rustc-link-search=native={}", installed("bloomline_rocksdb", "libdir"));
            println!("cargo:rustc-link-lib=bloomline_rocksdb");
        }
    }
}

fn build(source: &Path) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // The folders of librocksdb-sys's own RocksDB, if it was built from them.
    let folder = |variable, path, file: &str| {
        let folder = Path::new(&env::var_os(variable)?).join(path);
        folder.join(file).exists().then(|| folder.display().to_string())
    };
    let include = env::var("ROCKSDB_INCLUDE_DIR")
        .ok()
        .or_else(|| folder("DEP_ROCKSDB_CARGO_MANIFEST_DIR", "rocksdb/include", "rocksdb/c.h"))
        .unwrap_or_else(|| installed("rocksdb", "includedir"));
    let library = env::var("ROCKSDB_LIB_DIR")
        .ok()
        .or_else(|| folder("DEP_ROCKSDB_OUT_DIR", "", "librocksdb.a"))
        .unwrap_or_else(|| installed("rocksdb", "libdir"));
    let package = format!(
        "add_library(RocksDB::rocksdb INTERFACE IMPORTED)\n\
         set_target_properties(RocksDB::rocksdb PROPERTIES\n  \
           INTERFACE_INCLUDE_DIRECTORIES \"{include}\"\n  \
           INTERFACE_LINK_LIBRARIES \"-L{library};rocksdb\")\n"
    );
    std::fs::write(out.join("RocksDBConfig.cmake"), package).expect("OUT_DIR can be written");

    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(source).arg("-B").arg(out.join("build"));
    configure.arg(format!("-DRocksDB_DIR={}", out.display()));
    configure.args(["-DCMAKE_BUILD_TYPE=Release", "-DBLOOMLINE_ROCKSDB=ON"]);
    configure.args(["-DBLOOMLINE_LEVELDB=OFF", "-DBLOOMLINE_REDIS=OFF"]);
    // The crate bloomline links the core.
    configure.arg("-DCMAKE_OPTIMIZE_DEPENDENCIES=ON");
    for option in ["TOOL", "TESTS", "BENCH", "PRELOAD", "PYTHON"] {
        configure.arg(format!("-DBLOOMLINE_BUILD_{option}=OFF"));
    }
    run(&mut configure);
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "1".into());
    let mut compile = Command::new("cmake");
    compile.arg("--build").arg(out.join("build"));
    run(compile.args(["--target", "bloomline_rocksdb", "--parallel", &jobs]));
    println!("cargo:rustc-link-search=native={}", out.join("build").display());
    println!("cargo:rustc-link-lib=static=bloomline_rocksdb");
    for path in ["CMakeLists.txt", "cmake", "include", "src"] {
        println!("cargo:rerun-if-changed={}", source.join(path).display());
    }
}

/// A variable of an installed package.
fn installed(package: &str, variable: &str) -> String {
    let mut query = Command::new("pkg-config");
    run(query.arg(format!("--variable={variable}")).arg(package)).trim().to_string()
}

/// What a command prints. If the command fails, the build fails with its error message.
fn run(command: &mut Command) -> String {
    let output =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; install it"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed:\n{text}{errors}");
    text
}
