use bloomline::{BloomFilter, Error, ErrorKind, FilterBuilder, FilterView, Format, Layout};

/// Keys of 8 bytes. They differ from the keys of any other `from`.
fn keys(from: u64, count: u64) -> impl Iterator<Item = [u8; 8]> {
    (from..from + count).map(u64::to_le_bytes)
}

/// All of 100,000 keys match, and about as many other keys as the rate says.
fn check_answers(contains: impl Fn(&[u8]) -> bool, contains_keys: impl Fn(u64) -> Vec<bool>) {
    assert!(keys(0, 100_000).all(|key| contains(&key)));
    assert!(contains_keys(0).into_iter().all(|answer| answer));
    let others = contains_keys(1 << 40);
    assert_eq!(others.len(), 100_000);
    let positives = others.iter().filter(|&&answer| answer).count();
    assert!((700..1300).contains(&positives), "{positives} of 100,000");
    assert!(keys(1 << 40, 100_000).map(|key| contains(&key)).eq(others));
}

#[test]
fn bloom_filters_answer_and_can_be_saved() -> Result<(), Error> {
    for layout in [Layout::Blocked, Layout::Standard, Layout::Blocked128, Layout::Blocked64] {
        let mut filter =
            BloomFilter::with_false_pos(0.01).layout(layout).seed(5).expected_items(100_000)?;
        assert!(filter.insert(0u64.to_le_bytes()));
        assert!(!filter.insert(0u64.to_le_bytes()));
        let added = filter.insert_keys(keys(1, 99_999)) + 1;
        assert_eq!(filter.num_keys(), added as u64);
        assert!(added > 99_000 && !filter.is_past_capacity());
        let check = |filter: &BloomFilter| {
            check_answers(
                |key| filter.contains(key),
                |from| filter.contains_keys(keys(from, 100_000)),
            );
        };
        check(&filter);
        let rate = filter.estimated_false_positive_rate();
        assert!((0.008..0.012).contains(&rate), "{rate}");
        assert_eq!((filter.layout(), filter.seed()), (layout, 5));
        assert_eq!(filter.capacity(), 100_000);

        let path = std::env::temp_dir().join(format!("rust_{}.bloom", std::process::id()));
        filter.save(&path)?;
        let saved = std::fs::read(&path).expect("the file");
        assert_eq!(BloomFilter::load(&path)?, filter);
        std::fs::remove_file(&path).expect("the file");
        assert_eq!(filter.to_bytes()?, saved);
        assert_eq!(BloomFilter::from_bytes(&saved)?, filter);
        assert!(BloomFilter::from_bytes(&saved[..saved.len() - 1]).is_err());

        let mut copy = filter.clone();
        copy.clear();
        assert!(!copy.contains(1u64.to_le_bytes()) && copy != filter);
        copy.merge(&filter)?;
        check(&copy);
        let mut both = filter.clone();
        both.intersect(&filter)?;
        assert_eq!(both, filter);
    }
    Ok(())
}

#[test]
fn keys_are_bytes() {
    let mut fruit = BloomFilter::builder().capacity(10).build().expect("a filter");
    fruit.extend(["apple", "banana"]);
    fruit.extend(vec![String::from("cherry")]);
    fruit.insert(b"");
    for key in ["apple", "banana", "cherry", ""] {
        assert!(fruit.contains(key) && fruit.contains(key.as_bytes()));
        assert!(fruit.contains(String::from(key)));
    }
}

#[test]
fn keys_end_with_the_first_none() {
    let mut keys = [Some("apple"), Some("banana"), None, Some("cherry")].into_iter();
    let mut fruit = BloomFilter::builder().capacity(10).build().expect("a filter");
    assert_eq!(fruit.insert_keys(std::iter::from_fn(|| keys.next().flatten())), 2);
    assert!(!fruit.contains("cherry"));
}

