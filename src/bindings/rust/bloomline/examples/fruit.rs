//! Bloom filters in memory, saved and loaded. Prints nothing unless something is wrong.
use bloomline::BloomFilter;
use bloomline::{AtomicBloomFilter, CountingBloomFilter, Error, FilterView};

fn main() -> Result<(), Error> {
    let mut fruit = BloomFilter::with_false_pos(0.01).expected_items(1_000_000)?;
    fruit.insert("apple");
    fruit.extend(["banana", "cherry"]);
    assert!(fruit.contains("apple") && !fruit.contains("pear"));

    let path = std::env::temp_dir().join(format!("fruit_{}.bloom", std::process::id()));
    fruit.save(&path)?;
    assert!(BloomFilter::load(&path)?.contains("cherry"));
    std::fs::remove_file(&path).expect("the file");

    // Threads share it.
    let seen = AtomicBloomFilter::builder().capacity(1000).build()?;
    std::thread::scope(|scope| {
        scope.spawn(|| seen.insert("apple"));
        scope.spawn(|| seen.insert("pear"));
    });
    assert!(seen.contains("apple") && seen.contains("pear"));

    // Keys can be removed again.
    let mut open = CountingBloomFilter::with_false_pos(0.01).expected_items(1000)?;
    open.insert(42u64.to_le_bytes()); // the key 42 of C++ and Python
    assert!(open.remove(42u64.to_le_bytes()) && !open.contains(42u64.to_le_bytes()));

    // A fixed set of keys, as bytes.
    let mut builder = bloomline::FilterBuilder::options().build()?;
    builder.extend(["apple", "banana"]);
    let bytes = builder.finish(1)?;
    assert!(FilterView::open(&bytes)?.contains("apple"));
    Ok(())
}
