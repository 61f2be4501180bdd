//! Writes a database with Ribbon filters. Usage: books FOLDER
use bloomline_rocksdb::FamilyOptions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: books FOLDER")?;
    let filter = "{id=bloomline;format=ribbon;bits_per_key=14.5}";
    let family = FamilyOptions::with_filter(filter).descriptor("default")?;
    let mut options = rocksdb::Options::default();
    options.create_if_missing(true);
    let db = rocksdb::DB::open_cf_descriptors(&options, path, [family])?;
    for i in 0..100_000 {
        db.put(format!("book {i:06}"), "a title")?;
    }
    db.flush()?;
    assert!(db.get("book 000007")?.is_some() && db.get("book 7")?.is_none());
    Ok(())
}
