// The version of the library, not of the filter format (docs/format.md).
#ifndef BLOOMLINE_VERSION_H_
#define BLOOMLINE_VERSION_H_

#define BLOOMLINE_VERSION_MAJOR 0
#define BLOOMLINE_VERSION_MINOR 4
#define BLOOMLINE_VERSION_PATCH 0
#define BLOOMLINE_VERSION_STRING "0.4.0"

#endif  // BLOOMLINE_VERSION_H_
