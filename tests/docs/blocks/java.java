// The block of docs/java.md: a program sets the filter. The argument is the database's folder.
// INCLUDES
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

public class SetFilter {
  public static void main(String[] arguments) throws RocksDBException {
    RocksDB.loadLibrary();
    Options options = new Options().setCreateIfMissing(true);
    // BLOCK 1
    try (RocksDB db = RocksDB.open(options, arguments[0])) {
      db.put(new byte[1], new byte[1]);
      db.flush(new FlushOptions().setWaitForFlush(true));
    }
  }
}
