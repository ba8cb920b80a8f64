/* hint_tables.h - the tables of hint rules, one a file, in the order they are asked: the most
 * specific causes first. */
#ifndef CORE_HINT_TABLES_H
#define CORE_HINT_TABLES_H

#include "core/hint_rule.h"

extern const struct hint_table hint_table_names; /* commands and packages that are not there */

#endif
