//! Compiles bloomline's filters, which are C++ in the folder `native`, and declares their functions
//! for C. In a checkout, packaging/source_package makes that folder. If BLOOMLINE_LIB_DIR names a
//! folder with libraries of this version, they are linked instead.
mod compile;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-env-changed=BLOOMLINE_LIB_DIR");
    println!("cargo:rerun-if-env-changed=DOCS_RS");
    let native = compile::native(&[]);
    declare(&native.join("include/bloomline/c.h"), &compile::path("OUT_DIR"));
    let folder = fs::canonicalize(&native).expect("the path exists");
    println!("cargo:native={}", folder.display()); // for bloomline-rocksdb
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation needs no library
    }
    if env::var_os("BLOOMLINE_LIB_DIR").is_none() {
        return compile::sources("bloomline", "c++17", &[&native], None, &[]);
    }
    compile::link(&["bloomline_c", "bloomline_filters", "bloomline_core"]);
    let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    println!("cargo:rustc-link-lib={}", if os == "macos" { "c++" } else { "stdc++" });
}

/// Writes the types and functions of the header, in Rust, for src/ffi.rs.
fn declare(header: &Path, out: &Path) {
    let text = fs::read_to_string(header).expect("the package has the header");
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
    fs::write(out.join("ffi.rs"), declared).expect("OUT_DIR can be written");
    fs::write(out.join("c.h"), text).expect("OUT_DIR can be written"); // for the tests
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
