#include "config.h"

#include "core/hint_tables.h"
#include <string.h>

static const struct hint_rule rows[] = {
    {"sudo-missing", FAMILY_CAUSE, ON_ANY, .programs = NULL,
     .pattern = "(?:^|: )sudo: (?:command )?not found$",
     .text = "This machine has no sudo and needs none: every command already runs as root. Run the "
             "same command without sudo."},
};

const struct hint_table hint_table_names = {rows, COUNT_OF(rows)};
