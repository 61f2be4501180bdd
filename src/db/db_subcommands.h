// The headers of `bloomline db verify` and `rewrite`, until their files include them.
#ifndef BLOOMLINE_DB_DB_SUBCOMMANDS_H_
#define BLOOMLINE_DB_DB_SUBCOMMANDS_H_

#include "src/db/rewrite/rewrite_command.h"
#include "src/db/verify/verify_command.h"

#endif  // BLOOMLINE_DB_DB_SUBCOMMANDS_H_
