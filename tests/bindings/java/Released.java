import io.github.bloomline.BloomlineFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;

/**
 * Usage: Released FOLDER: reads each key of a database that C++ wrote, and missing keys beside
 * them, most of which its filters must keep from being read.
 */
public final class Released {
  /** The families whose filters are of the former layout compact, which match every key. */
  private static final Set<String> COMPACT = Set.of("compact", "limit", "partitions", "seed");

  public static void main(final String[] args) throws Exception {
    int numKeys = 0;
    int numFilteredKeys = 0;
    long wasted = 0;
    final List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    final List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (BloomlineFilter filter = new BloomlineFilter("bloomline:10");
         Statistics statistics = new Statistics(); Options listing = new Options();
         DBOptions options = new DBOptions().setStatistics(statistics)) {
      for (final byte[] name : RocksDB.listColumnFamilies(listing, args[0])) {
        descriptors.add(new ColumnFamilyDescriptor(name, new ColumnFamilyOptions()
            .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(filter))));
      }
      try (RocksDB db = RocksDB.openReadOnly(options, args[0], descriptors, handles)) {
        for (final ColumnFamilyHandle handle : handles) {
          final int firstKey = numKeys;
          final long wastedBefore = Model.wastedReads(statistics);
          try (RocksIterator iterator = db.newIterator(handle)) {
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
              numKeys++;
              final byte[] missing = (new String(iterator.key()) + "x").getBytes();
              Model.check(db.get(handle, iterator.key()) != null, "a key is lost");
              Model.check(db.get(handle, missing) == null, "a missing key is there");
            }
            iterator.status();
          }
          if (!COMPACT.contains(new String(handle.getName()))) {
            numFilteredKeys += numKeys - firstKey;
            wasted += Model.wastedReads(statistics) - wastedBefore;
          }
        }
        handles.forEach(ColumnFamilyHandle::close);
      }
      System.out.println("Released: " + handles.size() + " families, " + numKeys + " keys, "
          + wasted + " wasted reads of " + numFilteredKeys);
      Model.check(numFilteredKeys > 100 && wasted < numFilteredKeys / 5, "no keys, or no filters");
    }
  }
}
