# Runs MariaDB with RocksDB tables in the folder $1, with $2 rows and $3 for what is between
# "bloomfilter:10:" and the next option; $1/stop ends it.
set -e
folder=$1 rows=$2
mariadb-install-db --force --user=root --datadir="$folder/data" --skip-test-db \
  --auth-root-authentication-method=normal
table="filter_policy=bloomfilter:10:$3;whole_key_filtering=1"
mariadbd --user=root --datadir="$folder/data" --socket="$folder/socket" --skip-networking \
  --pid-file="$folder/pid" --plugin-load-add=ha_rocksdb --innodb-buffer-pool-size=8M \
  "--rocksdb-datadir=$folder/db" \
  "--rocksdb-default-cf-options=write_buffer_size=1m;block_based_table_factory={$table}" &
while ! mariadb -S "$folder/socket" -e 'select 1'; do sleep 0.2; done
mariadb -S "$folder/socket" -e "
  create database d; use d;
  create table t (id bigint primary key, v varchar(100), key(v)) engine=rocksdb;
  insert into t select seq, concat('value ', seq) from seq_1_to_$rows;
  set global rocksdb_force_flush_memtable_now=1;"
touch "$folder/written"
until [ -e "$folder/stop" ]; do sleep 0.1; done
mariadb-admin -S "$folder/socket" shutdown
wait
