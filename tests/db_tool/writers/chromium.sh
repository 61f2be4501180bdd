# Lets a page in Chromium fill an IndexedDB and its local storage, with a profile in the folder $1.
# It runs twice, as minetest.sh.
set -e
cat >"$1/page.html" <<'HTML'
<html><body><script>
const request = indexedDB.open("test", 1);
request.onupgradeneeded = () => request.result.createObjectStore("store");
request.onsuccess = async () => {
  for (let first = 0; first < 40000; first += 2000) {
    await new Promise(resolve => {
      const transaction = request.result.transaction("store", "readwrite");
      for (let i = first; i < first + 2000; ++i) {
        transaction.objectStore("store").put("a value of 100 bytes ".repeat(5) + i, "key" + i);
      }
      transaction.oncomplete = resolve;
    });
  }
  for (let i = 0; i < 5000; ++i) localStorage.setItem("key" + i, "value " + i);
};
</script></body></html>
HTML
for run in 1 2; do
  # The browser stays open for a debugger. It says nowhere that the page is done.
  chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
    --disable-background-networking --allow-file-access-from-files --user-data-dir="$1/profile" \
    --remote-debugging-port=0 "file://$1/page.html" &
  sleep 10
  kill $!
  wait $! || true
done
