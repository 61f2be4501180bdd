# In the place of third_party/benchmark, like googletest.cmake.
find_package(benchmark REQUIRED)
add_library(benchmark ALIAS benchmark::benchmark)
