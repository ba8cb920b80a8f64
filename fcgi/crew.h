/* crew.h - several workers under one parent that starts another when one dies. The
 * workers are forks of a process that has loaded everything: they share its relocated
 * pages, which with libpq's and libcurl's libraries are most of what an idle worker
 * would hold alone (1.4 of 2.5 MiB proportional set size, four workers). */
#ifndef CREW_H
#define CREW_H

/* Runs work(ctx) in `count` child processes until SIGTERM or SIGINT, which is passed on: a busy
 * worker finishes its request. A worker that ends by itself is replaced, at once, or after a second
 * when it lived for less than one. Returns the exit status for main. */
int crew_run(int count, void (*work)(void *ctx), void *ctx);

#endif
