//! Writes databases with every format, also by level, in two families, for rocksdb_reader.rs.
include!("database.rs");

#[test]
fn every_format_also_by_level() {
    let by_level = "bits_per_key=14.5;bits_by_level=auto";
    for (name, options) in [
        ("blocked", "format=blocked"),
        ("bloom", "format=bloom;stock_id=true"),
        ("blocked_by_level", &format!("format=blocked;{by_level}")),
        ("ribbon_by_level", &format!("format=ribbon;stock_id=true;{by_level}")),
    ] {
        let path = folder(name);
        let family = FamilyOptions::with_filter(&format!("{{id=bloomline;{options}}}"));
        let families = ["default", "books"].map(|name| family.descriptor(name).expect("a family"));
        assert!(useful(Options::default(), &path, families.into()) > KEYS * 98 / 100, "{name}");
        let ours = if options.contains("stock_id") { 0 } else { 4 };
        assert_eq!(files_with(&path, ".sst", "bloomline"), ours, "{name}");
    }
}
