/* keys.h - keys the record has called good, remembered by all workers of a program together:
 * memory that is shared over fork(2). What for: an answer must flow while the record is down. */
#ifndef IO_KEYS_H
#define IO_KEYS_H

#include <stdbool.h>
#include <stdint.h>

enum { KEYS_MAX = 1024, KEYS_SHA256_BYTES = 32 };

struct keys;

/* Made before the workers are; lives as long as the process. Never NULL. */
struct keys *keys_new(void);
bool keys_has(const struct keys *k, const uint8_t sha256[KEYS_SHA256_BYTES]);
/* One that does not fit takes the place of another. */
void keys_add(struct keys *k, const uint8_t sha256[KEYS_SHA256_BYTES]);
void keys_forget(struct keys *k, const uint8_t sha256[KEYS_SHA256_BYTES]);

#endif
