// The C handle of the options of static filters.
#ifndef BLOOMLINE_BINDINGS_C_STATIC_FILTER_H_
#define BLOOMLINE_BINDINGS_C_STATIC_FILTER_H_

#include "bloomline/filter_options.h"

struct bloomline_filteroptions_t {
  bloomline::FilterOptions options;
};

#endif  // BLOOMLINE_BINDINGS_C_STATIC_FILTER_H_
