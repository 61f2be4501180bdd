import io.github.bloomline.BloomlineFilter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Filter;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.Statistics;

/**
 * Writes, compacts, reopens and reads databases with each format; then column families, and eight
 * threads at once. Usage: Formats NUM_KEYS [FOLDER]; FOLDER gets a database that other tests read.
 */
public final class Formats {
  private static final String[] POLICIES = {
      "bloomline:10",
      "{id=bloomline;format=bloom;bits_per_key=10}",
      "{id=bloomline;format=compact;bits_per_key=10}",  // means ribbon of the same memory
      "{id=bloomline;format=ribbon;bits_per_key=14.5;bits_by_level=auto}",
      "{id=bloomline;format=ribbon;bits_by_level=24:20:16:12;flush_format=blocked}",
      "{id=bloomline;format=ribbon;bloom_before_level=1;stock_id=true}",
      "ribbonfilter:10:1",
      "bloomfilter:10",
  };
  /** Of each policy: the most wasted reads, in those of RocksDB's BloomFilter(10). */
  private static final double[] MOST_WASTED = {1.2, 1.0, 0.4, 0.4, 0.7, 1.2, 1.2, 1.0};
  private static int numKeys;

  public static void main(final String[] args) throws Exception {
    RocksDB.loadLibrary();
    System.out.println("RocksDB " + RocksDB.rocksdbVersion() + ", Java "
        + System.getProperty("java.version"));
    numKeys = Integer.parseInt(args[0]);
    final long stock = wastedReads(null, Order.OPTIONS_LAST, Model.newFolder("formats"), true);
    for (int i = 0; i < POLICIES.length; i++) {
      final Order order = Order.values()[i % Order.values().length];
      final long wasted = wastedReads(POLICIES[i], order, Model.newFolder("formats"), true);
      Model.check(wasted <= stock * MOST_WASTED[i], "too many reads are wasted");
    }
    families();
    closing();
    threads();
    if (args.length > 1) {
      wastedReads(POLICIES[2], Order.OPTIONS_LAST, Path.of(args[1]), false);
    }
    System.out.println("Formats: passed");
  }

  /** What is closed first: a filter must live as long as who uses it. */
  private enum Order { FILTER_FIRST, OPTIONS_FIRST, OPTIONS_LAST }

  private static Filter newFilter(final String policy) {
    return policy == null ? new BloomFilter(10) : new BloomlineFilter(policy);
  }

  private static long wastedReads(final String policy, final Order order, final Path folder,
      final boolean destroys) throws Exception {
    final Filter filter = newFilter(policy);
    final Options options = new Options().setCreateIfMissing(true).setTableFormatConfig(
        new BlockBasedTableConfig().setFilterPolicy(filter));
    if (order == Order.FILTER_FIRST) {
      filter.close();
    }
    try (RocksDB db = RocksDB.open(options, folder.toString());
         FlushOptions flush = new FlushOptions()) {
      if (order == Order.OPTIONS_FIRST) {
        options.close();
        filter.close();
      }
      for (int i = 0; i < numKeys; i++) {
        db.put(Model.key(i), Model.value(i));
        if (i % (numKeys / 4) == numKeys / 4 - 1) {
          db.flush(flush);
        }
      }
      db.compactRange();
      Model.checkKeys(db, numKeys);
    }
    options.close();
    filter.close();
    filter.close();
    final long wasted;
    try (Filter again = newFilter(policy); Statistics statistics = new Statistics();
         Options reading = new Options().setStatistics(statistics).setTableFormatConfig(
             new BlockBasedTableConfig().setFilterPolicy(again));
         RocksDB db = RocksDB.open(reading, folder.toString())) {
      for (int i = numKeys; i < 2 * numKeys; i++) {
        Model.check(db.get(Model.key(i)) == null, "a missing key is there");
      }
      wasted = Model.wastedReads(statistics);
      System.out.printf("%-74s %6d of %d wasted, %s%n", policy == null ? "stock" : policy,
          wasted, numKeys, Model.filters(db, numKeys));
      Model.checkKeys(db, numKeys);
    }
    if (destroys) {
      Model.destroy(folder);
    }
    return wasted;
  }

  /** Two families with policies of their own, and one without. */
  private static void families() throws Exception {
    final Path folder = Model.newFolder("families");
    final List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    final String[] names = {"default", "blocked", "none"};
    for (final String name : names) {
      final ColumnFamilyOptions options = new ColumnFamilyOptions();
      if (!name.equals("none")) {
        options.setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(
            new BloomlineFilter("{id=bloomline;format=" + (name.equals("blocked") ? name : "ribbon")
                + ";bits_per_key=10}")));
      }
      descriptors.add(new ColumnFamilyDescriptor(name.getBytes(), options));
    }
    final List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (DBOptions options =
             new DBOptions().setCreateIfMissing(true).setCreateMissingColumnFamilies(true);
         RocksDB db = RocksDB.open(options, folder.toString(), descriptors, handles);
         FlushOptions flush = new FlushOptions()) {
      for (int i = 0; i < numKeys; i++) {
        db.put(handles.get(i % 3), Model.key(i), Model.value(i));
      }
      db.flush(flush, handles);
      for (int i = 0; i < numKeys; i++) {
        for (int family = 0; family < 3; family++) {
          Model.check((db.get(handles.get(family), Model.key(i)) != null) == (family == i % 3),
              "wrong family of a key");
        }
      }
      Model.check((db.getPropertiesOfAllTables(handles.get(2)).values().iterator().next()
          .getFilterSize()) == 0, "a family without a policy has filters");
      handles.forEach(ColumnFamilyHandle::close);
    }
    Model.destroy(folder);
  }

  /** The filter, the options and the database are closed in every order. */
  private static void closing() throws Exception {
    for (final String order : new String[] {"fod", "fdo", "ofd", "odf", "dfo", "dof"}) {
      final Path folder = Model.newFolder("closing");
      for (int round = 0; round < 3; round++) {
        final Filter filter = newFilter("{id=bloomline;format=blocked;bits_per_key=12}");
        final Options options = new Options().setCreateIfMissing(true).setTableFormatConfig(
            new BlockBasedTableConfig().setFilterPolicy(filter));
        final RocksDB db = RocksDB.open(options, folder.toString());
        for (final char what : order.toCharArray()) {
          (what == 'f' ? filter : what == 'o' ? options : db).close();
          if (db.isOwningHandle()) {
            for (int i = 0; i < 1000; i++) {
              db.put(Model.key(i), Model.value(i));
            }
            db.compactRange();
            Model.check(Model.bitsPerKey(db, 1000) > 11, "there are filters");
            Model.checkKeys(db, 1000);
          }
        }
      }
      Model.destroy(folder);
    }
  }

  private static void threads() throws Exception {
    numKeys /= 4;
    final ExecutorService executor = Executors.newFixedThreadPool(8);
    final List<Future<Long>> results = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      final String policy = POLICIES[i % POLICIES.length];
      results.add(executor.submit(
          () -> wastedReads(policy, Order.FILTER_FIRST, Model.newFolder("threads"), true)));
    }
    for (final Future<Long> result : results) {
      result.get();
    }
    executor.shutdown();
  }
}
