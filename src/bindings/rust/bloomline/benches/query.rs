//! Nanoseconds for each query of a filter in the cache. tests/bindings/rust --speed runs it beside
//! the same in C++.
use bloomline::BloomFilter;
use std::time::Instant;

fn main() {
    let keys: Vec<String> = (0..4096).map(|i| format!("{i:016}")).collect();
    let mut filter = BloomFilter::with_false_pos(0.01).expected_items(100_000).expect("memory");
    filter.extend(keys.iter().step_by(2));
    let mut best = f64::INFINITY;
    let mut matches = 0;
    for _ in 0..2000 {
        let begin = Instant::now();
        for key in &keys {
            matches += usize::from(filter.contains(key));
        }
        best = best.min(begin.elapsed().as_nanos() as f64 / keys.len() as f64);
    }
    println!("Rust  contains  {best:.2} ns ({matches} matches)");
}
