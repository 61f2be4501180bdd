// A program of classic-level, which knows nothing of bloomline.
//
// Usage: node classic_level_client.js write|check FOLDER NUM_KEYS, with NODE_PATH
//
// Does what plyvel_client.py does: see there.
'use strict'
const { ClassicLevel } = require('classic-level')

const BLOCK = 4096
const BATCH = 1000

function key (number) {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(number))
  return bytes
}

const value = number => String(number).padStart(100, '0')
const memory = db => Number(db.getProperty('leveldb.approximate-memory-usage'))

async function write (db, numKeys) {
  for (let begin = 0; begin < numKeys; begin += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, numKeys - begin) }, (_, i) => begin + i)
    await db.batch(numbers.map(i => ({ type: 'put', key: key(2 * i), value: value(i) })))
  }
  await db.compactRange(key(0), key(2 * numKeys))
}

function check (db, numKeys) {
  // Keys far apart, so that no two of them are in one block.
  const probes = Array.from({ length: Math.floor(numKeys / 100) }, (_, i) => 100 * i)
  const before = memory(db)
  let wrong = probes.filter(i => db.getSync(key(2 * i + 1)) !== undefined).length
  const reads = (memory(db) - before) / BLOCK
  for (let i = 0; i < numKeys; i++) {
    wrong += db.getSync(key(2 * i)) !== value(i)
    wrong += db.getSync(key(2 * i + 1)) !== undefined
  }
  return `${wrong} ${Math.round(1000 * reads / probes.length)}`
}

async function main () {
  const [mode, folder, number] = process.argv.slice(2)
  const db = new ClassicLevel(folder, {
    keyEncoding: 'buffer',
    createIfMissing: mode === 'write',
    cacheSize: 1 << 30
  })
  await db.open()
  const result = mode === 'write' ? await write(db, Number(number)) : check(db, Number(number))
  await db.close()
  if (result) console.log(result)
}

main()
