import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Properties;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/**
 * A program that knows RocksDB's own filter alone, as Besu, Camunda and Ozone do.
 *
 * <p>Usage: {@code Plain FOLDER POLICY}: {@code class} is new BloomFilter(10); others are RocksDB's
 * option strings. Writes a database, reads it, and exits with 1 if a key is wrong.
 */
public final class Plain {
  private static final int KEYS = 50_000;

  private Plain() {}

  private static byte[] bytes(final String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static ColumnFamilyOptions familyOptions(final String policy) {
    if (policy.equals("class")) {
      return new ColumnFamilyOptions().setTableFormatConfig(
          new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(10)));
    }
    final Properties properties = new Properties();
    properties.put("block_based_table_factory", "{filter_policy=" + policy + "}");
    final ColumnFamilyOptions options =
        ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
    if (options == null) {
      throw new IllegalArgumentException(policy);
    }
    return options;
  }

  public static void main(final String[] args) throws Exception {
    RocksDB.loadLibrary();
    int wrong = 0;
    for (final boolean isWriting : new boolean[] {true, false}) {
      try (DBOptions dbOptions = new DBOptions().setCreateIfMissing(true);
          ColumnFamilyOptions familyOptions = familyOptions(args[1]);
          Options options = new Options(dbOptions, familyOptions)) {
        Measured.reset();
        options.setStatistics(Measured.STATISTICS);
        try (RocksDB db = RocksDB.open(options, args[0])) {
          for (int i = 0; i < KEYS; i++) {
            final byte[] key = bytes("account" + 2 * i);
            final byte[] value = bytes("value" + i);
            if (isWriting) {
              db.put(key, value);
            } else {
              wrong += java.util.Arrays.equals(db.get(key), value) ? 0 : 1;
              wrong += db.get(bytes("account" + (2 * i + 1))) == null ? 0 : 1;
            }
          }
          if (isWriting) {
            db.flush(new FlushOptions());
          }
        }
      }
    }
    final String maps =
        new String(Files.readAllBytes(Paths.get("/proc/self/maps")), StandardCharsets.ISO_8859_1);
    System.out.printf("RocksDB %s, %s: keys %d, wrong %d, %s, jemalloc is %sthere%n",
        RocksDB.rocksdbVersion(), args[1], KEYS, wrong, Measured.counts(),
        maps.contains("jemalloc") ? "" : "not ");
    System.exit(wrong == 0 ? 0 : 1);
  }
}
