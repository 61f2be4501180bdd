# To be sourced: other CPUs, their compilers and emulators. Not every kernel of x86-64 runs
# programs of i386.
# shellcheck shell=bash disable=SC2034
declare -A compilers=([aarch64]=aarch64-linux-gnu [armhf]=arm-linux-gnueabihf [i386]=i686-linux-gnu
  [ppc64el]=powerpc64le-linux-gnu [riscv64]=riscv64-linux-gnu [s390x]=s390x-linux-gnu)
declare -A emulators=([aarch64]=qemu-aarch64 [armhf]=qemu-arm [i386]=qemu-i386 [ppc64el]=qemu-ppc64le
  [riscv64]=qemu-riscv64 [s390x]=qemu-s390x [x86_64]="")
