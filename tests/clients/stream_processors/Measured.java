import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.rocksdb.Statistics;
import org.rocksdb.StatsLevel;
import org.rocksdb.TickerType;

/** RocksDB's counts of all databases in the process, and copies of these. */
final class Measured {
  static final Statistics STATISTICS = new Statistics();

  private Measured() {}

  static void reset() {
    STATISTICS.setStatsLevel(StatsLevel.EXCEPT_DETAILED_TIMERS);
    for (final TickerType type : TickerType.values()) {
      if (type != TickerType.TICKER_ENUM_MAX) {
        STATISTICS.getAndResetTickerCount(type);
      }
    }
  }

  private static long count(final TickerType type) {
    return STATISTICS.getTickerCount(type);
  }

  /** A file without a filter wastes reads that no ticker counts; they are among the data blocks. */
  static String counts() {
    final long positive = count(TickerType.BLOOM_FILTER_FULL_POSITIVE);
    return String.format("queries %d, wasted reads %d, data blocks %d, of these from files %d, "
            + "filters read %d",
        positive + count(TickerType.BLOOM_FILTER_USEFUL),
        positive - count(TickerType.BLOOM_FILTER_FULL_TRUE_POSITIVE),
        count(TickerType.BLOCK_CACHE_DATA_HIT) + count(TickerType.BLOCK_CACHE_DATA_MISS),
        count(TickerType.BLOCK_CACHE_DATA_MISS), count(TickerType.BLOCK_CACHE_FILTER_MISS));
  }

  /** Copies databases that nobody writes to, once RocksDB's own threads have nothing to do. */
  static void copy(final Path from, final Path to) throws Exception {
    for (long before = -1, now = 0; before != now;) {
      Thread.sleep(300);
      before = now;
      now = count(TickerType.FLUSH_WRITE_BYTES) + count(TickerType.COMPACT_WRITE_BYTES);
    }
    final List<Path> files;
    try (Stream<Path> walk = Files.walk(from)) {
      files = walk.collect(Collectors.toList());
    }
    for (final Path file : files) {
      final Path copied = to.resolve(from.relativize(file));
      if (Files.isDirectory(file)) {
        Files.createDirectories(copied);
      } else {
        Files.copy(file, copied);
      }
    }
  }
}
