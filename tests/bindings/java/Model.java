import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TableProperties;
import org.rocksdb.TickerType;

/** What databases of the tests must have: keys 0 to n - 1 and no others. */
final class Model {
  private Model() {}

  static byte[] key(final int i) {
    return ByteBuffer.allocate(12).putLong(i * 0x9E3779B97F4A7C15L).putInt(i).array();
  }

  static byte[] value(final int i) {
    return ByteBuffer.allocate(20).putInt(i).array();
  }

  static void check(final boolean holds, final String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  /** Reads all keys, and as many missing ones, one by one and by MultiGet. */
  static void checkKeys(final RocksDB db, final int numKeys) throws RocksDBException {
    final int perCall = 100;
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 2 * numKeys; i++) {
      final byte[] expected = i < numKeys ? value(i) : null;
      check(Arrays.equals(db.get(key(i)), expected), "wrong value of key " + i);
      keys.add(key(i));
      if (keys.size() == perCall) {
        final List<byte[]> values = db.multiGetAsList(keys);
        for (int j = 0; j < perCall; j++) {
          final int index = i + 1 - perCall + j;
          check(Arrays.equals(values.get(j), index < numKeys ? value(index) : null),
              "MultiGet: wrong value of key " + index);
        }
        keys = new ArrayList<>();
      }
    }
  }

  static long wastedReads(final Statistics statistics) {
    return statistics.getTickerCount(TickerType.BLOOM_FILTER_FULL_POSITIVE)
        - statistics.getTickerCount(TickerType.BLOOM_FILTER_FULL_TRUE_POSITIVE);
  }

  /** The filters of all files, and the policy that the last one names. */
  static String filters(final RocksDB db, final int numKeys) throws RocksDBException {
    String name = "none";
    for (final TableProperties properties : db.getPropertiesOfAllTables().values()) {
      name = properties.getFilterPolicyName();
    }
    return String.format("%5.2f bits, %s", bitsPerKey(db, numKeys), name);
  }

  static double bitsPerKey(final RocksDB db, final int numKeys) throws RocksDBException {
    long bytes = 0;
    for (final TableProperties properties : db.getPropertiesOfAllTables().values()) {
      bytes += properties.getFilterSize();
    }
    return 8.0 * bytes / numKeys;
  }

  static Path newFolder(final String name) throws Exception {
    return Files.createTempDirectory("bloomline_" + name);
  }

  static void destroy(final Path folder) throws Exception {
    try (Options options = new Options()) {
      RocksDB.destroyDB(folder.toString(), options);
    }
    Files.deleteIfExists(folder);
  }

  /** How many libraries are mapped whose file name begins so. */
  static long mapped(final String name) throws Exception {
    final String pattern = ".* r-xp .*/" + name + "[^/]*[.]so( [(]deleted[)])?";
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.matches(pattern)).count();
    }
  }
}
