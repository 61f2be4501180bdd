import io.github.bloomline.Bloomline;
import io.github.bloomline.BloomlineFilter;
import io.github.bloomline.FilterAccount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompressionType;
import org.rocksdb.ConfigOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.Options;
import org.rocksdb.OptionsUtil;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.TableProperties;

/**
 * Filters by level with a FilterAccount keep their memory while a database grows, over restarts.
 * Usage: Account, or Account refused: this rocksdbjni has no listener.
 */
public final class Account {
  private static final String POLICY =
      "{id=bloomline;format=ribbon;bits_per_key=14.5;bits_by_level=auto}";

  public static void main(final String[] args) throws Exception {
    if (args.length != 0) {
      refused();
      return;
    }
    final int numKeys = 60_000;
    final double promised = uniformBits(numKeys / 10);
    final Path folder = Model.newFolder("account");
    final int sessions = 5;
    double most = 0;
    for (int session = 0; session < sessions; session++) {
      final int first = numKeys / sessions * session;
      final int end = numKeys / sessions * (session + 1);
      // In a small database, a flushed file is too large a part to have many more bits.
      final boolean checksFlush = session >= 3;
      most = Math.max(most, fill(folder, first, end, promised, checksFlush, session % 2 == 0));
    }
    System.out.printf("Account: %.2f bits promised, at most %.2f times%n", promised, most);
    Model.check(most <= 1.05, "filters take more than was promised");
    reload(folder, numKeys, promised);
    Model.destroy(folder);
    refusesTwo();
    System.out.println("Account: passed");
  }

  private static void refused() {
    RocksDB.loadLibrary();
    final String running = RocksDB.rocksdbVersion().toString();
    for (int i = 0; i < 50; i++) {
      try {
        new FilterAccount();
        throw new AssertionError("there is a listener for RocksDB " + running);
      } catch (UnsupportedOperationException e) {
        Model.check(e.getMessage().matches(".*RocksDB " + running
            + ", and bloomline's listener for it is of [0-9]+[.][0-9]+;.*"), e.getMessage());
        System.out.print(i == 0 ? e.getMessage() + "\n" : "");
      }
    }
    System.out.println("Account: refused");
  }

  /** New files would be in one of them alone. */
  private static void refusesTwo() throws Exception {
    final Path folder = Model.newFolder("two");
    try (FilterAccount one = new FilterAccount(); FilterAccount two = new FilterAccount();
         Options options = newOptions(POLICY).setListeners(List.of(one, two))) {
      RocksDB.open(options, folder.toString()).close();
      throw new AssertionError("a database has two accounts");
    } catch (RocksDBException e) {
      Model.check(e.getMessage().contains("2 FilterAccounts"), e.getMessage());
    }
    Model.destroy(folder);
  }

  private static Options newOptions(final String policy) {
    return new Options().setCreateIfMissing(true).setWriteBufferSize(128 << 10)
        .setTargetFileSizeBase(128 << 10).setMaxBytesForLevelBase(512 << 10)
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .setTableFormatConfig(
            new BlockBasedTableConfig().setFilterPolicy(new BloomlineFilter(policy)));
  }

  /** What a file takes for each of its keys without levels. */
  private static double uniformBits(final int numKeys) throws Exception {
    final Path folder = Model.newFolder("uniform");
    final double bits;
    try (Options options = newOptions(POLICY.replace("auto", "uniform"));
         RocksDB db = RocksDB.open(options, folder.toString())) {
      write(db, 0, numKeys);
      db.compactRange();
      bits = bitsPerEntry(db);
    }
    Model.destroy(folder);
    return bits;
  }

  private static void write(final RocksDB db, final int first, final int end) throws Exception {
    for (int i = first; i < end; i++) {
      db.put(Model.key(i), Model.value(i));
    }
  }

  /** Adds keys to a database, and returns the most that filters took, in what was promised. */
  private static double fill(final Path folder, final int first, final int end,
      final double promised, final boolean checksFlush, final boolean closesFirst)
      throws Exception {
    final FilterAccount account = new FilterAccount();
    final Options options = newOptions(POLICY).setListeners(List.of(account));
    if (closesFirst) {
      account.close();
    }
    double most = 0;
    try (RocksDB db = RocksDB.open(options, folder.toString())) {
      if (closesFirst) {
        options.close();
      }
      System.gc();
      final int firstFlush = first + 3000;
      if (checksFlush) {
        checkFlush(db, first, firstFlush, promised);
      } else {
        write(db, first, firstFlush);
      }
      for (int i = firstFlush; i < end; i = Math.min(i + 5000, end)) {
        write(db, i, Math.min(i + 5000, end));
        db.pauseBackgroundWork();
        most = Math.max(most, bitsPerEntry(db) / promised);
        db.continueBackgroundWork();
      }
      Model.checkKeys(db, end);
    }
    options.close();
    account.close();
    account.close();
    return most;
  }

  private static double bitsPerEntry(final RocksDB db) throws Exception {
    long bytes = 0;
    long entries = 0;
    for (final TableProperties properties : db.getPropertiesOfAllTables().values()) {
      bytes += properties.getFilterSize();
      entries += properties.getNumEntries();
    }
    return 8.0 * bytes / entries;
  }

  /** After a restart, a policy alone gives flushed files no more bits than others. */
  private static void checkFlush(final RocksDB db, final int first, final int end,
      final double promised) throws Exception {
    // Or a compaction takes the file at once.
    db.setOptions(MutableColumnFamilyOptions.builder().setDisableAutoCompactions(true).build());
    try (FlushOptions flush = new FlushOptions()) {
      write(db, first, end);
      db.flush(flush);
    }
    final double bits = newestFlushBits(db);
    Model.check(bits > promised + 1, "the first flush has " + bits + " bits");
    db.enableAutoCompaction(List.of(db.getDefaultColumnFamily()));
  }

  private static double newestFlushBits(final RocksDB db) throws Exception {
    String newest = "";
    for (final LiveFileMetaData file : db.getLiveFilesMetaData()) {
      if (file.level() == 0 && file.fileName().compareTo(newest) > 0) {
        newest = file.fileName();
      }
    }
    for (final Map.Entry<String, TableProperties> table
        : db.getPropertiesOfAllTables().entrySet()) {
      if (!newest.isEmpty() && table.getKey().endsWith(newest)) {
        return 8.0 * table.getValue().getFilterSize() / table.getValue().getNumEntries();
      }
    }
    throw new AssertionError("no flushed file");
  }

  /** The OPTIONS file names the listener. */
  private static void reload(final Path folder, final int numKeys, final double promised)
      throws Exception {
    Bloomline.register();
    final List<ColumnFamilyDescriptor> families = new ArrayList<>();
    final List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (ConfigOptions config = new ConfigOptions(); DBOptions options = new DBOptions()) {
      OptionsUtil.loadLatestOptions(config, folder.toString(), options, families);
      try (RocksDB db = RocksDB.open(options, folder.toString(), families, handles)) {
        checkFlush(db, 0, 3000, promised);
        Model.checkKeys(db, numKeys);
        handles.forEach(ColumnFamilyHandle::close);
      }
    }
  }
}
