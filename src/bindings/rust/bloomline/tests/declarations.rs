//! src/ffi.rs declares the functions as include/bloomline/c.h does.
use std::collections::HashMap;

use std::fs::read_to_string;
use std::path::Path;

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// The header, which a crate outside of a checkout may not have beside it.
fn header() -> Option<String> {
    let include = format!("{CRATE}/../../../../include");
    let header = read_to_string(format!("{include}/bloomline/c.h"));
    match header {
        Ok(header) => Some(header),
        Err(_) if !Path::new(&format!("{CRATE}/../../c")).exists() => None,
        Err(error) => panic!("{include}: {error}"),
    }
}

/// A type of C in Rust's words: "const char* const* keys" is "*const *const c_char".
fn type_of(declared: &str) -> String {
    let spaced = declared.replace('*', " * ");
    let mut words = spaced.split_whitespace().peekable();
    let mut is_const = words.next_if_eq(&"const").is_some();
    let mut result = match words.next().expect("a type") {
        "void" => "c_void",
        "char" => "c_char",
        "int" => "c_int",
        "double" => "f64",
        "size_t" => "usize",
        "uint8_t" => "u8",
        "uint32_t" => "u32",
        "uint64_t" => "u64",
        handle => handle,
    }
    .to_string();
    while words.next_if_eq(&"*").is_some() {
        result = format!("*{} {result}", if is_const { "const" } else { "mut" });
        is_const = words.next_if_eq(&"const").is_some();
    }
    result
}

/// "name(type, type) -> type" of each function in the header, by name.
fn functions_of(header: &str) -> HashMap<String, String> {
    let mut text = String::new();
    for (i, part) in header.split("/*").enumerate() {
        text += part.split("*/").nth(usize::from(i > 0)).unwrap_or("");
    }
    let declarations = text.split("extern ").skip(1).filter_map(|declaration| {
        let declaration = declaration.split(';').next()?;
        let (head, arguments) = declaration.split_once('(')?;
        let (result, name) = head.split_at(head.rfind("bloomline_")?);
        let arguments: Vec<_> = arguments
            .trim_end_matches(')')
            .split(',')
            .filter(|argument| argument.trim() != "void")
            .map(type_of)
            .collect();
        let mut function = format!("{name}({})", arguments.join(", "));
        match type_of(result).as_str() {
            "c_void" => {}
            result => function += &format!(" -> {result}"),
        }
        Some((name.to_string(), function))
    });
    declarations.collect()
}

#[test]
fn declarations_agree_with_the_header() {
    let functions = match header() {
        Some(header) => functions_of(&header),
        None => return,
    };
    assert!(functions.len() > 100);
    let source = read_to_string(format!("{CRATE}/src/ffi.rs")).expect("the declarations");
    let (_, declared) = source.split_once("functions! {\n").expect("the list");
    let mut count = 0;
    for declaration in declared.trim_end_matches("}\n").split(';') {
        let mut words = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
        for (short, long) in [
            ("Bytes", "*const c_char"),
            ("Keys", "*const *const c_char"),
            ("Lengths", "*const usize"),
            ("Answers", "*mut u8"),
            ("ErrPtr", "*mut *mut c_char"),
        ] {
            if words.contains(short) {
                assert!(source.contains(&format!("pub type {short} = {long};")));
            }
            words = words.replace(short, long);
        }
        if let Some((name, _)) = words.split_once('(') {
            let declared_in_c = functions.get(name).map(String::as_str);
            assert_eq!(declared_in_c, Some(words.as_str()));
            count += 1;
        }
    }
    assert!(count > 50, "{count} functions");
}

#[test]
fn constants_agree_with_the_header() {
    use bloomline::{Format, Layout};
    let header = match header() {
        Some(header) => header,
        None => return,
    };
    for (name, value) in [
        ("format_classic", Format::Classic.into()),
        ("format_blocked", Format::Blocked.into()),
        ("format_compact", Format::Compact.into()),
        ("format_bloom", Format::Bloom.into()),
        ("format_ribbon", Format::Ribbon.into()),
        ("bloom_blocked", Layout::Blocked.into()),
        ("bloom_standard", Layout::Standard.into()),
        ("bloom_blocked128", Layout::Blocked128.into()),
        ("bloom_blocked64", Layout::Blocked64.into()),
    ] as [(&str, i32); 9]
    {
        assert!(header.contains(&format!("bloomline_{name} = {value}")), "{name}");
    }
}