/// The bytes that the specification in Python gives.
#[test]
fn saved_bytes_are_those_of_all_languages() -> Result<(), Error> {
    let checkout = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../tests/golden");
    let vectors = match std::fs::read_to_string(format!("{checkout}/saved_filters.txt")) {
        Ok(vectors) => vectors,
        Err(_) if !std::path::Path::new(checkout).exists() => return Ok(()),
        Err(error) => panic!("{error}"),
    };
    let words: Vec<_> = vectors.lines().next().expect("a filter").split(' ').collect();
    assert_eq!(words[..6], ["filter", "blocked", "512", "6", "0", "2"]);
    assert_eq!(words[6], "68656c6c6f,776f726c64"); // hello, world
    let mut filter = BloomFilter::builder().num_bits(512).num_probes(6).capacity(2).build()?;
    filter.extend(["hello", "world"]);
    let byte = |i| u8::from_str_radix(&words[7][2 * i..2 * i + 2], 16).expect("a byte");
    assert_eq!(filter.to_bytes()?, (0..words[7].len() / 2).map(byte).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn static_filters_are_bytes() -> Result<(), Error> {
    for format in [Format::Blocked, Format::Ribbon] {
        let bits = bloomline::bits_per_key_for_false_positive_rate(format, 0.01).expect("a size");
        let mut builder = FilterBuilder::options().format(format).bits_per_key(bits).build()?;
        builder.extend(keys(0, 99_999));
        builder.insert(99_999u64.to_le_bytes());
        assert_eq!(builder.num_keys(), 100_000);
        let bytes = builder.finish(2)?;
        assert!((8.0 * bytes.len() as f64 / 100_000.0 - bits).abs() < 0.1);
        FilterView::validate(&bytes)?;
        let view = FilterView::open(&bytes)?;
        check_answers(|key| view.contains(key), |from| view.contains_keys(keys(from, 100_000)));

        let cut = &bytes[..bytes.len() / 2];
        assert!(FilterView::validate(cut).is_err());
        assert!(FilterView::open(cut)?.contains("pear"));
    }
    Ok(())
}

/// What bloomline 0.3.0 wrote for `seq 40 | bloomline build --format compact`.
const FORMER_COMPACT: &str = concat!(
    "a43c79ee1e4cb9b1ef890fa065980aad4ec4cbc4189578999e192a1771105b802b1a29cd1e66563946da",
    "47dc1657e6d4a500c1ab3f4db70482917fd0657a243100000000000000000100000003050000624c6e01",
);

#[test]
fn a_compact_filter_of_before_0_4_0_is_refused() {
    let byte = |i| u8::from_str_radix(&FORMER_COMPACT[2 * i..2 * i + 2], 16).expect("a byte");
    let bytes: Vec<_> = (0..FORMER_COMPACT.len() / 2).map(byte).collect();
    let sentence = "a compact filter of bloomline before 0.4.0: build it again from its keys, as \
                    ribbon or blocked";
    for error in [FilterView::open(&bytes).err(), FilterView::validate(&bytes).err()] {
        let error = error.expect(sentence);
        assert_eq!((error.to_string().as_str(), error.kind()), (sentence, ErrorKind::InvalidData));
    }
    let error = FilterBuilder::options().format(Format::Compact).build().expect_err("an error");
    assert!(error.to_string().ends_with("(ribbon takes the place of compact)"), "{error}");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn errors_have_a_sentence_and_a_kind() {
    use std::io::ErrorKind::NotFound;
    use ErrorKind::{InvalidData, InvalidInput, Io, OutOfMemory};
    let check = |result: Result<BloomFilter, Error>, kind: ErrorKind, begin: &str| {
        let error: Box<dyn std::error::Error> = Box::new(result.expect_err(begin));
        let error = error.downcast::<Error>().expect("an Error");
        assert!(error.to_string().starts_with(begin), "{error}");
        assert_eq!(error.kind(), kind, "{error}");
    };
    let builder = BloomFilter::builder;
    check(builder().build(), InvalidInput, "capacity is 0; allowed: 1 and more");
    check(builder().num_bits(1 << 50).num_probes(6).build(), OutOfMemory, "out of memory");
    check(BloomFilter::load("/nowhere"), Io(NotFound), "/nowhere: cannot be opened");
    check(BloomFilter::load("/dev/zero"), InvalidData, "/dev/zero: is not a regular file");
    check(BloomFilter::load("a\0b"), InvalidInput, "path is \"a\\0b\"; allowed: one without");
    check(BloomFilter::from_bytes(b"no filter"), InvalidData, "bytes: ");
    assert_eq!(FilterView::validate(b"x").unwrap_err().kind(), InvalidData);
    let mut small = builder().capacity(10).build().expect("a filter");
    let large = builder().capacity(9999).build().expect("a filter");
    assert!(small.merge(&large).unwrap_err().to_string().contains("num_bits"));
    assert_eq!(small.save("/nowhere/x").unwrap_err().kind(), Io(NotFound));
    assert_eq!(bloomline::bits_per_key_for_false_positive_rate(Format::Ribbon, 1e-30), None);
}

#[test]
fn constants_agree_with_the_header() {
    let check = |name: String, value: i32| {
        let constant = format!("bloomline_{} = {value}", name.to_lowercase());
        assert!(include_str!(concat!(env!("OUT_DIR"), "/c.h")).contains(&constant), "{constant}");
    };
    for format in [Format::Blocked, Format::Compact, Format::Ribbon] {
        check(format!("format_{format:?}"), format.into());
    }
    for layout in [Layout::Blocked, Layout::Standard, Layout::Blocked128, Layout::Blocked64] {
        check(format!("bloom_{layout:?}"), layout.into());
    }
}

#[test]
fn all_types_are_shown_without_their_seed() -> Result<(), Error> {
    const SEED: u64 = 1234567890123;
    let bloom = BloomFilter::builder().capacity(10).seed(SEED);
    let options = FilterBuilder::options().seed(SEED);
    let bytes = options.build()?.finish(1)?;
    let all: [&dyn std::fmt::Debug; 5] =
        [&bloom.build()?, &bloom, &options.build()?, &options, &FilterView::open(&bytes)?];
    for shown in all {
        let text = format!("{shown:?}");
        assert!(text.ends_with(".. }") && !text.contains("1234567890123"), "{text}");
    }
    assert_eq!(format!("{:?}", options.build()?), "FilterBuilder { num_keys: 0, .. }");
    Ok(())
}

#[test]
fn all_types_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<(BloomFilter, FilterBuilder, FilterView<'static>, Error)>();
}

#[test]
fn versions_agree() {
    assert_eq!(bloomline::version(), env!("CARGO_PKG_VERSION"));
    assert!(!bloomline::active_kernel_name().is_empty());
    assert_ne!(bloomline::draw_seed(), bloomline::draw_seed());
}
