import io.github.bloomline.Bloomline;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.ConfigOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.OptionsUtil;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.TableProperties;

/**
 * bloomline by name, in properties and in the database's OPTIONS file. Usage: OptionFiles
 * register|agent FOLDER: writes and reloads; OptionFiles none FOLDER: loads what the former wrote,
 * which has no filters then.
 */
public final class OptionFiles {
  private static final int NUM_KEYS = 20_000;

  public static void main(final String[] args) throws Exception {
    final Path folder = Path.of(args[1]);
    if (args[0].equals("register")) {
      Bloomline.register();
      refuseMemory();
    }
    if (!args[0].equals("none")) {
      final Properties properties = new Properties();
      properties.put("block_based_table_factory",
          "{filter_policy={id=bloomline;format=ribbon;bits_per_key=12.5}}");
      try (ColumnFamilyOptions family =
               ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
           DBOptions options = new DBOptions().setCreateIfMissing(true)) {
        fill(options, family, folder, 0, "rocksdb");
      }
    }
    final List<ColumnFamilyDescriptor> loaded = new ArrayList<>();
    try (ConfigOptions config = new ConfigOptions(); DBOptions options = new DBOptions()) {
      OptionsUtil.loadLatestOptions(config, folder.toString(), options, loaded);
      final String expected = args[0].equals("none") ? null : "bloomline";
      fill(options, loaded.get(0).getOptions(), folder, NUM_KEYS, expected);
    }
    System.out.println("OptionFiles " + args[0] + ": passed");
  }

  /** RocksDB makes no options with a refused policy, or opens no database with them. */
  private static void refuseMemory() throws Exception {
    final Properties properties = new Properties();
    properties.put(
        "block_based_table_factory", "{filter_policy={id=bloomline;format=ribbon;memory=1M}}");
    final Path folder = Model.newFolder("refused");
    try (ColumnFamilyOptions family =
             ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties)) {
      if (family == null) {
        return;
      }
      try (Options options = new Options(new DBOptions().setCreateIfMissing(true), family);
           RocksDB db = RocksDB.open(options, folder.toString())) {
        throw new AssertionError("opened " + db);
      } catch (RocksDBException e) {
        Model.check(e.getMessage().contains("memory is 1048576; allowed: 0"), e.getMessage());
      }
    }
  }

  /** Adds keys from `first` on; null: their file has no filter. */
  private static void fill(final DBOptions options, final ColumnFamilyOptions family,
      final Path folder, final int first, final String policy) throws Exception {
    final List<ColumnFamilyDescriptor> families =
        List.of(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family));
    final List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (RocksDB db = RocksDB.open(options, folder.toString(), families, handles);
         FlushOptions flush = new FlushOptions()) {
      for (int i = first; i < first + NUM_KEYS; i++) {
        db.put(Model.key(i), Model.value(i));
      }
      db.flush(flush);
      boolean hasFilters = true;
      for (final TableProperties properties : db.getPropertiesOfAllTables().values()) {
        hasFilters &= properties.getFilterSize() > 0;
      }
      Model.check(hasFilters == (policy != null), "filters: " + hasFilters);
      Model.checkKeys(db, first + NUM_KEYS);
      handles.forEach(ColumnFamilyHandle::close);
    }
  }
}
