use bloomline_rocksdb::{ErrorKind, FamilyOptions, FilterPolicy};
use rocksdb::{Cache, ColumnFamilyDescriptor, Env, FlushOptions, Options, DB};
use std::path::{Path, PathBuf};

const KEYS: u64 = 20_000;

fn key(i: u64) -> String {
    format!("{i:016}")
}

fn folder(name: &str) -> PathBuf {
    let parent = std::env::var_os("BLOOMLINE_TEST_FOLDER").map(PathBuf::from);
    let folder = parent.unwrap_or_else(std::env::temp_dir).join(format!("bloomline_rust_{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Opens a database, writes even keys, and looks up all keys. Returns how many reads filters saved.
fn useful(mut options: Options, path: &Path, families: Vec<ColumnFamilyDescriptor>) -> u64 {
    options.create_if_missing(true);
    options.create_missing_column_families(true);
    options.enable_statistics();
    let names: Vec<_> = families.iter().map(|family| family.name().to_string()).collect();
    let db = DB::open_cf_descriptors(&options, path, families).expect("a database");
    for name in names {
        let family = db.cf_handle(&name).expect("a family");
        // All keys are in a file of the last level, some also in one of the first level.
        for (keys, step) in [(0..KEYS, 4), (2..KEYS, 4), (0..KEYS / 4, 2)] {
            db.compact_range_cf(&family, None::<&[u8]>, None::<&[u8]>);
            for i in keys.step_by(step) {
                db.put_cf(&family, key(i), "value").expect("a write");
            }
            db.flush_cf_opt(&family, &FlushOptions::default()).expect("a flush");
        }
        for i in 0..KEYS {
            let value = db.get_cf(&family, key(i)).expect("a lookup");
            assert_eq!(value.is_some(), i % 2 == 0, "{i}");
        }
    }
    let statistics = options.get_statistics().expect("statistics");
    let useful = statistics.split_once("rocksdb.bloom.filter.useful COUNT : ").expect("a ticker").1;
    useful.lines().next().expect("a line").parse().expect("a number")
}

/// Files of a database whose name contains one text and whose content another.
fn files_with(path: &Path, name: &str, text: &str) -> usize {
    let files = std::fs::read_dir(path).expect("a folder").map(|file| file.expect("a file"));
    files
        .filter(|file| file.file_name().to_string_lossy().contains(name))
        .filter(|file| {
            let bytes = std::fs::read(file.path()).expect("a file");
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        })
        .count()
}

/// `memory` needs the listener, which only a text can set.
#[test]
fn limited_memory_needs_the_listener() {
    let path = folder("memory");
    let family = |text: &str| {
        let filter = format!("{{id=bloomline;format=ribbon;{text}}}");
        FamilyOptions::with_filter(&filter).descriptor("default").expect("a family")
    };
    let mut without = Options::default();
    without.create_if_missing(true);
    let refused = DB::open_cf_descriptors(&without, &path, [family("memory=8KiB")]);
    let error = refused.expect_err("no listener").to_string();
    assert!(error.contains("no listener of the database counts filters"), "{error}");

    let options =
        bloomline_rocksdb::database_options("listeners=bloomline.account;max_background_jobs=3");
    useful(options.expect("options"), &path, vec![family("memory=8KiB")]);
    assert!(files_with(&path, "OPTIONS", "listeners={bloomline") > 0);
    assert!(files_with(&path, "OPTIONS", "max_background_jobs=3") > 0);
    for wrong in ["listenerz=bloomline", "a\nb", "max_background_jobs=some"] {
        assert!(bloomline_rocksdb::database_options(wrong).is_err(), "{wrong}");
    }
    DB::destroy(&Options::default(), &path).expect("the folder");
}

/// Bits per key of two small files that are flushed above a full level, after a restart.
fn bits_of_flushed_files(mut options: Options, path: &Path) -> f64 {
    let filter = "{id=bloomline;format=bloom;bits_per_key=10;bits_by_level=auto}";
    options.create_if_missing(true);
    let open = || {
        let family = FamilyOptions::with_filter(filter).descriptor("default").expect("a family");
        DB::open_cf_descriptors(&options, path, [family]).expect("a database")
    };
    let write = |db: &DB, keys: std::ops::Range<u64>| {
        keys.for_each(|i| db.put(key(i), "value").expect("a write"));
        db.flush().expect("a flush");
    };
    let db = open();
    write(&db, 0..KEYS);
    db.compact_range(None::<&[u8]>, None::<&[u8]>);
    drop(db);
    let db = open();
    write(&db, KEYS..KEYS + 100);
    write(&db, KEYS..KEYS + 100);
    let tables = db.property_value("rocksdb.aggregated-table-properties-at-level0");
    let tables = tables.expect("a property").expect("a text");
    let number = |name: &str| {
        let text = tables.split_once(name).expect(name).1;
        text.split(';').next().expect(name).parse::<f64>().expect(name)
    };
    8.0 * number("filter block size=") / number("# entries=")
}

/// The listener knows the level below, and so leaves them more bits.
#[test]
fn bits_by_level_follow_the_listener() {
    let path = folder("account");
    let options = bloomline_rocksdb::database_options("listeners=bloomline.account");
    let with = bits_of_flushed_files(options.expect("options"), &path);
    DB::destroy(&Options::default(), &path).expect("the folder");
    let without = bits_of_flushed_files(Options::default(), &path);
    assert!(with > 12.0 && without < 12.0, "{with}, {without}");
    DB::destroy(&Options::default(), &path).expect("the folder");
}

#[test]
fn databases_have_the_filter_and_reopen_with_it() {
    let path = folder("ribbon");
    let cache = Cache::new_lru_cache(1 << 20);
    let family = FamilyOptions::with_filter("{id=bloomline;format=ribbon;bits_per_key=14.5}")
        .table("block_size=8192;cache_index_and_filter_blocks=true")
        .family("write_buffer_size=33554432; compression=kNoCompression;")
        .block_cache(&cache);
    let families = vec![
        family.descriptor("default").expect("a family"),
        family.descriptor("books").expect("a family"),
    ];
    assert!(useful(Options::default(), &path, families) > KEYS * 98 / 100);
    assert!(cache.get_usage() > 0);
    assert_eq!(files_with(&path, ".sst", "bloomline"), 4);
    for text in ["format=ribbon", "block_size=8192", "write_buffer_size=33554432"] {
        assert!(files_with(&path, "OPTIONS", text) > 0, "{text}");
    }

    let env = Env::new().expect("an environment");
    let (options, families) = Options::load_latest(&path, env, false, cache).expect("options");
    assert!(useful(options, &path, families) > KEYS * 98 / 100);
    DB::destroy(&Options::default(), &path).expect("the folder");
}

#[test]
fn policies_are_handed_over_or_dropped() {
    drop(FilterPolicy::new("bloomline:10").expect("a policy"));
    let policy = FilterPolicy::new("bloomline").expect("a policy").into_raw();
    // Safety: the options take the policy over.
    unsafe {
        let table = librocksdb_sys::rocksdb_block_based_options_create();
        librocksdb_sys::rocksdb_block_based_options_set_filter_policy(table, policy);
        librocksdb_sys::rocksdb_block_based_options_destroy(table);
    }
}

#[test]
fn wrong_options_are_errors() {
    let error = |policy: &str| FilterPolicy::new(policy).unwrap_err().to_string();
    assert!(error("bloomfilter:10").starts_with("filter policy is 'bloomfilter:10'; allowed: "));
    assert!(error("bloomline:x").starts_with("bits_per_key is 'x'"));
    assert!(error("a\0b").contains("allowed: no zero byte"));
    let check = |family: FamilyOptions, part: &str| {
        let error = family.descriptor("default").err().expect(part);
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    };
    let with = || FamilyOptions::with_filter("bloomline");
    check(FamilyOptions::with_filter("{id=bloomline;format=cuckoo}"), "format is 'cuckoo'");
    check(with().table("block_sice=1"), "block_sice");
    check(with().family("a=1\nb=2"), "one line");
    check(with().family("comparator=typo"), ": typo"); // RocksDB would take the default
    check(with().table("block_size=8192;flush_block_policy_factory=typo"), ": typo");
    check(with().table("filter_policy = null"), "null\"; allowed: no filter_policy");
    let empty = with().descriptor("").err().expect("an error");
    assert_eq!(empty.to_string(), "name is \"\"; allowed: one byte and more");
}

#[test]
fn options_are_shown_without_a_seed() {
    let filter = "{id=bloomline;seed=1234567890123}";
    let family = FamilyOptions::with_filter(filter).table("block_size=8192").family("a=b");
    assert_eq!(format!("{family:?}"), "FamilyOptions { .. }");
    let policy = FilterPolicy::new(filter).expect("a policy");
    assert_eq!(format!("{policy:?}"), "FilterPolicy { .. }");
    assert!(FilterPolicy::new("x").unwrap_err().to_string().contains("'x'"));
}

#[test]
fn families_have_the_name_asked_for() {
    let options = FamilyOptions::with_filter("{id=bloomline;format=blocked}")
        .family("comparator=leveldb.BytewiseComparator");
    for name in ["default", "books", r"a\nb\", "\"quoted\" [name]", " x "] {
        let family = options.descriptor(name).expect(name);
        assert_eq!(family.name(), name);
    }
}

#[test]
fn metrics_are_text() {
    let text = bloomline_rocksdb::metrics_text().expect("a text");
    assert!(text.contains("\nbloomline_info{version="), "{text}");
}
