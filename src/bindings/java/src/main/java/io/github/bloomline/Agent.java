package io.github.bloomline;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * {@code -javaagent:bloomline.jar} registers bloomline's names before {@code main}, in the RocksDB
 * of the system class loader: for programs that read OPTIONS files and do not know bloomline.
 */
public final class Agent {
  private Agent() {}

  /** The JVM calls this. It never ends the program: an error is a line on stderr. */
  public static void premain(final String arguments, final Instrumentation instrumentation) {
    final ClassLoader system = ClassLoader.getSystemClassLoader();
    if (system.getResource("org/rocksdb/RocksDB.class") != null
        || system.getResource("org/forstdb/RocksDB.class") != null) {
      try {
        System.err.println("bloomline: registered in " + BloomlineLibrary.registerNames());
      } catch (RuntimeException | LinkageError e) {
        System.err.println("bloomline: nothing is registered: " + e.getMessage());
      }
    }
    instrumentation.addTransformer(new Watch());
  }

  /** Names the class loaders whose RocksDB has no registration. */
  private static final class Watch implements ClassFileTransformer {
    private final Set<ClassLoader> seen =
        Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    @Override
    public byte[] transform(final ClassLoader loader, final String name, final Class<?> redefined,
        final ProtectionDomain domain, final byte[] bytes) {
      if ("org/rocksdb/RocksDB".equals(name) && loader != null
          && loader != ClassLoader.getSystemClassLoader() && seen.add(loader)) {
        System.err.println("bloomline: not registered in the RocksDB of the class loader " + loader
            + "; the agent serves only the class path. For this loader, start without the agent,"
            + " give bloomline's jar to the loader, and call Bloomline.register()");
      }
      return null;
    }
  }
}
