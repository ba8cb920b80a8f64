/* banned.h - functions that are not used here: no bounds, hidden state, a shell, or no
 * way to see an error. The headers that declare them come first; naming one afterwards
 * does not compile. config.h includes this file. */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#undef alloca
#pragma GCC poison alloca
#pragma GCC poison strcpy strcat strncpy strncat stpcpy sprintf vsprintf gets strtok
#pragma GCC poison atoi atol atoll atof
#pragma GCC poison system popen
#pragma GCC poison tmpnam tempnam mktemp
#pragma GCC poison asctime ctime localtime gmtime

#endif
