# Lets Syncthing scan $2 files, in the folder $1. It runs twice, as minetest.sh.
set -e
folder=$1 files=$2
mkdir -p "$folder/files/.stfolder"
(cd "$folder/files" && seq "$files" | split -l 1 -a 6 -d - file)
syncthing generate --home="$folder/home"
sed -i "s|/root/Sync|$folder/files|
  s|AnnounceEnabled>true|AnnounceEnabled>false|; s|\(relays\|nat\)Enabled>true|\1Enabled>false|
  s|127.0.0.1:8384|127.0.0.1:$((20000 + RANDOM % 10000))|; s|<listenAddress>default|<listenAddress>tcp://127.0.0.1:$((30000 + RANDOM % 10000))|" \
  "$folder/home/config.xml"
for run in 1 2; do
  syncthing serve --home="$folder/home" --no-browser --no-upgrade --no-default-folder \
    >"$folder/log" 2>&1 &
  until grep -q 'Completed initial scan' "$folder/log"; do sleep 0.2; done
  sleep 1
  kill $!
  wait $! || true
done
