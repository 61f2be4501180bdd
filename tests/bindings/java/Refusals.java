import io.github.bloomline.Bloomline;
import io.github.bloomline.BloomlineFilter;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Errors, builder, equals. Usage: Refusals [TEXT [FILE]]; with TEXT, registration must fail with
 * UnsatisfiedLinkError and TEXT in the message. FILE is mapped before, as a JVM maps musl's loader.
 */
public final class Refusals {
  public static void main(final String[] args) throws Exception {
    if (args.length == 2) {
      mapMusl(Path.of(args[1]));
    }
    if (args.length != 0) {
      unsatisfied(args[0]);
      return;
    }
    replayPolicies();
    refused((String) null, "options is null; allowed: bloomline:10");
    refused("", "allowed: bloomline");
    refused("bloomline:10\0", "has a 0");
    // RocksDB throws an exception at these.
    final String large = "9".repeat(400);
    refused("bloomfilter:" + large, "allowed: bloomfilter:BITS");
    refused("ribbonfilter:" + large, "allowed: bloomfilter:BITS");
    refused("ribbonfilter:10:999999999999", "allowed: bloomfilter:BITS");
    refused("{id=bloomline;format=ribbon;memory=1M}",
        "memory is 1048576; allowed: 0 in programs that bundle RocksDB");
    refused(() -> BloomlineFilter.builder().format(null).build(), "format is 'null'");
    refused(() -> BloomlineFilter.builder().format(BloomlineFilter.Format.COMPACT).build(),
        "format is COMPACT, which is written in LevelDB only; allowed: BLOCKED, BLOOM, RIBBON");
    refused(() -> BloomlineFilter.builder().flushFormat(BloomlineFilter.Format.COMPACT)
        .format(BloomlineFilter.Format.BLOCKED).build(), "flush_format is COMPACT");
    refused(() -> BloomlineFilter.builder().bitsByLevel((double[]) null).build(),
        "bits_by_level is 'null'");
    refused(() -> BloomlineFilter.builder().bitsPerKey(Double.NaN).build(),
        "bits_per_key is 'NaN'");
    refused(() -> BloomlineFilter.builder().seed(1).randomSeed().build(), "twice");
    final BloomlineFilter built = BloomlineFilter.builder().format(BloomlineFilter.Format.RIBBON)
        .bitsPerKey(14.5).autoBitsByLevel().stockId(true).build();
    try (BloomlineFilter same = new BloomlineFilter(built.toString());
         BloomlineFilter other = new BloomlineFilter("bloomline:10")) {
      Model.check(built.toString().equals("{id=bloomline;format=ribbon;bits_per_key=14.5;"
          + "bits_by_level=auto;stock_id=true}"), "built " + built);
      Model.check(built.equals(same) && built.hashCode() == same.hashCode(), "same are equal");
      Model.check(!built.equals(other) && !built.equals(null), "others are not");
    }
    built.close();
    built.close();
    BloomlineFilter.builder().flushFormat(BloomlineFilter.Format.BLOCKED)
        .format(BloomlineFilter.Format.BLOCKED).bitsByLevel(16, 12, 8.5).maxFilterBytes(1 << 20)
        .filtersAtBottom(false).seed(-1).build().close();
    BloomlineFilter.builder().format(BloomlineFilter.Format.RIBBON).bloomBeforeLevel(2)
        .stockId(true).build().close();
    Bloomline.register();
    System.out.println("Refusals: passed");
  }

  /**
   * The steps of behaviours.json that are ["policy", TEXT, null] or
   * ["policy", TEXT, {"error": SENTENCE}], without escapes.
   */
  private static void replayPolicies() throws Exception {
    int replayed = 0;
    for (final String line : Files.readAllLines(Path.of(System.getenv("BLOOMLINE_BEHAVIOURS")))) {
      final String[] parts = line.split("\"");
      if (parts.length < 4 || !parts[1].equals("policy")) {
        continue;
      }
      replayed++;
      if (parts.length > 7) {
        refused(parts[3], parts[7]);
      } else {
        new BloomlineFilter(parts[3]).close();
      }
    }
    Model.check(replayed > 10, "there are steps of policies");
  }

  private static void refused(final String options, final String... texts) {
    refused(() -> new BloomlineFilter(options), texts);
  }

  private static void refused(final Runnable make, final String... texts) {
    try {
      make.run();
    } catch (IllegalArgumentException e) {
      for (final String text : texts) {
        if (e.getMessage().contains(text)) {
          return;
        }
      }
      throw new AssertionError("another message: " + e.getMessage());
    }
    throw new AssertionError("not refused: " + texts[0]);
  }

  private static void mapMusl(final Path file) throws Exception {
    try (FileChannel channel = FileChannel.open(file)) {
      Model.check(channel.map(FileChannel.MapMode.READ_ONLY, 0, 1).isDirect(), "it is mapped");
    }
  }

  private static void unsatisfied(final String text) throws Exception {
    for (int i = 0; i < 50; i++) {
      try {
        Bloomline.register();
        throw new AssertionError("registered");
      } catch (UnsatisfiedLinkError e) {
        Model.check(e.getMessage().contains(text), "another message: " + e.getMessage());
        System.out.print(i == 0 ? e.getMessage() + "\n" : "");
      }
    }
    Model.check(Model.mapped("bloomline") <= 1, "refusals leave libraries behind");
  }
}
