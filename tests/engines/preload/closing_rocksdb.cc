// Preloaded before the preload library, it takes the place of a function that RocksDB calls to
// close a database, as in a RocksDB whose functions other libraries cannot replace.
extern "C" void CloseDatabase(void*) __asm__("_ZN7rocksdb6DBImpl5CloseEv");
extern "C" void CloseDatabase(void*) {}
