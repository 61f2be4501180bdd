import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Filter;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;

/**
 * A job of Kafka Streams that passes on the first record of each key, and of each key in a window.
 *
 * <p>Usage: {@code KafkaJob driver RECORDS FOLDER POLICY...} in TopologyTestDriver, or {@code
 * KafkaJob broker RECORDS FOLDER ADDRESS POLICY...}. POLICY is {@code own}; {@code page}, the class
 * of the guide; {@code hits}, this class without its last line; an option string of bloomline; or
 * one of these after {@code shared:}, with one small cache for all stores, which has their filters.
 * FOLDER/NUMBER has each job's databases. Prints a line for each, and exits with 1 if a key is
 * wrong.
 */
public final class KafkaJob {
  private static final long WINDOW_MS = 60_000;
  private static final long SHARED_BYTES_PER_RECORD = 3; // filters and index blocks have 2.7
  private static final String SEEN = "seen";
  private static final String RECENT = "recent";
  private static final int MISSING = 20_000;
  private static final AtomicLong PROCESSED = new AtomicLong();
  private static final AtomicLong FIRST = new AtomicLong();
  private static final AtomicLong WRONG = new AtomicLong();

  private KafkaJob() {}

  /** The class of the guide, and what the job measures. */
  public static final class Setter extends BloomlineSetter {
    static final AtomicInteger MADE = new AtomicInteger();
    static String policy;
    static Filter filter;
    static LRUCache cache;
    static boolean isShort;

    static void use(final String chosen, final int records) {
      final boolean isShared = chosen.startsWith("shared:");
      // One shard: filters are a large part of this small cache.
      cache = isShared ? new LRUCache(SHARED_BYTES_PER_RECORD * records, 0) : null;
      policy = isShared ? chosen.substring("shared:".length()) : chosen;
      filter = List.of("own", "page", "hits").contains(policy)
          ? null : new io.github.bloomline.BloomlineFilter(policy);
      MADE.set(0);
      Measured.reset();
    }

    @Override
    public void setConfig(
        final String store, final Options options, final Map<String, Object> configs) {
      MADE.incrementAndGet();
      final boolean forHits = options.optimizeFiltersForHits();
      if (!policy.equals("own")) {
        super.setConfig(store, options, configs);
      }
      if (policy.equals("hits")) {
        options.setOptimizeFiltersForHits(forHits);
      }
      final BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
      if (filter != null) {
        table.setFilterPolicy(filter);
      }
      if (cache != null) {
        table.setBlockCache(cache);
        table.setCacheIndexAndFilterBlocks(true);
        table.setCacheIndexAndFilterBlocksWithHighPriority(true);
        table.setPinTopLevelIndexAndFilter(true);
      }
      options.setTableFormatConfig(table);
      options.setStatistics(Measured.STATISTICS);
      if (isShort) {
        options.setWriteBufferSize(64 << 10); // from 4.4 on, a commit does not flush
      }
    }
  }

  private static final class FirstSight implements Processor<String, String, String, String> {
    private ProcessorContext<String, String> context;
    private KeyValueStore<String, String> seen;
    private WindowStore<String, String> recent;

    @Override
    public void init(final ProcessorContext<String, String> given) {
      context = given;
      seen = given.getStateStore(SEEN);
      recent = given.getStateStore(RECENT);
    }

    @Override
    public void process(final Record<String, String> record) {
      if (seen.get(record.key()) == null) {
        seen.put(record.key(), record.value());
        FIRST.incrementAndGet();
        context.forward(record);
      }
      final long window = record.timestamp() / WINDOW_MS * WINDOW_MS;
      if (recent.fetch(record.key(), window) == null) {
        recent.put(record.key(), record.value(), window);
      }
      PROCESSED.incrementAndGet();
    }
  }

