package io.github.bloomline;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import org.rocksdb.BloomFilter;
import org.rocksdb.Filter;
import org.rocksdb.RocksDB;

/**
 * Opens the policy library that fits the rocksdbjni of this class's loader.
 *
 * <p>A policy library needs a library whose name is a placeholder. The loader overwrites it, in a
 * copy, with the path of rocksdbjni's file, so the policy sees only the RocksDB of that file, and a
 * process may have several. It is opened with RTLD_LOCAL: with RTLD_GLOBAL, the functions of one
 * RocksDB would stand in for those of another.
 */
final class BloomlineLibrary {
  /** Contains RocksDB's code, so its handle leads to rocksdbjni's file. */
  private static final class Probe extends BloomFilter {
    long handle() {
      return nativeHandle_;
    }
  }

  private interface User {
    void use(Path path);
  }

  private static final String RESOURCES = "/io/github/bloomline/native/linux-x86_64/";
  private static final String FOLDER_PROPERTY = "io.github.bloomline.folder";
  private static final byte[] PLACEHOLDER =
      "bloomline_rocksdbjni_xxxx".getBytes(StandardCharsets.US_ASCII);
  private static final int PLACEHOLDER_BYTES = 1000; // at least; see native/CMakeLists.txt

  /** What dlopen returned; 0 before the first filter. */
  private static volatile long library;

  private static boolean hasShim;

  /** Why rocksdbjni could not load its RocksDB; it would wait a minute to say so again. */
  private static String loadError;

  /** For the agent's line. */
  private static String description;

  private BloomlineLibrary() {}

  static long newFilter(final String options) {
    if (options == null || options.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("options " + (options == null ? "is null" : "has a 0")
          + "; allowed: bloomline:10, {id=bloomline;OPTION=VALUE;...}, ribbonfilter:10:1");
    }
    final byte[][] reason = new byte[1][];
    final long filter = newFilter(
        library(), (options + '\0').getBytes(StandardCharsets.UTF_8), reason);
    if (filter == 0) {
      throw new IllegalArgumentException(text(reason[0]));
    }
    return filter;
  }

  static long newAccount() {
    final byte[][] reason = new byte[1][];
    final long account = newAccount(library(), reason);
    if (account == 0) {
      throw new UnsupportedOperationException("bloomline: " + text(reason[0]));
    }
    return account;
  }

  /** Returns which RocksDB has the names now. */
  static String registerNames() {
    registerIn(library());
    return description;
  }

  private static void registerIn(final long found) {
    final byte[] reason = register(found);
    if (reason != null) {
      throw error(text(reason), "use one of Maven's rocksdbjni, or a newer bloomline");
    }
  }

