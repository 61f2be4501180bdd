package io.github.bloomline;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.rocksdb.Filter;

/**
 * A policy of bloomline for {@link org.rocksdb.BlockBasedTableConfig#setFilterPolicy}.
 *
 * <p>A program without this class opens databases with its filters, and gets correct answers.
 * Filters of the formats {@code bloom} and {@code ribbon} work there, too; those of {@code blocked}
 * match every key, so missing keys cost reads until a compaction rewrites the files. OPTIONS files
 * name the policy: such a program, and one that does not call {@link Bloomline#register} first,
 * loads them without an error and with no filter policy.
 *
 * <p>Beware of {@code OptionsUtil.loadLatestOptions}: set another filter in the {@code
 * BlockBasedTableConfig} that it returns before you set this in other options. With the filter that
 * it contains, even one of RocksDB's own, the process ends with SIGSEGV.
 *
 * <p>Objects are immutable and may be used by several threads and in several options. One may be
 * closed once each {@code setTableFormatConfig} of a configuration with it has returned, before the
 * options and databases that use it; as with RocksDB's own filters, a configuration with a closed
 * filter must not be set again. Making the first one takes about 0.1 s: it opens a library.
 */
public final class BloomlineFilter extends Filter {
  /** Kinds of filters, described in bloomline's docs/choosing.md. */
  public enum Format {
    /** Blocked Bloom filters, with 64-bit hashes. */
    BLOCKED,
    /** Refused since bloomline 0.4.0: RIBBON takes its place. */
    COMPACT,
    /** RocksDB's own Bloom filter. */
    BLOOM,
    /** RocksDB's own Ribbon filter; bits per key are those of an equally accurate Bloom filter. */
    RIBBON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final String options;

  /**
   * Makes a policy.
   *
   * @param options what may follow {@code filter_policy=} in RocksDB's option strings: {@code
   *     bloomline:10}, {@code {id=bloomline;format=ribbon;bits_per_key=14.5;bits_by_level=auto}},
   *     or {@code ribbonfilter:10:1} and others of RocksDB; {@code memory=} is refused
   * @throws IllegalArgumentException if the options are null or wrong; the message names the value
   *     and the allowed ones
   * @throws UnsatisfiedLinkError as {@link Bloomline#register} does
   */
  public BloomlineFilter(final String options) {
    super(BloomlineLibrary.newFilter(options));
    this.options = options;
  }

  /** Returns the options as they were given. */
  @Override
  public String toString() {
    return options;
  }

  /** Whether the other one was made of the same text. */
  @Override
  public boolean equals(final Object other) {
    return other instanceof BloomlineFilter && options.equals(((BloomlineFilter) other).options);
  }

  @Override
  public int hashCode() {
    return options.hashCode();
  }

  /** Returns a builder of a policy with the default options: blocked, 10 bits per key. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Collects options; {@link #build} checks them. The names are those of RocksDBFilterOptions in
   * bloomline's rocksdb.h, which says more about each; memory_bytes is missing. Not thread-safe.
   */
  public static final class Builder {
    private final StringBuilder text = new StringBuilder("{id=bloomline");
    private String refused;

    private Builder() {}

    /** The format of the filters. */
    public Builder format(final Format format) {
      return addFormat("format", format);
    }

    /**
     * Memory for each key in bits, 1 to 100; with RIBBON, that of an equally accurate Bloom filter.
     * As in RocksDB, 0.5 to 1 counts as 1, and below 0.5 files get no filters.
     */
    public Builder bitsPerKey(final double bits) {
      return add("bits_per_key", bits);
    }

    /** The seed of hashes, as an unsigned number. BLOOM and RIBBON have none. */
    public Builder seed(final long seed) {
      return add("seed", Long.toUnsignedString(seed));
    }

    /** Each filter draws its own seed. */
    public Builder randomSeed() {
      return add("seed", "random");
    }

    /**
     * Spreads the memory over the levels so that false positives waste few reads; the fewest with a
     * {@link FilterAccount} among the listeners of the database.
     */
    public Builder autoBitsByLevel() {
      return add("bits_by_level", "auto");
    }

    /** The bits per key of each level from 0 on; 0: no filter. The last is for all deeper ones. */
    public Builder bitsByLevel(final double... bits) {
      return add("bits_by_level", bits == null ? null
          : Arrays.stream(bits).mapToObj(Double::toString).collect(Collectors.joining(":")));
    }

    /** The format of flushed files. */
    public Builder flushFormat(final Format format) {
      return addFormat("flush_format", format);
    }

    /** For RIBBON: levels before this one, and flushed files, get BLOOM filters. */
    public Builder bloomBeforeLevel(final int level) {
      return add("bloom_before_level", level);
    }

    /** False: files without older data below them get no filter. */
    public Builder filtersAtBottom(final boolean filters) {
      return add("filters_at_bottom", filters);
    }

    /** The most bytes of one filter. */
    public Builder maxFilterBytes(final long bytes) {
      return add("max_filter_bytes", bytes);
    }

    /** For BLOOM and RIBBON: OPTIONS files have the name of RocksDB's own policy. */
    public Builder stockId(final boolean isStock) {
      return add("stock_id", isStock);
    }

    /**
     * Makes the policy.
     *
     * @throws IllegalArgumentException if an option is null, wrong, or given twice
     * @throws UnsatisfiedLinkError as {@link Bloomline#register} does
     */
    public BloomlineFilter build() {
      if (refused != null) {
        throw new IllegalArgumentException(refused);
      }
      return new BloomlineFilter(text + "}");
    }

    private Builder addFormat(final String name, final Format format) {
      if (format == Format.COMPACT) {
        refused = name + " is COMPACT, which is written in LevelDB only; allowed: BLOCKED, BLOOM, "
            + "RIBBON (RIBBON takes the place of COMPACT)";
      }
      return add(name, format);
    }

    private Builder add(final String name, final Object value) {
      text.append(';').append(name).append('=').append(value);
      return this;
    }
  }
}
