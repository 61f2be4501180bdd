//! Bloom filters in memory, saved and loaded. Prints nothing unless something is wrong.
use bloomline::BloomFilter;
use bloomline::{Error, FilterView};

fn main() -> Result<(), Error> {
    let mut fruit = BloomFilter::with_false_pos(0.01).expected_items(1_000_000)?;
    fruit.insert("apple");
    fruit.extend(["banana", "cherry"]);
    assert!(fruit.contains("apple") && !fruit.contains("pear"));

    let path = std::env::temp_dir().join(format!("fruit_{}.bloom", std::process::id()));
    fruit.save(&path)?;
    assert!(BloomFilter::load(&path)?.contains("cherry"));
    std::fs::remove_file(&path).expect("the file");

    // A fixed set of keys, as bytes.
    let mut builder = bloomline::FilterBuilder::options().build()?;
    builder.extend(["apple", "banana"]);
    let bytes = builder.finish(1)?;
    assert!(FilterView::open(&bytes)?.contains("apple"));
    Ok(())
}
