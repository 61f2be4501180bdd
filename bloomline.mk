# RocksDB's Makefile reads this file when bloomline is in RocksDB's own tree, as plugin/bloomline
# (docs/rocksdb.md). RocksDB's CMake reads the lines below the sources; cmake/RocksDBPlugin.cmake has
# the same folders.
bloomline_SOURCES = $(patsubst plugin/bloomline/%,%,$(foreach folder,support filter engines/rocksdb,$(wildcard plugin/bloomline/src/$(folder)/*.cc plugin/bloomline/src/$(folder)/*/*.cc plugin/bloomline/src/$(folder)/*/*/*.cc plugin/bloomline/src/$(folder)/*/*/*/*.cc)))
bloomline_FUNC = bloomline_rocksdb_plugin
bloomline_LIBS = pthread
# For all of RocksDB: the Makefile has no flags for a plugin alone.
bloomline_CXXFLAGS = -Iplugin/bloomline -Iplugin/bloomline/include
