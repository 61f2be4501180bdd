package io.github.bloomline;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.rocksdb.BloomFilter;
import org.rocksdb.Filter;
import org.rocksdb.RocksDB;

/**
 * Opens the policy library that fits the rocksdbjni of this class's loader.
 *
 * <p>A policy library needs a library whose name is a placeholder. The loader overwrites it, in a
 * copy, with the path of rocksdbjni's file, so the policy sees the RocksDB of that file alone, and
 * a process may have several. It is opened with RTLD_LOCAL: with RTLD_GLOBAL, the functions of one
 * RocksDB would stand in for those of another.
 */
final class BloomlineLibrary {
  /** Has the code of RocksDB, so its handle leads to rocksdbjni's file. */
  private static final class Probe extends BloomFilter {
    long handle() {
      return nativeHandle_;
    }
  }

  private interface User {
    void use(String path);
  }

  private static final String RESOURCES = "/io/github/bloomline/native/linux-x86_64/";
  private static final String FOLDER_PROPERTY = "io.github.bloomline.folder";
  private static final byte[] PLACEHOLDER =
      "bloomline_rocksdbjni_xxxx".getBytes(StandardCharsets.US_ASCII);
  private static final int PLACEHOLDER_BYTES = 1000; // at least; see native/CMakeLists.txt

  /** What dlopen returned; 0 before the first filter. */
  private static volatile long library;

  /** For the agent's line. */
  private static String description;

  private BloomlineLibrary() {}

  static long newFilter(final String options) {
    if (options == null || options.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("options " + (options == null ? "is null" : "has a 0")
          + "; allowed: bloomline:10, {id=bloomline;OPTION=VALUE;...}, ribbonfilter:10:1");
    }
    return newFilter(library(), (options + '\0').getBytes(StandardCharsets.UTF_8));
  }

  /** Returns which RocksDB has the names now. */
  static String registerNames() {
    register(library());
    return description;
  }

  /** One policy library for each rocksdbjni, however many class loaders have this class. */
  private static long library() {
    if (library == 0) {
      checkSystem();
      checkRocksDb();
      synchronized (Filter.class) {
        if (library == 0) {
          final long found = find();
          register(found);
          library = found;
        }
      }
    }
    return library;
  }

  private static long find() {
    final String running = loadRocksDb();
    withFile(read("shim.so"), System::load);
    try (Probe probe = new Probe()) {
      final String file = fileOf(probe.handle());
      if (file == null) {
        throw error("the file of rocksdbjni is unknown", "report this");
      }
      final String policy = PolicyList.choose(
          new String(read("policies.txt"), StandardCharsets.US_ASCII), running,
          hasNewString(probe.handle()));
      description = "RocksDB " + running + " in " + file;
      // The system's properties are the only thing that all class loaders share. A policy library
      // keeps its rocksdbjni loaded, so the place never becomes that of another one.
      final String property = "io.github.bloomline.library:" + placeOf(probe.handle());
      final String known = System.getProperty(property);
      if (known != null) {
        return Long.parseLong(known);
      }
      final byte[] bytes = read(policy);
      replaceName(bytes, file);
      final long[] opened = new long[1];
      withFile(bytes, path -> opened[0] = open(path, probe.handle()));
      System.setProperty(property, Long.toString(opened[0]));
      return opened[0];
    }
  }

  /** Returns the version of rocksdbjni's RocksDB, which is loaded then. */
  private static String loadRocksDb() {
    try {
      RocksDB.loadLibrary();
      final RocksDB.Version version = RocksDB.rocksdbVersion();
      return version.getMajor() + "." + version.getMinor() + "." + version.getPatch();
    } catch (NoSuchMethodError e) {
      throw error("this rocksdbjni is of RocksDB 6 or older", "use rocksdbjni 7.3 or later");
    } catch (RuntimeException | LinkageError e) {
      throw error("rocksdbjni cannot load its RocksDB: " + e, "if its jar has no file for this "
          + "system, use another version; if its folder is mounted noexec, "
          + "ROCKSDB_SHAREDLIB_DIR=FOLDER in the environment names another one");
    }
  }

  static UnsatisfiedLinkError error(final String found, final String toDo) {
    return new UnsatisfiedLinkError("bloomline: " + found + "; " + toDo);
  }

  private static void checkSystem() {
    final String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    if (!system.equals("Linux amd64")) {
      throw error("this system is " + system,
          "the jar has libraries for Linux on x86-64 with glibc alone");
    }
    try {
      final byte[] maps = Files.readAllBytes(Paths.get("/proc/self/maps"));
      if (new String(maps, StandardCharsets.ISO_8859_1).contains("/ld-musl-")) {
        throw error("the C library of this JVM is musl",
            "the jar has libraries for glibc alone: use an image of Debian, Ubuntu or RHEL");
      }
    } catch (IOException e) {
      // Without /proc, the loader says what is wrong.
    }
  }

  private static void checkRocksDb() {
    if (!isThere("org/rocksdb/RocksDB.class")) {
      throw error("the class loader has no org.rocksdb.RocksDB"
              + (isThere("org/forstdb/RocksDB.class") ? ", but ForSt's org.forstdb.RocksDB" : ""),
          "bloomline needs Maven's rocksdbjni or frocksdbjni beside it");
    }
  }

  /** Class.getResource would look in this module alone. */
  private static boolean isThere(final String name) {
    return BloomlineLibrary.class.getClassLoader().getResource(name) != null;
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
      final Path path = File.createTempFile("bloomline", ".so", new File(folder)).toPath();
      try {
        Files.write(path, bytes);
        user.use(path.toRealPath().toString());
      } finally {
        Files.delete(path);
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
    String toDo = "see the reason";
    if (reason.contains("failed to map segment") || reason.contains("not permitted")) {
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
  private static void replaceName(final byte[] bytes, final String file) {
    final byte[] path = (file + '\0').getBytes(StandardCharsets.UTF_8);
    if (path.length > PLACEHOLDER_BYTES) {
      throw error("the path of rocksdbjni has more than " + PLACEHOLDER_BYTES + " bytes: " + file,
          "ROCKSDB_SHAREDLIB_DIR=FOLDER names another folder for it");
    }
    System.arraycopy(path, 0, bytes, placeIn(bytes), path.length);
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

  private static native String fileOf(long filter);

  private static native long placeOf(long filter);

  private static native boolean hasNewString(long filter);

  private static native long open(String path, long filter);

  private static native long newFilter(long library, byte[] options);

  private static native void register(long library);
}
