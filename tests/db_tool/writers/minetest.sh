# Lets a Minetest server generate a world in the folder $1. It runs twice: what is in the log is
# written to a table when the database is opened again.
set -e
world=$1
mkdir -p "$world/worldmods/generate"
printf 'gameid = devtest\nbackend = leveldb\nplayer_backend = leveldb\nauth_backend = leveldb\n' \
  >"$world/world.mt"
echo 'name = generate' >"$world/worldmods/generate/mod.conf"
cat >"$world/worldmods/generate/init.lua" <<'LUA'
core.after(0, function()
  core.emerge_area({x = -240, y = -80, z = -240}, {x = 240, y = 80, z = 240},
    function(position, action, remaining)
      if remaining == 0 then core.request_shutdown("done") end
    end)
end)
LUA
for run in 1 2; do
  /usr/games/minetestserver --world "$world" --port $((20000 + RANDOM % 10000))
done
