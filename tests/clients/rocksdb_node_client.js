// A program of a Node.js package that contains its own RocksDB. It knows nothing of bloomline.
//
// Usage: node rocksdb_node_client.js PACKAGE write|check FOLDER NUM_KEYS, with NODE_PATH and
// UV_THREADPOOL_SIZE=16
//
// "write" writes half of the keys in a child process, which is killed with SIGKILL while it writes,
// and then all keys, and compacts. "check" reads in 16 threads. It prints how many answers were
// wrong, for stored keys and for missing ones beside them.
'use strict'
const { spawnSync } = require('child_process')

const BATCH = 500
const THREADS = 16

function key (number) {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(number))
  return bytes
}

const value = number => Buffer.from(String(number).padStart(100, '0'))

// Each opens a database with { put(pairs), get(keys), compact(), close() }. Small memtables make
// flushes and compactions.
const packages = {
  '@nxtedition/rocksdb': async ({ RocksLevel }, folder) => {
    const family = { keyEncoding: 'buffer', valueEncoding: 'buffer', memtableMemoryBudget: 1 << 20 }
    const db = new RocksLevel(folder, { ...family, columns: { default: family } })
    await db.open()
    return {
      put: pairs => db.batch(pairs.map(([key, value]) => ({ type: 'put', key, value }))),
      get: keys => db.getMany(keys),
      compact: async () => {},
      close: () => db.close()
    }
  },
  'rocksdb-native': async (RocksDB, folder) => {
    const family = new RocksDB.ColumnFamily('default', { writeBufferSize: 1 << 20 })
    const db = new RocksDB(folder, { columnFamily: family })
    await db.ready()
    return {
      put: async pairs => {
        const batch = db.write()
        pairs.forEach(([key, value]) => batch.tryPut(key, value))
        await batch.flush()
        batch.destroy()
      },
      get: async keys => {
        const batch = db.read()
        const values = keys.map(key => batch.get(key))
        await batch.flush()
        batch.destroy()
        return Promise.all(values)
      },
      compact: () => db.compactRange(),
      close: () => db.close()
    }
  }
}

async function put (db, begin, end) {
  for (; begin < end; begin += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, end - begin) }, (_, i) => begin + i)
    await db.put(numbers.map(i => [key(2 * i), value(i)]))
  }
}

async function check (db, numKeys) {
  let wrong = 0
  let begin = 0
  const work = async () => {
    while (begin < numKeys) {
      const first = begin
      begin += BATCH
      const numbers = Array.from({ length: Math.min(BATCH, numKeys - first) }, (_, i) => first + i)
      const found = await db.get(numbers.map(i => key(2 * i)))
      const missing = await db.get(numbers.map(i => key(2 * i + 1)))
      numbers.forEach((number, i) => {
        wrong += !(found[i] && value(number).equals(found[i]))
        wrong += missing[i] !== undefined && missing[i] !== null
      })
    }
  }
  await Promise.all(Array.from({ length: THREADS }, work))
  return wrong
}

async function main () {
  const [name, mode, folder, number] = process.argv.slice(2)
  const numKeys = Number(number)
  if (mode === 'write') {
    const child = spawnSync(process.execPath, [__filename, name, 'crash', folder, numKeys],
      { stdio: 'inherit' })
    if (child.signal !== 'SIGKILL') throw new Error(`the child was not killed: ${child.status}`)
  }
  const db = await packages[name](require(name), folder)
  if (mode === 'crash') {
    await put(db, 0, numKeys / 2)
    put(db, numKeys / 2, numKeys)
    process.kill(process.pid, 'SIGKILL')
  }
  if (mode === 'write') {
    const lost = await check(db, numKeys / 2)
    if (lost !== 0) throw new Error(`${lost} wrong after the kill`)
    await put(db, 0, numKeys)
    await db.compact()
  }
  if (mode === 'check') console.log(`${await check(db, numKeys)} -`)
  await db.close()
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
