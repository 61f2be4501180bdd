//! Reads databases that tests/database.rs of bloomline-rocksdb wrote, without bloomline: even keys
//! are there, odd ones are not.
use rocksdb::{Options, DB};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let names = DB::list_cf(&Options::default(), &path)?;
        let db = DB::open_cf_for_read_only(&Options::default(), &path, &names, false)?;
        for name in &names {
            let family = db.cf_handle(name).ok_or("no family")?;
            for i in 0..20_000 {
                let value = db.get_cf(&family, format!("{i:016}"))?;
                assert_eq!(value.is_some(), i % 2 == 0, "{path}, {name}, {i}");
            }
        }
        println!("{path}: {names:?}");
    }
    Ok(())
}
