//! The block of docs/operating.md: all files of a database get new filters. The argument is its
//! folder.
use bloomline_rocksdb::FamilyOptions;
use rocksdb::{Options, DB};

const OPTIONS: &str = "target_file_size_base=4096;compression=kNoCompression";

fn open(path: &str, filter: &str) -> DB {
    let family = FamilyOptions::with_filter(filter).family(OPTIONS);
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_max_subcompactions(2);
    options.set_ratelimiter(100 << 20, 100_000, 10);
    let family = family.descriptor("default").expect("a family");
    DB::open_cf_descriptors(&options, path, [family]).expect("a database")
}

fn write(db: &DB, keys: std::ops::Range<u32>) {
    for i in keys {
        db.put(i.to_string(), "value").expect("a write");
    }
    db.flush().expect("a flush");
}

fn main() {
    // Files in two levels. Few of the lower level overlap one above.
    let path = std::env::args().nth(1).expect("a folder");
    let db = open(&path, "{id=bloomline;format=bloom}");
    write(&db, 1000..5000);
    write(&db, 1000..5000);
    db.compact_range(None::<&[u8]>, None::<&[u8]>);
    write(&db, 2000..2100);
    write(&db, 6000..6100);
    drop(db);

    let db = open(&path, "bloomline:10");
    // BLOCK 1
}