  private static Topology topology() {
    return new Topology()
        .addSource("in", new StringDeserializer(), new StringDeserializer(), "in")
        .addProcessor("first", FirstSight::new, "in")
        .addStateStore(Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(SEEN),
            Serdes.String(), Serdes.String()).withLoggingDisabled(), "first")
        .addStateStore(Stores.windowStoreBuilder(Stores.persistentWindowStore(RECENT,
            Duration.ofHours(24), Duration.ofMillis(WINDOW_MS), false),
            Serdes.String(), Serdes.String()).withLoggingDisabled(), "first")
        .addSink("out", "out", new StringSerializer(), new StringSerializer(), "first");
  }

  private static Properties properties(final String address, final Path state) {
    final Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "bloomline" + state.getFileName());
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, address);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
    properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, Setter.class);
    properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
    properties.put("auto.offset.reset", "earliest");
    return properties;
  }

  /** Three of four records have a new key. */
  private static String key(final long number) {
    return String.format("user%09d", 2 * (number % 4 == 3 ? number / 2 : number));
  }

  private static String value(final long number) {
    return "value " + number * 7919;
  }

  private static long timestamp(final long number, final long records) {
    return number * Duration.ofHours(20).toMillis() / records;
  }

  private static void check(final String key, final String expected, final String found) {
    if (!(expected == null ? found == null : expected.equals(found))) {
      WRONG.incrementAndGet();
      System.err.println(key + " is " + found + " in place of " + expected);
    }
  }

  private static void driver(final int records, final Path folder) throws Exception {
    final Map<String, String> model = new HashMap<>();
    final Map<String, String> windows = new HashMap<>();
    final Path state = Files.createTempDirectory(folder.getParent(), "state");
    try (TopologyTestDriver driver =
            new TopologyTestDriver(topology(), properties("nowhere:1", state))) {
      final TestInputTopic<String, String> in =
          driver.createInputTopic("in", new StringSerializer(), new StringSerializer());
      for (int i = 0; i < records; i++) {
        final long time = timestamp(i, records);
        in.pipeInput(key(i), value(i), Instant.ofEpochMilli(time));
        model.putIfAbsent(key(i), value(i));
        windows.putIfAbsent(key(i) + "@" + time / WINDOW_MS * WINDOW_MS, value(i));
      }
      final KeyValueStore<String, String> seen = driver.getKeyValueStore(SEEN);
      model.forEach((key, value) -> check(key, value, seen.get(key)));
      final WindowStore<String, String> recent = driver.getWindowStore(RECENT);
      windows.forEach((key, value) -> {
        final int at = key.indexOf('@');
        final long window = Long.parseLong(key.substring(at + 1));
        check(key, value, recent.fetch(key.substring(0, at), window));
      });
      for (int i = 0; i < MISSING; i++) {
        final String missing = key(i % records) + "." + i;
        check(missing, null, seen.get(missing));
      }
      Measured.copy(state, folder); // close() removes it
    }
    if (FIRST.get() != model.size()) {
      WRONG.incrementAndGet();
      System.err.println(FIRST + " first records in place of " + model.size());
    }
  }

  private static void produce(final int records, final String address) throws Exception {
    final Properties properties = new Properties();
    properties.put("bootstrap.servers", address);
    properties.put("linger.ms", "20");
    properties.put("batch.size", "200000");
    try (Admin admin = Admin.create(properties)) {
      final NewTopic in = new NewTopic("in", 2, (short) 1);
      admin.createTopics(List.of(in, new NewTopic("out", 2, (short) 1))).all().get();
    }
    try (KafkaProducer<String, String> producer =
            new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < records; i++) {
        producer.send(
            new ProducerRecord<>("in", null, timestamp(i, records), key(i), value(i)));
      }
    }
  }

  private static void broker(final int records, final String address, final Path folder)
      throws Exception {
    final CountDownLatch running = new CountDownLatch(1);
    try (KafkaStreams streams = new KafkaStreams(topology(), properties(address, folder))) {
      streams.setStateListener((now, before) -> {
        if (now == KafkaStreams.State.RUNNING) {
          running.countDown();
        }
      });
      streams.start();
      running.await();
      final long end = System.nanoTime() + Duration.ofMinutes(10).toNanos();
      while (PROCESSED.get() < records && System.nanoTime() < end) {
        Thread.sleep(100);
      }
      final ReadOnlyKeyValueStore<String, String> seen = streams.store(
          StoreQueryParameters.fromNameAndType(SEEN, QueryableStoreTypes.keyValueStore()));
      // The first record of a key has the same number in each run.
      long distinct = 0;
      for (int i = 0; i < records; i++) {
        if (i % 4 != 3 || (i / 2) % 4 == 3) {
          check(key(i), value(i), seen.get(key(i)));
          distinct++;
        }
        final String missing = String.format("user%09d", 2L * i + 1);
        check(missing, null, seen.get(missing));
      }
      if (PROCESSED.get() != records || FIRST.get() != distinct) {
        WRONG.incrementAndGet();
        System.err.println(
            PROCESSED + " records, " + FIRST + " first ones in place of " + distinct);
      }
    }
  }

  public static void main(final String[] args) throws Exception {
    final boolean isDriver = args[0].equals("driver");
    final int records = Integer.parseInt(args[1]);
    final String address = isDriver ? "" : args[3];
    Setter.isShort = isDriver;
    if (!isDriver) {
      produce(records, address);
    }
    final List<String> policies = new ArrayList<>();
    Collections.addAll(policies, args);
    policies.subList(0, isDriver ? 3 : 4).clear();
    int number = 0;
    for (final String policy : policies) {
      PROCESSED.set(0);
      FIRST.set(0);
      Setter.use(policy, records);
      final Path folder = new File(args[2], String.valueOf(number++)).toPath();
      final long start = System.nanoTime();
      if (isDriver) {
        driver(records, folder);
      } else {
        broker(records, address, folder);
      }
      System.out.printf("%s: records %d, first %d, wrong %d, setters %d, %s, %.1f s%n", policy,
          records, FIRST.get(), WRONG.get(), Setter.MADE.get(), Measured.counts(),
          (System.nanoTime() - start) / 1e9);
    }
    System.exit(WRONG.get() == 0 ? 0 : 1);
  }
}
