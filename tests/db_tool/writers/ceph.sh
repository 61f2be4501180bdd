# Makes the store of a Ceph monitor in the folder $1, of the kind $2 (rocksdb or leveldb), with $3
# random entries of 100 KB.
set -e
cd "$1"
fsid=$(cat /proc/sys/kernel/random/uuid)
cat >ceph.conf <<CONF
[global]
fsid = $fsid
mon_host = 127.0.0.1
auth_cluster_required = none
mon_keyvaluedb = $2
leveldb_bloom_size = 10
log_file = $1/log
CONF
monmaptool --create --add a 127.0.0.1:16789 --fsid "$fsid" monmap
ceph-authtool --create-keyring keyring --gen-key -n mon. --cap mon 'allow *'
ceph-mon -c ceph.conf --mkfs -i a --monmap monmap --keyring keyring --mon-data "$1/mon"
CEPH_CONF=$1/ceph.conf ceph-monstore-tool "$1/mon" random-gen -- --num-keys "$3"
# What is in the log is written to a table when the store is opened again.
CEPH_CONF=$1/ceph.conf ceph-monstore-tool "$1/mon" compact
