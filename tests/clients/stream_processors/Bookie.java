import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.concurrent.CountDownLatch;
import org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.LedgerEntry;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.util.LocalBookKeeper;

/**
 * A bookie of BookKeeper with ZooKeeper in one process: writes ledgers, and reads each entry, and
 * entries that are not there.
 *
 * <p>Usage: {@code Bookie FOLDER OPTIONS_FILE}. The database of locations is in
 * FOLDER/bookie0/current/locations. Exits with 1 if an entry is wrong.
 */
public final class Bookie {
  private static final int LEDGERS = 4;
  private static final int ENTRIES = 5_000;
  private static final int ROUNDS = 5;
  private static final byte[] PASSWORD = "password".getBytes(StandardCharsets.UTF_8);

  private Bookie() {}

  private static byte[] entry(final long ledger, final long number) {
    return ("entry " + number + " of " + ledger).getBytes(StandardCharsets.UTF_8);
  }

  private static int read(final BookKeeper client, final long ledger) throws Exception {
    int wrong = 0;
    try (LedgerHandle handle =
            client.openLedger(ledger, BookKeeper.DigestType.CRC32C, PASSWORD)) {
      for (int first = 0; first < ENTRIES; first += 500) {
        final Enumeration<LedgerEntry> entries = handle.readEntries(first, first + 499);
        for (int number = first; number < first + 500; number++) {
          final LedgerEntry entry = entries.nextElement();
          wrong += Arrays.equals(entry.getEntry(), entry(ledger, number)) ? 0 : 1;
        }
      }
      for (int missing = ENTRIES; missing < ENTRIES + 100; missing++) {
        try {
          handle.readUnconfirmedEntries(missing, missing);
          wrong++;
        } catch (BKException.BKNoSuchEntryException e) {
          // as expected
        }
      }
    }
    return wrong;
  }

  /**
   * Lets the program flush. If BookKeeper 4.17.2 flushes while it gets entries, it may keep a wrong
   * location of one of them, also with its own filter.
   */
  public static final class Storage extends DbLedgerStorage {
    private static volatile Storage last;

    public Storage() {
      last = this;
    }
  }

  private static int wrongEntries(final String[] args) throws Exception {
    final Path folder = Files.createDirectories(Paths.get(args[0]));
    final int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    final ServerConfiguration settings = new ServerConfiguration();
    settings.setMetadataServiceUri("zk+longhierarchical://127.0.0.1:" + port + "/ledgers");
    settings.setLedgerStorageClass(Storage.class.getName());
    settings.setProperty("journalDirectory", folder.toString());
    settings.setAllowLoopback(true);
    settings.setAdvertisedAddress("127.0.0.1");
    settings.setFlushInterval(600_000);
    settings.setEntryLocationRocksdbConf(args[1]);
    settings.setProperty("dbStorage_writeCacheMaxSizeMb", 16);
    settings.setProperty("dbStorage_readAheadCacheMaxSizeMb", 16);
    System.setProperty("zookeeper.4lw.commands.whitelist", "*"); // else it waits 30 s for a reply
    LocalBookKeeper.runZookeeper(
        100, port, Files.createDirectories(folder.resolve("zookeeper")).toFile());
    final LocalBookKeeper bookies = new LocalBookKeeper(
        1, settings, folder.resolve("settings").toString(), false, "", "127.0.0.1", port);
    bookies.start();

    int wrong = 0;
    final ClientConfiguration clients = new ClientConfiguration();
    clients.setMetadataServiceUri(settings.getMetadataServiceUri());
    try (BookKeeper client = new BookKeeper(clients)) {
      final LedgerHandle[] ledgers = new LedgerHandle[LEDGERS];
      for (int i = 0; i < LEDGERS; i++) {
        ledgers[i] = client.createLedger(1, 1, BookKeeper.DigestType.CRC32C, PASSWORD);
      }
      // RocksDB writes a file when it gets more after the memtable is full.
      for (int round = 0; round < ROUNDS; round++) {
        final CountDownLatch written = new CountDownLatch(LEDGERS * ENTRIES / ROUNDS);
        for (int i = 0; i < ENTRIES / ROUNDS; i++) {
          final int number = round * ENTRIES / ROUNDS + i;
          for (final LedgerHandle ledger : ledgers) {
            ledger.asyncAddEntry(entry(ledger.getId(), number),
                (code, handle, id, context) -> written.countDown(), null);
          }
        }
        written.await();
        Storage.last.flush();
      }
      for (final LedgerHandle ledger : ledgers) {
        ledger.close();
      }
      for (final LedgerHandle ledger : ledgers) {
        wrong += read(client, ledger.getId());
      }
    }
    bookies.shutdownBookies(); // it flushes
    System.out.printf("BookKeeper: entries %d, wrong %d%n", LEDGERS * ENTRIES, wrong);
    return wrong;
  }

  public static void main(final String[] args) {
    int status = 1; // threads of the servers would go on
    try {
      status = wrongEntries(args) == 0 ? 0 : 1;
    } catch (Exception | Error e) {
      e.printStackTrace();
    } finally {
      System.exit(status);
    }
  }
}
