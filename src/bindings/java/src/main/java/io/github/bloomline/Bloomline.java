package io.github.bloomline;

/** bloomline's names in RocksDB's option strings, properties and OPTIONS files. */
public final class Bloomline {
  private Bloomline() {}

  /**
   * Makes the RocksDB of this class's loader know bloomline by name. Call it before a program
   * parses options that name bloomline, with {@code OptionsUtil.loadLatestOptions} or {@code
   * ColumnFamilyOptions.getColumnFamilyOptionsFromProps}: RocksDB reports no error for a name that
   * it does not know, and uses no filter. {@code -javaagent:bloomline.jar} calls this before {@code
   * main}.
   *
   * <p>It may be called repeatedly, by several threads, and in several class loaders.
   *
   * @throws UnsatisfiedLinkError if the jar has no library for this RocksDB or this system; the
   *     message says what was found, what there is, and what to do
   */
  public static void register() {
    BloomlineLibrary.registerNames();
  }
}
