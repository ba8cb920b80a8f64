/* slice.h - the raw text of a value inside a JSON text, byte for byte as it was sent:
 * what request ids and progress tokens are echoed from. Pure, allocates nothing.
 *
 * slice_check() comes first; everything else expects a text that passed it. The check is
 * stricter than json-c's (RFC 8259 to the letter), so that both always read a text alike. */
#ifndef CORE_SLICE_H
#define CORE_SLICE_H

#include <stdbool.h>
#include <stddef.h>

struct slice {
    const char *at; /* borrowed from the text, not NUL-ended; NULL: there is none */
    size_t len;
};

/* A member to look for. */
struct slice_member {
    const char *name;   /* ASCII */
    struct slice value; /* of the last member of that name, as json-c has it */
    size_t times;       /* how often the name occurs */
};

/* True when text is one JSON value in valid UTF-8, nested at most depth_max levels, and
 * no member name holds a NUL (json-c would cut it there). */
bool slice_check(const char *text, size_t len, int depth_max);
/* The value without the white space around it; its first byte says what it is:
 * { [ " t f n, or - and digits. */
struct slice slice_value(const char *text, size_t len);
/* Fills value and times of every member asked for; nothing is found in what is no object. */
void slice_members(struct slice object, struct slice_member *members, size_t count);
/* The element after *element (which begins as {0}); false at the end, or in what is no array. */
bool slice_next(struct slice array, struct slice *element);
/* True for the text of a JSON string, of a JSON number. */
bool slice_is_string(struct slice s);
bool slice_is_number(struct slice s);

#endif
