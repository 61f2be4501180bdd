import io.github.bloomline.BloomlineFilter;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.util.Collector;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;

/**
 * Jobs of Flink that see each key once, and jobs that go on from their savepoints and incremental
 * checkpoints, in a MiniCluster with two task slots and managed memory.
 *
 * <p>Usage: {@code FlinkJob KEYS FOLDER} changes between filters; {@code FlinkJob KEYS FOLDER
 * POLICY...} writes and reads with each policy. POLICY is {@code none}, Flink's default; {@code
 * bloom}, Flink's own filter; {@code page}, the class of the guide; {@code partitioned}, its class
 * for partitioned filters; or an option string of bloomline. Prints a line for each job, and exits
 * with 1 if a key is wrong. FOLDER/NUMBER has a job's databases.
 */
@SuppressWarnings("deprecation") // a source that ends when it is told to
public final class FlinkJob {
  private static final AtomicLong PROCESSED = new AtomicLong();
  private static final AtomicLong FOUND = new AtomicLong();
  private static final AtomicLong WRONG = new AtomicLong();

  private FlinkJob() {}

  /** The classes of the guide, and what the jobs measure. */
  public static final class Factory implements RocksDBOptionsFactory {
    static volatile String policy;

    private static RocksDBOptionsFactory guides() {
      return policy.equals("page") ? new BloomlineFactory()
          : policy.equals("partitioned") ? new PartitionedFactory() : null;
    }

    @Override
    public DBOptions createDBOptions(
        final DBOptions options, final Collection<AutoCloseable> handles) {
      options.setStatistics(Measured.STATISTICS);
      return guides() == null ? options : guides().createDBOptions(options, handles);
    }

    @Override
    public ColumnFamilyOptions createColumnOptions(
        final ColumnFamilyOptions options, final Collection<AutoCloseable> handles) {
      if (policy.equals("none") || policy.equals("bloom")) {
        return options;
      }
      if (guides() != null) {
        return guides().createColumnOptions(options, handles);
      }
      final BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
      final BloomlineFilter filter = new BloomlineFilter(policy);
      handles.add(filter);
      table.setFilterPolicy(filter);
      return options.setTableFormatConfig(table);
    }
  }

  /** The even numbers; then, in a job that goes on from another one, all numbers. */
  private static final class Numbers implements SourceFunction<Long> {
    private final long keys;
    private final boolean goesOn;
    private volatile boolean isCancelled;

    Numbers(final long keys, final boolean goesOn) {
      this.keys = keys;
      this.goesOn = goesOn;
    }

    @Override
    public void run(final SourceContext<Long> context) throws Exception {
      for (long number = 0; number < 2 * keys && !isCancelled; number += goesOn ? 1 : 2) {
        context.collect(number * 7_919 % (2 * keys));
      }
      while (!isCancelled) {
        Thread.sleep(10);
      }
    }

    @Override
    public void cancel() {
      isCancelled = true;
    }
  }

  private static final class Seen extends KeyedProcessFunction<Long, Long, Long> {
    private final boolean goesOn;
    private transient ValueState<Long> seen;

    Seen(final boolean goesOn) {
      this.goesOn = goesOn;
    }

