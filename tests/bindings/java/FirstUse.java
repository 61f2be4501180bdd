import io.github.bloomline.Bloomline;
import io.github.bloomline.BloomlineFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.rocksdb.BloomFilter;
import org.rocksdb.RocksDB;

/** Threads that all want the first filter of the process at once. */
public final class FirstUse {
  public static void main(final String[] args) throws Exception {
    final int threads = 32;
    final CountDownLatch begin = new CountDownLatch(threads);
    final ExecutorService pool = Executors.newFixedThreadPool(threads);
    final List<Future<?>> results = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      final int which = i % 4;
      results.add(pool.submit(() -> {
        begin.countDown();
        begin.await();
        if (which == 0) {
          RocksDB.loadLibrary();
          new BloomFilter(10).close();
        } else if (which == 1) {
          Bloomline.register();
        } else {
          new BloomlineFilter("bloomline:10").close();
        }
        return null;
      }));
    }
    for (final Future<?> result : results) {
      result.get();
    }
    pool.shutdown();
    Model.check(Model.mapped("bloomline") == 2, "one policy library and one shim are mapped");
    System.out.println("FirstUse: passed");
  }
}
