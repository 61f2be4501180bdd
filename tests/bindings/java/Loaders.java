import io.github.bloomline.Bloomline;
import io.github.bloomline.BloomlineFilter;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Filter;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/**
 * Class loaders.
 *
 * <p>Usage: Loaders dropped COUNT BLOOMLINE_JAR TESTS ROCKSDBJNI_JAR: child loaders that use
 * bloomline are dropped while the parent's database, with a policy of the first child, is written.
 *
 * <p>Loaders inside COUNT BLOOMLINE_JAR TESTS ROCKSDBJNI_JAR: child loaders that each have their
 * own rocksdbjni, too, are dropped.
 *
 * <p>Loaders both BLOOMLINE_JAR TESTS ROCKSDBJNI_JAR...: each rocksdbjni in a loader of its own,
 * with bloomline, all at once.
 */
public final class Loaders {
  private static final int NUM_KEYS = 20_000;
  private static volatile boolean stop;

  public static void main(final String[] args) throws Exception {
    if (args[0].equals("dropped")) {
      dropped(Integer.parseInt(args[1]), urls(args, 2));
    } else if (args[0].equals("inside")) {
      inside(Integer.parseInt(args[1]), urls(args, 2));
    } else {
      both(urls(args, 1));
    }
    System.out.println("Loaders " + args[0] + ": passed");
  }

