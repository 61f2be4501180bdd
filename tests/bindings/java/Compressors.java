import com.github.luben.zstd.Zstd;
import io.github.bloomline.BloomlineFilter;
import java.nio.file.Path;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Factory;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.xerial.snappy.Snappy;

/**
 * zstd-jni, lz4-java and snappy-java bring native code that rocksdbjni has, too. Usage: Compressors
 * before|after: used before the first database with a policy, or after it, and then again.
 */
public final class Compressors {
  private static final CompressionType[] TYPES = {CompressionType.ZSTD_COMPRESSION,
      CompressionType.LZ4_COMPRESSION, CompressionType.SNAPPY_COMPRESSION};
  private static final int NUM_KEYS = 20_000;

  public static void main(final String[] args) throws Exception {
    if (args[0].equals("before")) {
      compress();
    }
    for (final CompressionType type : TYPES) {
      write(type);
    }
    compress();
    for (final CompressionType type : TYPES) {
      write(type);
    }
    compress();
    System.out.println("Compressors " + args[0] + ": passed");
  }

  private static void compress() throws Exception {
    final byte[] text = new byte[1 << 20];
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) (i * i / 1000);
    }
    final LZ4Factory lz4 = LZ4Factory.nativeInstance();
    final byte[] lz4Bytes = lz4.fastCompressor().compress(text);
    final byte[][] results = {Zstd.decompress(Zstd.compress(text), text.length),
        lz4.safeDecompressor().decompress(lz4Bytes, text.length),
        Snappy.uncompress(Snappy.compress(text))};
    for (final byte[] result : results) {
      Model.check(Arrays.equals(text, result), "another text");
    }
  }

  private static void write(final CompressionType type) throws Exception {
    final Path folder = Model.newFolder("compressors");
    try (BloomlineFilter filter = new BloomlineFilter("{id=bloomline;format=ribbon}");
         Options options = new Options().setCreateIfMissing(true).setCompressionType(type)
             .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(filter));
         RocksDB db = RocksDB.open(options, folder.toString());
         FlushOptions flush = new FlushOptions()) {
      for (int i = 0; i < NUM_KEYS; i++) {
        db.put(Model.key(i), Model.value(i));
      }
      db.flush(flush);
      db.compactRange();
      Model.check(Model.bitsPerKey(db, NUM_KEYS) > 6, "there are filters");
      Model.checkKeys(db, NUM_KEYS);
    }
    Model.destroy(folder);
  }
}
