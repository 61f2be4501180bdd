import io.github.bloomline.BloomlineFilter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/**
 * Exits while threads write and RocksDB flushes and compacts. Usage: Exit [stock]; with `stock`, by
 * a policy of RocksDB.
 */
public final class Exit {
  public static void main(final String[] args) throws Exception {
    final Options options = new Options().setCreateIfMissing(true).setWriteBufferSize(1 << 18)
        .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(
            args.length == 0 ? new BloomlineFilter("{id=bloomline;format=ribbon}")
                             : new BloomFilter(10)));
    final RocksDB db = RocksDB.open(options, Model.newFolder("exit").toString());
    for (int thread = 0; thread < 4; thread++) {
      final int first = thread << 24;
      final Thread writer = new Thread(() -> {
        try {
          for (int i = first;; i++) {
            db.put(Model.key(i), Model.value(i));
          }
        } catch (Exception e) {
          System.exit(3);
        }
      });
      writer.setDaemon(true);
      writer.start();
    }
    Thread.sleep(1500);
    System.exit(0);
  }
}
