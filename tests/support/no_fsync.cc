// Tests whose databases need not survive a power failure link this file: on a slow disk, most of
// their time would be spent in these functions. The engines' shared libraries call these, because
// those of a program come before those of libc.
extern "C" int fsync(int) { return 0; }
extern "C" int fdatasync(int) { return 0; }
