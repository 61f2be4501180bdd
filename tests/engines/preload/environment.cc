// Prints the settings that a preload library would see in this process.
#include "src/engines/preload/environment.h"

#include <cstdio>
#include <initializer_list>

int main() {
  const bloomline::preload::Environment environment = bloomline::preload::CaptureEnvironment();
  for (const char* value :
       {environment.format, environment.bits_per_key, environment.seed, environment.verbose,
        environment.bits_by_level, environment.metrics, environment.metrics_seconds}) {
    std::printf("%s ", value == nullptr ? "-" : value);
  }
}
