// The blocks of docs/operating.md: all files of a database get new filters, and the families without
// a policy are named. The argument is its folder. The ticker that docs/java.md names shows that the
// filters are queried.
import io.github.bloomline.BloomlineFilter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompactRangeOptions.BottommostLevelCompaction;
import org.rocksdb.CompressionType;
import org.rocksdb.Filter;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RateLimiter;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;

public class NewFilters {
  static final Statistics statistics = new Statistics();

  static RocksDB open(String folder, Filter filter) throws RocksDBException {
    Options options = new Options().setCreateIfMissing(true).setTargetFileSizeBase(4096)
        .setCompressionType(CompressionType.NO_COMPRESSION).setMaxSubcompactions(2)
        .setStatistics(statistics).setRateLimiter(new RateLimiter(100 << 20));
    options.setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(filter));
    return RocksDB.open(options, folder);
  }

  static void write(RocksDB db, int begin, int end) throws RocksDBException {
    for (int i = begin; i < end; ++i) {
      db.put(Integer.toString(i).getBytes(), "value".getBytes());
    }
    db.flush(new FlushOptions().setWaitForFlush(true));
  }

  static void name(Path folder) throws IOException {
    // BLOCK 2
  }

  static String named(Path folder) throws IOException {
    PrintStream screen = System.err;
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    System.setErr(new PrintStream(text));
    name(folder);
    System.setErr(screen);
    return text.toString();
  }

  public static void main(String[] arguments) throws IOException, RocksDBException {
    RocksDB.loadLibrary();
    // Files in two levels. Few of the lower level overlap one above.
    try (RocksDB db = open(arguments[0], new BloomFilter(10, false))) {
      write(db, 1000, 5000);
      write(db, 1000, 5000);
      db.compactRange();
      write(db, 2000, 2100);
      write(db, 6000, 6100);
    }
    try (RocksDB db = open(arguments[0], new BloomlineFilter("bloomline:10"))) {
      ColumnFamilyHandle family = db.getDefaultColumnFamily();
      // BLOCK 1
      statistics.reset();
      for (int i = 1000; i < 5000; ++i) {
        if (db.get((i + "x").getBytes()) != null) {
          throw new AssertionError(i);
        }
      }
      if (statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL) < 3800) {
        throw new AssertionError(statistics.toString());
      }
      if (!named(Path.of(arguments[0])).isEmpty()) {
        throw new AssertionError("it has a policy");
      }
    }
    try (RocksDB db = open(arguments[0], null)) {
      String named = named(Path.of(db.getName()));
      if (!named.equals("no filter policy: default" + System.lineSeparator())) {
        throw new AssertionError(named);
      }
    }
  }
}
