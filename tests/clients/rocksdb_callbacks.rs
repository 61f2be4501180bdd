//! Databases with bloomline's filters whose comparator and merge operator are in Rust, in the two
//! ways of the README of bloomline-rocksdb. Usage: PROGRAM FOLDER
use rocksdb::{MergeOperands, Options, DB};
use std::error::Error;
use std::path::{Path, PathBuf};

const KEYS: usize = 20_000;
const TABLE: &str = "{filter_policy={id=bloomline;format=blocked}}";

fn concatenate(_: &[u8], first: Option<&[u8]>, operands: &MergeOperands) -> Option<Vec<u8>> {
    let mut value = first.unwrap_or_default().to_vec();
    for operand in operands {
        value.extend_from_slice(operand);
    }
    Some(value)
}

/// Opens a database with these options and callbacks, and with these ones that are set when it is
/// open. Returns how many reads filters saved.
fn saved(mut options: Options, path: &Path, set: &[(&str, &str)]) -> Result<u64, Box<dyn Error>> {
    options.create_if_missing(true);
    options.enable_statistics();
    options.set_comparator("reversed", Box::new(|a: &[u8], b: &[u8]| b.cmp(a)));
    options.set_merge_operator_associative("concatenate", concatenate);
    let db = DB::open(&options, path)?;
    db.set_options(set)?;
    for i in 0..KEYS {
        db.put(format!("{i:05}"), "a")?;
    }
    db.flush()?;
    for i in 0..KEYS {
        db.merge(format!("{i:05}"), "b")?;
    }
    db.flush()?;
    for i in 0..KEYS {
        assert_eq!(db.get(format!("{i:05}"))?.as_deref(), Some(&b"ab"[..]), "{i}");
        assert!(db.get(format!("{i:05}, missing"))?.is_none(), "{i}");
    }
    let mut all = db.raw_iterator();
    all.seek_to_first();
    assert_eq!(all.key(), Some(&b"19999"[..]));
    let statistics = options.get_statistics().ok_or("no statistics")?;
    let useful =
        statistics.split_once("rocksdb.bloom.filter.useful COUNT : ").ok_or("no ticker")?;
    Ok(useful.1.lines().next().ok_or("no line")?.parse()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = std::env::args_os().nth(1).ok_or("usage: PROGRAM FOLDER")?.into();
    bloomline_rocksdb::register()?;
    let text = format!("block_based_table_factory={TABLE}");
    let options = Options::default().get_options_from_string(text)?;
    let of_text = saved(options, &folder.join("callbacks_text"), &[])?;
    let set = [("block_based_table_factory", TABLE)];
    let of_set = saved(Options::default(), &folder.join("callbacks_set"), &set)?;
    println!("filters saved {of_text} and {of_set} reads");
    assert!(of_text > 35_000 && of_set > 35_000);
    let unknown = "block_based_table_factory={filter_policy={id=bloomline;format=cuckoo}}";
    assert!(Options::default().get_options_from_string(unknown).is_err());
    Ok(())
}
