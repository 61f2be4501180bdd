//! src/ffi.rs declares the functions as include/bloomline/c.h does.
use std::collections::HashSet;
use std::fs::read_to_string;
use std::path::Path;

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// The header, which a crate outside of a checkout may not have beside it.
fn header() -> Option<String> {
    let include = format!("{CRATE}/../../../../include");
    match read_to_string(format!("{include}/bloomline/c.h")) {
        Ok(header) => Some(header),
        Err(_) if !Path::new(&format!("{CRATE}/../../c")).exists() => None,
        Err(error) => panic!("{include}: {error}"),
    }
}

/// A parameter of the header without its name: "const char* const* keys" is "const char* const*".
fn without_name(parameter: &str) -> String {
    let words: Vec<_> = parameter.split_whitespace().collect();
    let named = words.len() > 1 && !words[words.len() - 1].ends_with('*');
    words[..words.len() - usize::from(named)].join(" ")
}

/// The functions of the header, without the names of parameters and in one line each.
fn functions_of(header: &str) -> HashSet<String> {
    // Without comments: of "a /* b */ c" the parts are "a " and " b */ c".
    let mut text = String::new();
    for (i, part) in header.split("/*").enumerate() {
        text += part.split("*/").nth(usize::from(i > 0)).unwrap_or("");
    }
    let functions = text.split("extern ").skip(1).filter_map(|declaration| {
        let (head, parameters) = declaration.split_once(");")?.0.split_once('(')?;
        let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
        let parameters: Vec<_> = parameters.split(',').map(without_name).collect();
        Some(format!("{head}({})", parameters.join(", ")))
    });
    functions.collect()
}

/// A type of Rust in C's words: "*const *const c_char" is "const char* const*".
fn c_type(rust: &str) -> String {
    match rust.split_once(' ') {
        Some(("*mut", target)) => c_type(target) + "*",
        Some(("*const", target)) if target.starts_with('*') => c_type(target) + " const*",
        Some(("*const", target)) => format!("const {}*", c_type(target)),
        _ => match rust {
            "c_void" | "" => "void",
            "c_char" => "char",
            "c_int" => "int",
            "f64" => "double",
            "usize" => "size_t",
            "u8" => "uint8_t",
            "u64" => "uint64_t",
            handle => handle,
        }
        .to_string(),
    }
}

#[test]
fn declarations_agree_with_the_header() {
    let functions = match header() {
        Some(header) => functions_of(&header),
        None => return,
    };
    assert!(functions.len() > 100);
    let source = read_to_string(format!("{CRATE}/src/ffi.rs")).expect("the declarations");
    let (types, declared) = source.split_once("functions! {\n").expect("the list");
    let mut declared = declared.to_string();
    for alias in types.lines().filter_map(|line| line.strip_prefix("pub type ")) {
        let (name, target) = alias.trim_end_matches(';').split_once(" = ").expect("a type");
        declared = declared.replace(name, target);
    }
    let mut count = 0;
    for declaration in declared.lines().filter_map(|line| line.trim().strip_suffix(';')) {
        let (name, rest) = declaration.split_once('(').expect("a function");
        let (parameters, result) = rest.split_once(')').expect("a function");
        let parameters: Vec<_> = parameters.split(", ").map(c_type).collect();
        let result = c_type(result.trim_start_matches(" -> "));
        let in_c = format!("{result} {name}({})", parameters.join(", "));
        assert!(functions.contains(&in_c), "{in_c}");
        count += 1;
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
    let check = |name: String, value: i32| {
        let constant = format!("bloomline_{} = {value}", name.to_lowercase());
        assert!(header.contains(&constant), "{constant}");
    };
    for format in [Format::Blocked, Format::Compact] {
        check(format!("format_{format:?}"), format.into());
    }
    for layout in [Layout::Blocked, Layout::Standard, Layout::Blocked128, Layout::Blocked64] {
        check(format!("bloom_{layout:?}"), layout.into());
    }
}
