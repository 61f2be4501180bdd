package io.github.bloomline;

import org.rocksdb.AbstractEventListener;

/**
 * Counts the filters of a database, so that filters by level keep their memory and waste the fewest
 * reads.
 *
 * <pre>{@code
 * options.setListeners(Collections.singletonList(new FilterAccount()));
 * }</pre>
 *
 * <p>Without it, {@link BloomlineFilter.Builder#autoBitsByLevel} works, too, and wastes more reads.
 * One object serves one database, and all of its column families.
 *
 * <p>RocksDB's listeners differ between its minor versions, so the jar contains one for some of
 * them: see the constructor.
 *
 * <p>Do not call {@code Options.listeners()} or {@code DBOptions.listeners()} on options that have
 * this: rocksdbjni takes each listener for one of its own there, and the process ends with SIGSEGV.
 *
 * <p>No method of this class is called: the listener is native. It may be closed once {@code
 * setListeners} has returned, before the options and databases that use it.
 */
public final class FilterAccount extends AbstractEventListener {
  /**
   * Makes a listener for {@code Options.setListeners} or {@code DBOptions.setListeners}.
   *
   * @throws UnsupportedOperationException if the jar has no listener for this RocksDB; the message
   *     says why. Then leave it out
   * @throws UnsatisfiedLinkError as {@link Bloomline#register} does
   */
  public FilterAccount() {}

  /** For the constructor of the superclass. */
  @Override
  protected long initializeNative(final long... parameters) {
    return BloomlineLibrary.newAccount();
  }
}
