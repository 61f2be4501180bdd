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
    if Path::new("native").exists() {
        println!("cargo:rerun-if-changed=native");
        return "native".into();
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

/// Links the libraries in the folder BLOOMLINE_LIB_DIR. One of them has its version in it.
pub fn link(libraries: &[&str]) {
    let (folder, extension) = (path("BLOOMLINE_LIB_DIR"), env::consts::DLL_EXTENSION);
    let wrong = format!("BLOOMLINE_LIB_DIR is '{}'; allowed: ", folder.display());
    println!("cargo:rustc-link-search=native={}", folder.display());
    for library in libraries {
        let archive = folder.join(format!("lib{library}.a"));
        let kind = if archive.exists() { "static" } else { "dylib" };
        let file = if archive.exists() { archive } else { archive.with_extension(extension) };
        let need = format!("{wrong}a folder with lib{library}.a or lib{library}.{extension}");
        let bytes = fs::read(&file).expect(&need);
        let text = concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes();
        let fits = bytes.windows(text.len()).any(|part| part == text);
        let version = env!("CARGO_PKG_VERSION");
        assert!(fits || *library != "bloomline_c", "{wrong}libraries of version {version}");
        println!("cargo:rerun-if-changed={}", file.display());
        println!("cargo:rustc-link-lib={kind}={library}");
    }
}

/// Compiles the sources of the first folder, with the headers of all of them and of an engine, and
/// with these flags. Whatever the profile, they are optimized: without that, queries take many
/// times as long. As many compilers run as cargo allows. (cc's own feature for this, `parallel`,
/// needs a newer Rust.)
///
/// All names are hidden. Otherwise a program would export what an engine's headers define, and the
/// engine's shared library would use that in place of its own, even if it has another version.
pub fn sources(
    library: &str,
    standard: &str,
    folders: &[&Path],
    engine: Option<&Path>,
    flags: &[&str],
) {
    let mut build = cc::Build::new();
    build.cpp(true).std(standard).opt_level(3).define("NDEBUG", None).debug(false).warnings(false);
    build.flag("-fvisibility=hidden").flag("-fvisibility-inlines-hidden");
    build.flag_if_supported("-falign-functions=64").includes(engine);
    for flag in flags {
        build.flag(flag);
    }
    for folder in folders {
        build.include(folder.join("include")).include(folder);
    }
    let mut files = Vec::new();
    find(&folders[0].join("src"), &mut files);
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
    let mut all = build.clone();
    std::thread::scope(|scope| {
        let part = |k| files.iter().skip(k).step_by(jobs);
        let parts = (0..jobs).map(|k| (build.clone(), part(k)));
        let threads = parts.map(|(mut build, part)| {
            scope.spawn(move || build.files(part).compile_intermediates())
        });
        for thread in threads.collect::<Vec<_>>() {
            all.objects(thread.join().expect("the compiler's error is above"));
        }
    });
    all.compile(library);
}

/// Appends the sources in a folder.
fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the package has the folder") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension() == Some("cc".as_ref()) {
            files.push(path);
        }
    }
}
