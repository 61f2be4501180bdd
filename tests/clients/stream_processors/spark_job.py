#!/usr/bin/python3
"""A job of Spark Structured Streaming that drops duplicates, with two workers of their own.
Usage: spark_job.py FOLDER KEYS [NAME=VALUE...]

FOLDER gets the input, the output and the checkpoint with the state. NAME=VALUE is in the
environment of the executors. Exits with 1 if the output is not each key once."""
import pathlib
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql.functions import col

folder = pathlib.Path(sys.argv[1])
num_keys = int(sys.argv[2])
builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("bloomline")
for name, value in {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "false",
        "spark.sql.streaming.stateStore.providerClass":
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}.items():
    builder = builder.config(name, value)
for setting in sys.argv[3:]:
    name, value = setting.split("=", 1)
    builder = builder.config(f"spark.executorEnv.{name}", value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")

(folder / "in").mkdir(parents=True)
start = time.monotonic()
# Each batch has half of the keys of the one before.
for batch in range(4):
    first = batch * num_keys // 2
    lines = (f"user{2 * i}\n" for i in range(first, first + num_keys))
    (folder / f"in/{batch}.txt").write_text("".join(lines))
query = (spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder / "in"))
         .dropDuplicates(["value"])
         .writeStream.format("parquet").option("path", str(folder / "out"))
         .option("checkpointLocation", str(folder / "checkpoint"))
         .trigger(availableNow=True).start())
query.awaitTermination()
found = spark.read.parquet(str(folder / "out"))
expected = spark.range(0, 5 * num_keys // 2).select(
    (2 * col("id")).cast("string").alias("number"))
expected = expected.selectExpr("concat('user', number) AS value")
wrong = (found.exceptAll(expected).count() + expected.exceptAll(found).count())
print(f"Spark {spark.version}: keys {5 * num_keys // 2}, wrong {wrong}, "
      f"{time.monotonic() - start:.1f} s")
spark.stop()
sys.exit(0 if wrong == 0 else 1)
