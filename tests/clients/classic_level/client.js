// A program of classic-level, which knows nothing of bloomline.
//
// Usage: client.js write|check FOLDER NUM_KEYS MODULES_FOLDER
//
// As plyvel_client.py.
const [mode, folder, count, modules] = process.argv.slice(2);
const { ClassicLevel } = require(`${modules}/classic-level`);

const kBlock = 4096;
const numKeys = Number(count);

function key(number) {
  const result = Buffer.alloc(8);
  result.writeBigUInt64BE(BigInt(number));
  return result;
}
const value = (number) => String(number).padStart(100, '0');

async function main() {
  const db = new ClassicLevel(folder, {
    keyEncoding: 'buffer', valueEncoding: 'utf8', cacheSize: 2 ** 30,
    createIfMissing: mode === 'write',
  });
  await db.open();
  if (mode === 'write') {
    for (let start = 0; start < numKeys; start += 1000) {
      const batch = [];
      for (let i = start; i < Math.min(start + 1000, numKeys); ++i) {
        batch.push({ type: 'put', key: key(2 * i), value: value(i) });
      }
      await db.batch(batch);
    }
    await db.compactRange(key(0), key(2 * numKeys));
    await db.close();
    return;
  }
  const memory = () => Number(db.getProperty('leveldb.approximate-memory-usage'));
  let wrong = 0;
  let probes = 0;
  const before = memory();
  for (let i = 0; i < numKeys - 1; i += 100, ++probes) {
    if (db.getSync(key(2 * i + 1)) !== undefined) ++wrong;
  }
  const reads = (memory() - before) / kBlock;
  for (let i = 0; i < numKeys; ++i) {
    if (db.getSync(key(2 * i)) !== value(i)) ++wrong;
    if (db.getSync(key(2 * i + 1)) !== undefined) ++wrong;
  }
  console.log(`${wrong} ${Math.round(1000 * reads / probes)}`);
  await db.close();
}

main();