    @Override
    public void open(final OpenContext context) {
      seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Long.class));
    }

    @Override
    public void processElement(
        final Long key, final Context context, final Collector<Long> out) throws Exception {
      final Long found = seen.value();
      final Long expected = goesOn && key % 2 == 0 ? Long.valueOf(key * 31) : null;
      if (!(expected == null ? found == null : expected.equals(found))) {
        WRONG.incrementAndGet();
        System.err.println(key + " is " + found + " in place of " + expected);
      }
      if (found != null) {
        FOUND.incrementAndGet();
      } else if (!goesOn) {
        seen.update(key * 31);
      }
      PROCESSED.incrementAndGet();
    }
  }

  private static final class Result {
    String checkpoint;
    String savepoint;
  }

  private static long keys;
  private static Path folder;
  private static int jobs;

  /** A job that goes on from another one's folder, if it is not null. */
  private static Result job(final String policy, final boolean isPartitioned, final String from)
      throws Exception {
    final Path here = folder.resolve("job" + jobs);
    final Configuration settings = new Configuration();
    settings.setString("state.backend.type", "rocksdb");
    settings.setString("state.backend.rocksdb.options-factory", Factory.class.getName());
    settings.setString("state.backend.rocksdb.localdir", here.resolve("local").toString());
    settings.setString("state.backend.rocksdb.use-bloom-filter",
        String.valueOf(policy.equals("bloom")));
    settings.setString("state.backend.rocksdb.memory.partitioned-index-filters",
        String.valueOf(isPartitioned));
    // As many levels as a larger state has.
    settings.setString("state.backend.rocksdb.writebuffer.size", "256kb");
    settings.setString("state.backend.rocksdb.compaction.level.target-file-size-base", "1mb");
    settings.setString("state.backend.rocksdb.compaction.level.max-size-level-base", "1mb");
    settings.setString("taskmanager.memory.managed.size", "64mb");
    settings.setString("execution.checkpointing.incremental", "true");
    settings.setString(
        "execution.checkpointing.dir", here.resolve("checkpoints").toUri().toString());
    settings.setString(
        "execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
    settings.setString("parallelism.default", "2");
    settings.setString("rest.port", "0");

    Factory.policy = policy;
    PROCESSED.set(0);
    FOUND.set(0);
    Measured.reset();
    final long start = System.nanoTime();
    final boolean goesOn = from != null;
    final long expected = goesOn ? 2 * keys : keys;
    final Result result = new Result();
    try (MiniCluster cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(settings).setNumTaskManagers(1).setNumSlotsPerTaskManager(2)
                .withRandomPorts().build())) {
      cluster.start();
      final StreamExecutionEnvironment environment =
          StreamExecutionEnvironment.getExecutionEnvironment(settings);
      environment.addSource(new Numbers(keys, goesOn)).uid("numbers").keyBy(number -> number)
          .process(new Seen(goesOn)).uid("seen").sinkTo(new DiscardingSink<>()).uid("sink");
      final JobGraph graph = environment.getStreamGraph().getJobGraph();
      if (goesOn) {
        graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(from));
      }
      final JobID id = cluster.submitJob(graph).get().getJobID();
      while (PROCESSED.get() < expected) {
        if (cluster.getJobStatus(id).get().isTerminalState()
            || System.nanoTime() - start > 600e9) {
          throw new IllegalStateException(policy + ": "
              + cluster.requestJobResult(id).get().getSerializedThrowable());
        }
        Thread.sleep(20);
      }
      if (!goesOn) {
        result.checkpoint = cluster.triggerCheckpoint(id).get();
        final String savepoint = here.resolve("savepoint").toUri().toString();
        result.savepoint =
            cluster.triggerSavepoint(id, savepoint, false, SavepointFormatType.CANONICAL).get();
      }
      Measured.copy(here.resolve("local"), folder.resolve(String.valueOf(jobs)));
      cluster.cancelJob(id).get();
      cluster.requestJobResult(id).get();
    }
    if (FOUND.get() != (goesOn ? keys : 0)) {
      WRONG.incrementAndGet();
    }
    System.out.printf("%d: %s%s%s: keys %d, found %d, wrong %d, %s, %.1f s%n", jobs++, policy,
        isPartitioned ? ", partitioned" : "",
        goesOn ? ", from " + folder.relativize(Paths.get(java.net.URI.create(from))) : "",
        expected, FOUND.get(), WRONG.get(), Measured.counts(), (System.nanoTime() - start) / 1e9);
    return result;
  }

  public static void main(final String[] args) throws Exception {
    keys = Long.parseLong(args[0]);
    folder = Paths.get(args[1]);
    if (args.length == 2) {
      final Result with = job("page", false, null);
      job("page", false, with.checkpoint);
      job("none", false, with.checkpoint);
      job("none", false, with.savepoint);
      final Result without = job("bloom", false, null);
      job("page", false, without.checkpoint);
      job("page", false, without.savepoint);
      job("page", true, null);
      job("partitioned", true, job("partitioned", true, null).checkpoint);
    }
    for (int i = 2; i < args.length; i++) {
      job(args[i], false, job(args[i], false, null).checkpoint);
    }
    System.exit(WRONG.get() == 0 ? 0 : 1);
  }
}