  private static String text(final byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** One policy library for each rocksdbjni, however many class loaders have this class. */
  private static long library() {
    if (library == 0) {
      checkSystem();
      checkRocksDb();
      synchronized (Filter.class) {
        if (library == 0) {
          final long found = find();
          registerIn(found);
          library = found;
        }
      }
    }
    return library;
  }

  private static long find() {
    final String running = loadRocksDb();
    if (!hasShim) {
      withFile(read("shim.so"), path -> System.load(path.toString()));
      hasShim = true;
    }
    try (Probe probe = new Probe()) {
      final byte[] file = fileOf(probe.handle());
      if (file == null) {
        throw error("the file of rocksdbjni is unknown", "report this with the JVM's version");
      }
      final String policy = PolicyList.choose(
          new String(read("policies.txt"), StandardCharsets.US_ASCII), running,
          hasNewString(probe.handle()));
      description = "RocksDB " + running + " in " + text(file);
      // The system's properties are the only thing that all class loaders share. A policy library
      // keeps its rocksdbjni loaded, so the place never becomes that of another one.
      final String property = "io.github.bloomline.library:" + placeOf(probe.handle());
      final String mark = process() + policy + " ";
      final String known = System.getProperty(property, "");
      if (known.startsWith(mark)) {
        return Long.parseLong(known.substring(mark.length()));
      }
      final byte[] bytes = read(policy);
      replaceName(bytes, file);
      final long[] opened = new long[1];
      withFile(bytes, path -> opened[0] = open(path, probe.handle()));
      System.setProperty(property, mark + opened[0]);
      return opened[0];
    }
  }

  private static long open(final Path path, final long filter) {
    final byte[][] reason = new byte[1][];
    // The charset in which the JVM gives names to the system.
    final Charset charset =
        Charset.forName(System.getProperty("sun.jnu.encoding", StandardCharsets.UTF_8.name()));
    final long opened = open((path.toString() + '\0').getBytes(charset), filter, reason);
    if (opened == 0) {
      throw new UnsatisfiedLinkError(text(reason[0]));
    }
    return opened;
  }

  /**
   * Names this process: a launcher may give the properties of one JVM to another one, in which an
   * address of the first is nothing. The 22nd field is when the process started.
   */
  private static String process() {
    try {
      final String status = new String(
          Files.readAllBytes(Paths.get("/proc/self/stat")), StandardCharsets.ISO_8859_1);
      final String[] behindName = status.substring(status.lastIndexOf(')') + 2).split(" ");
      return status.substring(0, status.indexOf(' ')) + " " + behindName[19] + " ";
    } catch (IOException e) {
      return System.nanoTime() + " "; // never found again
    }
  }

  /** Returns the version of rocksdbjni's RocksDB, which is loaded then. */
  private static String loadRocksDb() {
    if (loadError != null) {
      throw new UnsatisfiedLinkError(loadError);
    }
    try {
      RocksDB.loadLibrary();
      final RocksDB.Version version = RocksDB.rocksdbVersion();
      return version.getMajor() + "." + version.getMinor() + "." + version.getPatch();
    } catch (NoSuchMethodError e) {
      throw error("this rocksdbjni is of RocksDB 6 or older", "use rocksdbjni 7.3 or later");
    } catch (RuntimeException | LinkageError e) {
      final UnsatisfiedLinkError error = error("rocksdbjni cannot load its RocksDB: " + e,
          "if its jar has no file for this system, use another version; if its folder is mounted "
              + "noexec, ROCKSDB_SHAREDLIB_DIR=FOLDER in the environment names another one");
      loadError = error.getMessage();
      throw error;
    }
  }

  static UnsatisfiedLinkError error(final String found, final String toDo) {
    return new UnsatisfiedLinkError("bloomline: " + found + "; " + toDo);
  }

  private static void checkSystem() {
    final String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    if (!system.equals("Linux amd64")) {
      throw error("this system is " + system,
          "the jar has libraries only for Linux on x86-64 with glibc");
    }
    try {
      final byte[] maps = Files.readAllBytes(Paths.get("/proc/self/maps"));
      if (new String(maps, StandardCharsets.ISO_8859_1).contains("/ld-musl-")) {
        throw error("the C library of this JVM is musl",
            "the jar has libraries only for glibc: use an image of Debian, Ubuntu or RHEL");
      }
    } catch (IOException e) {
      // Without /proc, the loader says what is wrong.
    }
  }

  private static void checkRocksDb() {
    if (!isThere("org/rocksdb/RocksDB.class")) {
      throw error("the class loader has no org.rocksdb.RocksDB"
              + (isThere("org/forstdb/RocksDB.class") ? ", but ForSt's org.forstdb.RocksDB" : ""),
          "bloomline needs Maven's rocksdbjni or frocksdbjni beside it; where another class loader"
              + " has that, -javaagent puts bloomline too high: start without it");
    }
  }

  /** Class.getResource would look only in this module. */
  private static boolean isThere(final String name) {
    final ClassLoader loader = BloomlineLibrary.class.getClassLoader();
    return (loader == null ? ClassLoader.getSystemResource(name) : loader.getResource(name)) != null;
  }

  private static byte[] read(final String name) {
    try (InputStream in = BloomlineLibrary.class.getResourceAsStream(RESOURCES + name)) {
      if (in == null) {
        throw error("the jar has no " + name, "build it by mvn install in src/bindings/java");
      }
      final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      final byte[] part = new byte[1 << 16];
      for (int n = in.read(part); n >= 0; n = in.read(part)) {
        bytes.write(part, 0, n);
      }
      return bytes.toByteArray();
    } catch (IOException e) {
      throw error("cannot read " + name + " from the jar: " + e, "is the jar complete?");
    }
  }

  /** The file is needed only while it is opened. */
  private static void withFile(final byte[] bytes, final User user) {
    String folder = System.getProperty(FOLDER_PROPERTY);
    if (folder == null || folder.isEmpty()) {
      folder = System.getenv("ROCKSDB_SHAREDLIB_DIR"); // rocksdbjni unpacks to there, too
    }
    if (folder == null || folder.isEmpty()) {
      folder = System.getProperty("java.io.tmpdir");
    }
    try {
      final Path path = Files.createTempFile(Paths.get(folder), "bloomline", ".so"); // mode 0600
      try {
        Files.write(path, bytes, StandardOpenOption.TRUNCATE_EXISTING);
        user.use(path.toRealPath());
      } finally {
        path.toFile().delete(); // it may be gone: some systems clean this folder
      }
    } catch (IOException e) {
      throw error("cannot write a library to " + folder + ": " + e, otherFolder());
    } catch (UnsatisfiedLinkError e) {
      throw explained(e, folder);
    }
  }

  private static UnsatisfiedLinkError explained(
      final UnsatisfiedLinkError e, final String folder) {
    final String reason = String.valueOf(e.getMessage());
    String toDo = "report this if the reason does not say what to do";
    if (reason.contains("Cannot allocate memory")) {
      toDo = "the process has reached its limit of memory or of mapped files";
    } else if (reason.contains("failed to map segment") || reason.contains("not permitted")) {
      toDo = folder + " may be mounted noexec: " + otherFolder();
    } else if (reason.contains("version `GLIBC")) { // GLIBCXX, too
      toDo = "the jar needs glibc 2.28 and the C++ library of GCC 8, or later ones";
    } else if (reason.contains("libstdc++")) {
      toDo = "install the C++ library: libstdc++6, or libstdc++ on RHEL";
    }
    return error("a library cannot be opened: " + reason, toDo);
  }

  private static String otherFolder() {
    return "-D" + FOLDER_PROPERTY + "=FOLDER names another folder for libraries";
  }

  /** Lets the library need {@code file} in place of the placeholder. */
  private static void replaceName(final byte[] bytes, final byte[] file) {
    if (file.length >= PLACEHOLDER_BYTES) {
      throw error(
          "the path of rocksdbjni has " + PLACEHOLDER_BYTES + " bytes or more: " + text(file),
          "ROCKSDB_SHAREDLIB_DIR=FOLDER names another folder for it");
    }
    final int place = placeIn(bytes);
    System.arraycopy(file, 0, bytes, place, file.length);
    bytes[place + file.length] = 0;
  }

  private static int placeIn(final byte[] bytes) {
    for (int place = 0; place + PLACEHOLDER_BYTES <= bytes.length; place++) {
      int same = 0;
      while (same < PLACEHOLDER.length && bytes[place + same] == PLACEHOLDER[same]) {
        same++;
      }
      if (same == PLACEHOLDER.length) {
        return place;
      }
    }
    throw error("the policy library has no placeholder", "is the jar complete?");
  }

  private static native byte[] fileOf(long filter);

  private static native long placeOf(long filter);

  private static native boolean hasNewString(long filter);

  private static native long open(byte[] path, long filter, byte[][] reason);

  private static native long newFilter(long library, byte[] options, byte[][] reason);

  private static native long newAccount(long library, byte[][] reason);

  private static native byte[] register(long library);
}
