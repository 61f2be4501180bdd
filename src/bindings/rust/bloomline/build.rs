//! Declares bloomline's C functions, from c.h, and links their libraries. In a checkout it builds
//! static libraries with CMake; BLOOMLINE_SOURCE may name the checkout. BLOOMLINE_BUILD may name a
//! build with libraries to use instead. Without a checkout, or with BLOOMLINE_INSTALLED=1, it links
//! the installed libraries that pkg-config finds.
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    for variable in ["SOURCE", "BUILD", "INSTALLED"] {
        println!("cargo:rerun-if-env-changed=BLOOMLINE_{variable}");
    }
    for variable in ["PKG_CONFIG_PATH", "CXX", "CXXFLAGS", "CMAKE_TOOLCHAIN_FILE", "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    declare("src/c.h");
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation needs no library
    }
    let installed = env::var_os("BLOOMLINE_INSTALLED").map_or(false, |value| value != "0");
    match source() {
        Some(source) if !installed => build(&source),
        _ => link_installed(),
    }
}

/// Writes the types and functions of the header, in Rust, for src/ffi.rs.
fn declare(header: &str) {
    println!("cargo:rerun-if-changed={header}");
    let text = std::fs::read_to_string(header).expect("the crate has the header");
    // The parts of "a /* b */ c" are "a " and " b */ c".
    let code: String =
        text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code)).collect();
    let (mut types, mut functions) = (String::new(), String::new());
    for statement in code.split(';') {
        let words = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((_, name)) = words.rsplit_once("typedef struct ") {
            let name = name.split(' ').next().expect("the name of a type");
            types += &format!("#[repr(C)]\npub struct {name}([u8; 0]);\n");
        } else if let Some((head, parameters)) = words.split_once('(') {
            let (result, name) = head.rsplit_once(' ').expect("a result and a name");
            let parameters = parameters.trim_end_matches(')').split(", ").map(|parameter| {
                match parameter.rsplit_once(' ') {
                    Some((c, name)) if !name.ends_with('*') => rust_type(c), // without its name
                    _ => rust_type(parameter),
                }
            });
            let list = parameters.filter(|rust| rust != "()").map(|rust| format!("_: {rust}"));
            let list = list.collect::<Vec<_>>().join(", ");
            functions += &format!("    pub fn {name}({list}) -> {};\n", rust_type(result));
        }
    }
    let declared = format!("{types}extern \"C\" {{\n{functions}}}\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(out.join("ffi.rs"), declared).expect("OUT_DIR can be written");
}

/// A type of C in Rust: "const char* const*" is "*const *const c_char".
fn rust_type(c: &str) -> String {
    if c == "void*" {
        return "*mut c_void".into();
    }
    if let Some(target) = c.strip_suffix(" const*") {
        return format!("*const {}", rust_type(target));
    }
    if let Some(target) = c.strip_suffix('*') {
        return match target.strip_prefix("const ") {
            Some(target) => format!("*const {}", rust_type(target)),
            None => format!("*mut {}", rust_type(target)),
        };
    }
    let rust = match c {
        "void" => "()",
        "char" => "c_char",
        "int" => "c_int",
        "double" => "f64",
        "size_t" => "usize",
        "uint8_t" => "u8",
        "uint32_t" => "u32",
        "uint64_t" => "u64",
        handle => handle,
    };
    rust.to_string()
}

/// The checkout, if there is one.
fn source() -> Option<PathBuf> {
    let checkout = match env::var_os("BLOOMLINE_SOURCE") {
        Some(named) => PathBuf::from(named),
        None => Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("../../../.."),
    };
    // A header would be no proof: /usr, four folders above an installed crate's, has headers, too.
    let found = checkout.join("src/bindings/c").exists();
    assert!(
        found || env::var_os("BLOOMLINE_SOURCE").is_none(),
        "BLOOMLINE_SOURCE is '{}'; allowed: a checkout of bloomline",
        checkout.display()
    );
    found.then(|| checkout.canonicalize().expect("the path exists"))
}

fn build(source: &Path) {
    let named = env::var_os("BLOOMLINE_BUILD").map(PathBuf::from);
    let folder = named.clone().unwrap_or_else(|| compile(source));
    println!("cargo:rustc-link-search=native={}", folder.display());
    for library in ["bloomline_c", "bloomline_filters", "bloomline_core"] {
        println!("cargo:rustc-link-lib=static={library}");
        // Files that this script writes would be newer than its run, so it would run again.
        if named.is_some() {
            println!("cargo:rerun-if-changed={}/lib{library}.a", folder.display());
        }
    }
    let of_cxx = if target("OS") == "macos" { "c++" } else { "stdc++" };
    println!("cargo:rustc-link-lib=dylib={of_cxx}");
    println!("cargo:source={}", source.display()); // for bloomline-rocksdb
    for path in ["CMakeLists.txt", "cmake", "include", "src"] {
        println!("cargo:rerun-if-changed={}", source.join(path).display());
    }
}

/// What Cargo says about the target: OS, ARCH.
fn target(what: &str) -> String {
    env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default()
}

fn compile(source: &Path) -> PathBuf {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(source).arg("-B").arg(&out);
    configure.arg("-DCMAKE_BUILD_TYPE=Release");
    if target("OS") == "macos" {
        let cpu = target("ARCH").replace("aarch64", "arm64");
        configure.arg(format!("-DCMAKE_OSX_ARCHITECTURES={cpu}"));
    }
    for option in ["LEVELDB", "ROCKSDB", "REDIS"] {
        configure.arg(format!("-DBLOOMLINE_{option}=OFF"));
    }
    for option in ["TOOL", "TESTS", "BENCH", "PRELOAD", "PYTHON"] {
        configure.arg(format!("-DBLOOMLINE_BUILD_{option}=OFF"));
    }
    run(&mut configure);
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "1".into());
    let mut compile = Command::new("cmake");
    compile.arg("--build").arg(&out);
    run(compile.args(["--target", "bloomline_c", "--parallel", &jobs]));
    out
}

fn link_installed() {
    // In 0.x, each minor version may change the functions.
    let minor = env!("CARGO_PKG_VERSION_MINOR");
    let next: u32 = minor.parse::<u32>().expect("a number") + 1;
    let versions = format!("bloomline_c >= 0.{minor} bloomline_c < 0.{next}");
    let flags = run(Command::new("pkg-config").args(["--libs", &versions]));
    for flag in flags.split_whitespace() {
        if let Some(folder) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
        } else if let Some(library) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={library}");
        }
    }
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