  private static URL[] urls(final String[] args, final int first) throws Exception {
    final URL[] urls = new URL[args.length - first];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = Path.of(args[first + i]).toUri().toURL();
    }
    return urls;
  }

  private static ClassLoader platform() {
    return ClassLoader.getPlatformClassLoader();
  }

  private static void dropped(final int count, final URL[] urls) throws Exception {
    final URL[] childUrls = {urls[0], urls[1]};
    final ClassLoader parent = new URLClassLoader(new URL[] {urls[2]}, platform());
    final List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
    final Object db = call("open", childUrls, parent, loaders);
    final Method put = db.getClass().getMethod("put", byte[].class, byte[].class);
    final Class<?> flushClass = parent.loadClass("org.rocksdb.FlushOptions");
    final Method flush = db.getClass().getMethod("flush", flushClass);
    final Object flushOptions = flushClass.getConstructor().newInstance();
    final int[] written = new int[1];
    final Throwable[] failed = new Throwable[1];
    final Thread writer = new Thread(() -> {
      try {
        for (; !stop; written[0]++) {
          put.invoke(db, Model.key(written[0]), Model.value(written[0]));
          if (written[0] % 5000 == 4999) {
            flush.invoke(db, flushOptions);
          }
          if (written[0] % 100 == 99) {
            Thread.sleep(1);
          }
        }
      } catch (ReflectiveOperationException | InterruptedException e) {
        failed[0] = e;
      }
    });
    writer.start();
    long early = 0;
    for (int i = 1; i < count; i++) {
      call("use", childUrls, parent, loaders);
      if (i == count / 4) {
        System.gc();
        early = memory();
      }
    }
    final long left = collect(loaders);
    final long grown = memory() - early;
    // As if a launcher had given this process the properties of another one.
    for (final String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith("io.github.bloomline.library:")) {
        System.setProperty(name, System.getProperty(name).replaceFirst("^[0-9]+", "1"));
      }
    }
    call("use", childUrls, parent, loaders);
    stop = true;
    writer.join();
    final Method get = db.getClass().getMethod("get", byte[].class);
    for (int i = 0; i < 2 * written[0]; i++) {
      final byte[] value = (byte[]) get.invoke(db, (Object) Model.key(i));
      Model.check(Arrays.equals(value, i < written[0] ? Model.value(i) : null), "key " + i);
    }
    db.getClass().getMethod("close").invoke(db);
    final long files = Model.mapped("bloomline");
    System.out.println("loaders left: " + left + " of " + count + ", bloomline's mapped files: "
        + files + ", rocksdbjni's: " + Model.mapped("librocksdbjni") + ", keys: " + written[0]
        + ", memory in MiB since a quarter: " + (grown >> 20));
    Model.check(failed[0] == null, "the writer failed: " + failed[0]);
    // The policy library, that of the last loader, and a shim for each loader that is left.
    Model.check(left <= 5 && files <= 2 + left + 1, "loaders or files are left");
    // Half a MiB for each loader: most is the JVM's heap.
    Model.check(grown < count << 19, "memory is left");
    Model.check(written[0] > 1000, "the writer wrote");
  }

  private static void inside(final int count, final URL[] urls) throws Exception {
    final List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
    long early = 0;
    for (int i = 0; i < count; i++) {
      call("writeAndClose", urls, platform(), loaders);
      if (i == 4) {
        System.gc();
        early = memory();
      }
    }
    final long left = collect(loaders);
    System.out.printf("loaders left: %d of %d, bloomline's mapped files: %d, rocksdbjni's: %d, "
        + "memory: %.1f MB each%n", left, count, Model.mapped("bloomline"), Model.mapped("librocksdbjni"),
        (memory() - early) / 1e6 / (count - 5));
    Model.check(left <= 5, "loaders are left");
    Model.check(Model.mapped("librocksdbjni") == count, "each rocksdbjni stays");
  }

  /** Returns how many loaders are left after up to 100 collections of garbage. */
  private static long collect(final List<WeakReference<ClassLoader>> loaders) throws Exception {
    long left = loaders.size();
    for (int i = 0; i < 100 && left > 1; i++) {
      System.gc();
      Thread.sleep(100);
      left = loaders.stream().filter(r -> r.get() != null).count();
    }
    return left;
  }

  /** The memory of this process in bytes. */
  private static long memory() throws Exception {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines.filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10).sum();
    }
  }

  private static void both(final URL[] urls) throws Exception {
    final List<Object> databases = new ArrayList<>();
    for (int i = 2; i < urls.length; i++) {
      final URLClassLoader loader =
          new URLClassLoader(new URL[] {urls[0], urls[1], urls[i]}, platform());
      databases.add(loader.loadClass("Loaders$InChild").getMethod("open").invoke(null));
    }
    for (int i = 0; i < NUM_KEYS; i++) {
      for (final Object db : databases) {
        db.getClass().getMethod("put", byte[].class, byte[].class)
            .invoke(db, Model.key(i), Model.value(i));
      }
    }
    for (final Object db : databases) {
      final ClassLoader loader = db.getClass().getClassLoader();
      db.getClass().getMethod("compactRange").invoke(db);
      loader.loadClass("Loaders$InChild").getMethod("check", db.getClass(), int.class)
          .invoke(null, db, NUM_KEYS);
    }
    for (final Object db : databases) {
      db.getClass().getMethod("close").invoke(db);
    }
    Model.check(Model.mapped("bloomline") == 2 * databases.size(), "each has a policy and a shim");
  }

  private static Object call(final String method, final URL[] urls, final ClassLoader parent,
      final List<WeakReference<ClassLoader>> dropped) throws Exception {
    try (URLClassLoader child = new URLClassLoader(urls, parent)) {
      dropped.add(new WeakReference<>(child));
      return child.loadClass("Loaders$InChild").getMethod(method).invoke(null);
    }
  }

  /** Runs in a child loader. */
  public static final class InChild {
    public static Object open() throws Exception {
      final Filter filter = new BloomlineFilter("{id=bloomline;format=blocked;bits_per_key=12}");
      final Options options = new Options().setCreateIfMissing(true).setWriteBufferSize(1 << 18)
          .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(filter));
      final RocksDB db = RocksDB.open(options, Model.newFolder("loaders").toString());
      // The RocksDB object refers to its options, so to the filter, whose class refers to this
      // loader.
      options.setTableFormatConfig(new BlockBasedTableConfig());
      options.close();
      filter.close();
      return db;
    }

    public static Object writeAndClose() throws Exception {
      final RocksDB db = (RocksDB) open();
      for (int i = 0; i < NUM_KEYS; i++) {
        db.put(Model.key(i), Model.value(i));
      }
      db.compactRange();
      check(db, NUM_KEYS);
      db.close();
      return null;
    }

    public static Object use() {
      new BloomlineFilter("bloomline:10").close();
      Bloomline.register();
      return null;
    }

    public static void check(final RocksDB db, final int numKeys) throws Exception {
      Model.check(Model.bitsPerKey(db, numKeys) > 11, "there are filters");
      Model.checkKeys(db, numKeys);
    }
  }
}
