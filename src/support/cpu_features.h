// What the system knows of the CPU, where the compiler's __builtin_cpu_supports does not.
#ifndef BLOOMLINE_SUPPORT_CPU_FEATURES_H_
#define BLOOMLINE_SUPPORT_CPU_FEATURES_H_

namespace bloomline::support {

// Whether an ARM CPU of 64 bits has the instructions of CRC-32 and CRC-32C, which are optional in
// ARMv8.0. False on other CPUs, and where the system does not tell.
bool HasArmCrc32();

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_CPU_FEATURES_H_
