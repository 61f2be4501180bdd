// Makes compilers without C++17 print one clear error.
#ifndef BLOOMLINE_CPP17_H_
#define BLOOMLINE_CPP17_H_

#if __cplusplus < 201703L
#error "bloomline's headers need C++17: compile with -std=c++17. bloomline/c.h needs only C90."
#endif

#endif  // BLOOMLINE_CPP17_H_
