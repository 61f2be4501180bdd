//! What the build scripts of both crates share.
use std::path::{Path, PathBuf};
use std::{env, fs, process::Command};

/// The path that a variable names.
pub fn path(variable: &str) -> PathBuf {
    PathBuf::from(env::var_os(variable).expect(variable))
}

/// The folder with the sources. A published crate contains it. In a checkout,
/// packaging/source_package makes it, with these arguments.
pub fn native(arguments: &[&str]) -> PathBuf {
    let packaged = path("CARGO_MANIFEST_DIR").join("native");
    if packaged.exists() {
        println!("cargo:rerun-if-changed=native");
        return packaged;
    }
    let made = path("OUT_DIR").join("native");
    let _ = fs::remove_dir_all(&made);
    let script = "../../../../packaging/source_package";
    let output = Command::new(script).arg(&made).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{script}: {error}"));
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    for path in ["packaging/source_package", "cmake", "include", "src/layers.txt"] {
        println!("cargo:rerun-if-changed=../../../../{path}");
    }
    for folder in ["bindings/c", "engines", "filter", "sets", "support"] {
        println!("cargo:rerun-if-changed=../../../../src/{folder}");
    }
    made
}

/// Compiles the sources of the first folder, with the headers of all of them and of an engine.
/// Whatever the profile, they are optimized: without that, queries take many times as long.
pub fn sources(library: &str, standard: &str, folders: &[&Path], engine: Option<&Path>) {
    let mut build = cc::Build::new();
    build.cpp(true).std(standard).opt_level(3).define("NDEBUG", None).debug(false).warnings(false);
    build.flag_if_supported("-falign-functions=64").includes(engine);
    for folder in folders {
        build.include(folder.join("include")).include(folder);
    }
    add(&mut build, &folders[0].join("src"));
    build.compile(library);
}

fn add(build: &mut cc::Build, folder: &Path) {
    for entry in fs::read_dir(folder).expect("the package has the folder") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            add(build, &path);
        } else if path.extension().map_or(false, |extension| extension == "cc") {
            build.file(path);
        }
    }
}
