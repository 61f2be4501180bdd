"""MyRocks, a storage engine of MariaDB with a RocksDB of its own, and all of `bloomline db` on it.

Usage: myrocks_client.py write|check FOLDER NUM_ROWS PLUGIN TOOL
  PLUGIN  the folder with ha_rocksdb.so
  TOOL    the command bloomline

The server has its data and a socket in FOLDER, and no port. Only MyRocks knows its comparators.
`check` prints the number of wrong answers of the server, about all rows and missing ones between,
of `bloomline db` while the server runs and after it, and of the server on a database with new
filters; then "-".
"""
import atexit
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

# Table, column family, the layout of its filters and whether these are for prefixes alone.
TABLES = [("plain", "default", "RocksDB legacy Bloom", False),
          ("prefix", "rev:prefix", "RocksDB legacy Bloom", True),
          ("ribbon", "ribbon", "RocksDB Ribbon", False)]
BLOOM = "filter_policy=bloomfilter:10:false"
OPTIONS = [
    "--rocksdb-default-cf-options=block_based_table_factory={" + BLOOM + "}",
    "--rocksdb-override-cf-options="
    # A key is the index's number in 4 bytes and the row's in 8.
    "rev:prefix={prefix_extractor=capped:12;block_based_table_factory={" + BLOOM +
    ";whole_key_filtering=0}};"
    "ribbon={block_based_table_factory={filter_policy=ribbonfilter:10:-1}}"]
SECONDS = 120  # for the start of a server

mode, folder, num_rows, plugin, tool = sys.argv[1:]
num_rows = int(num_rows)
data = pathlib.Path(folder, "data").absolute()
log = pathlib.Path(folder, "log")
without_preload = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
wrong = 0


def expect(truth, text):
    global wrong
    if not truth:
        print("WRONG:", text, file=sys.stderr)
        wrong += 1


class Server:
    def __init__(self):
        as_root = ["--user=root"] if os.geteuid() == 0 else []  # it refuses root unless told
        with log.open("a") as output:
            # The path of the socket is relative to the data: names of sockets are short.
            self.process = subprocess.Popen(
                ["/usr/sbin/mariadbd", "--no-defaults", *as_root,
                 f"--datadir={data}", f"--plugin-dir={plugin}", "--plugin-load-add=ha_rocksdb",
                 "--skip-networking", "--skip-grant-tables", "--socket=socket", "--pid-file=pid",
                 "--default-storage-engine=rocksdb", *OPTIONS], stdout=output, stderr=output)
        atexit.register(self.process.kill)
        end = time.monotonic() + SECONDS
        while self.client("select 1").returncode != 0:
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"mariadbd does not answer:\n{log.read_text()}")
            time.sleep(0.05)

    @staticmethod
    def client(sql):
        return subprocess.run(["mariadb", "--no-defaults", "--socket=./socket", "-N"], input=sql,
                              cwd=data, env=without_preload, capture_output=True, text=True)

    def sql(self, text):
        answer = self.client(text)
        if answer.returncode != 0:
            sys.exit(f"{text}: {answer.stderr}")
        return answer.stdout

    def stop(self):
        self.process.terminate()
        expect(self.process.wait() == 0, f"mariadbd ended with {self.process.returncode}")


def write():
    # No tables of users are needed, and mariadb-install-db would change owners in /usr.
    (data / "mysql").mkdir(parents=True)
    server = Server()
    server.sql("create database clients")
    for table, family, _, _ in TABLES:
        comment = "" if family == "default" else f" comment '{family}'"
        server.sql(f"""use clients;
            create table {table} (id bigint unsigned, v varchar(60), primary key (id){comment});
            insert into {table} select 2 * seq, concat('v', seq) from seq_1_to_{num_rows};
            set global rocksdb_force_flush_memtable_now = 1""")
    server.stop()


def check_rows(server):
    for table, _, _, _ in TABLES:
        counts = server.sql(f"""use clients;
            select count(*) from seq_1_to_{num_rows} s left join {table} t on t.id = 2 * s.seq
                where t.v is null or t.v <> concat('v', s.seq);
            select count(*) from seq_1_to_{num_rows} s straight_join {table} t
                on t.id = 2 * s.seq + 1""").split()
        expect(counts == ["0", "0"], f"{table}: lost and unexpected rows: {counts}")


def db(command):
    result = subprocess.run([tool, "db", command, "--json", str(data / "#rocksdb")],
                            env=without_preload, capture_output=True, text=True)
    expect(result.returncode == 0, f"{command}: exit status {result.returncode}: {result.stderr}")
    answer = json.loads(result.stdout)
    expect(not answer["errors"], f"{command}: {answer['errors']}")
    return answer


