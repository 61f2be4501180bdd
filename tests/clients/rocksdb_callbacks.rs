//! A database with bloomline's filters whose comparator and merge operator are in Rust, as in the
//! README of bloomline-rocksdb. Usage: PROGRAM FOLDER
use rocksdb::{MergeOperands, Options, DB};
use std::error::Error;

const KEYS: usize = 20_000;

fn concatenate(_: &[u8], first: Option<&[u8]>, operands: &MergeOperands) -> Option<Vec<u8>> {
    let mut value = first.unwrap_or_default().to_vec();
    for operand in operands {
        value.extend_from_slice(operand);
    }
    Some(value)
}

fn text(format: &str) -> String {
    format!("block_based_table_factory={{filter_policy={{id=bloomline;format={format}}}}}")
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: PROGRAM FOLDER")?;
    bloomline_rocksdb::register()?;
    assert!(Options::default().get_options_from_string(text("cuckoo")).is_err());
    let mut options = Options::default().get_options_from_string(text("blocked"))?;
    options.create_if_missing(true);
    options.enable_statistics();
    options.set_comparator("reversed", Box::new(|a: &[u8], b: &[u8]| b.cmp(a)));
    options.set_merge_operator_associative("concatenate", concatenate);
    let db = DB::open(&options, folder)?;
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
    let useful = statistics.split_once("rocksdb.bloom.filter.useful COUNT : ").ok_or("none")?.1;
    let useful: usize = useful.lines().next().ok_or("no line")?.parse()?;
    println!("filters saved {useful} of {} reads", 2 * KEYS);
    assert!(useful > 2 * KEYS * 9 / 10);
    Ok(())
}