def families(command):
    found = {family["name"]: family for family in db(command)["databases"][0]["column_families"]}
    names = {family for _, family, _, _ in TABLES} | {"__system__"}
    expect(found.keys() == names, f"{command}: column families {sorted(found)}")
    return [(name, layout, of_prefixes, found[name])
            for _, name, layout, of_prefixes in TABLES if name in found]


def check_inspect():
    for name, layout, _, family in families("inspect"):
        layouts = [each["layout"] for each in family["all"]["layouts"]]
        expect(layouts == [layout], f"inspect: {name} has the filters {layouts}")
        keys = family["all"]["num_keys"]
        expect(abs(keys / num_rows - 1) < 0.01, f"inspect: {name} has {keys} keys")


def check_verify():
    answer = db("verify")
    expect(answer["lost"] == 0 and not answer["not_checked"],
           f"verify: lost {answer['lost']}, not checked {answer['not_checked']}")
    checked = answer["keys_checked"], answer["prefixes_checked"]
    expect(checked[0] >= 2 * num_rows and checked[1] >= num_rows, f"verify: checked {checked}")


def check_measure():
    for name, _, of_prefixes, family in families("measure"):
        expect(not family["not_measured"], f"measure: {name}: {family['not_measured']}")
        for keys in ("adjacent",) if of_prefixes else ("adjacent", "elsewhere"):
            rate = family["all"][keys]["false_positive_rate"]
            # The legacy Bloom filter has up to 10 % for adjacent keys.
            expect(rate is not None and 0 < rate < 0.2, f"measure: {name}: {keys} {rate}")


def check_advise():
    for name, layout, _, family in families("advise"):
        expect("error" not in family, f"advise: {name}: {family.get('error')}")
        wasted = family.get("wasted_reads_now")
        expect(wasted is not None and 0 < wasted < 1, f"advise: {name}: wasted reads {wasted}")
        choices = [choice["title"] for choice in family.get("choices", [])]
        # Ribbon filters are as small as bloomline's.
        expect(choices or layout == "RocksDB Ribbon", f"advise: {name}: no choice")


def check_rewrite():
    """The server serves a rewritten database, changes it, compacts and starts again."""
    old, new = data / "#rocksdb", data / "#rocksdb.new"
    before = db("verify")["entries"]
    for policy in "bloomfilter:14", "{id=bloomline;format=ribbon;bits_per_key=12}":
        result = subprocess.run([tool, "db", "rewrite", "--policy", policy, str(old), str(new)],
                                env=without_preload, capture_output=True, text=True)
        expect(result.returncode == 0, f"rewrite: {result.returncode}: {result.stderr}")
        kept = old.rename(data / "#rocksdb.old")
        new.rename(old)
        check_verify()
        for name, _, _, family in families("inspect"):
            layouts = [each["layout"] for each in family["all"]["layouts"]]
            wanted = "RocksDB Ribbon" if "ribbon" in policy else "RocksDB Bloom"
            expect(layouts == [wanted], f"rewrite: {name} has the filters {layouts}")
        server = Server()
        check_rows(server)
        for table, _, _, _ in TABLES:
            answer = server.sql(f"check table clients.{table} extended")
            expect(answer.endswith("status\tOK\n"), f"rewrite: {answer}")
            server.sql(f"""use clients;
                update {table} set v = 'changed' where id % 10 = 0;
                set global rocksdb_force_flush_memtable_now = 1;
                update {table} set v = concat('v', id div 2) where id % 10 = 0""")
        server.sql("set global rocksdb_compact_cf = 'default'")
        check_rows(server)
        server.stop()
        server = Server()
        check_rows(server)
        server.stop()
        shutil.rmtree(old)
        kept.rename(old)
    expect(db("verify")["entries"] == before, "rewrite: the old database has changed")


def check():
    server = Server()
    check_rows(server)
    check_inspect()
    check_verify()
    server.stop()
    for part in (check_inspect, check_verify, check_measure, check_advise):
        part()
    check_rewrite()
    if "LD_PRELOAD" in os.environ:
        lines = [line for line in log.read_text().splitlines() if line.startswith("bloomline: ")]
        expect(any("ha_rocksdb.so" in line for line in lines),
               f"the preload library does not say that it leaves MyRocks alone: {lines}")


signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # kills the server
if mode == "write":
    write()
else:
    check()
    print(wrong, "-")
