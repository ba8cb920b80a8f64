/* code_blocks.h - the fenced code blocks of a Markdown text (https://spec.commonmark.org/0.31.2/,
 * "Fenced code blocks"), read as chat programs show them: a fence may be indented at will, as in
 * the items of a list. What a model thinks first, between <think> and </think>, is not part of the
 * text. Pure; time is linear in the text. */
#ifndef CORE_CODE_BLOCKS_H
#define CORE_CODE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum { CODE_BLOCKS_MAX = 64 };

struct code_block {
    const char *tag; /* first word behind the fence; borrowed from the text */
    size_t tag_len;
    const char *code; /* its lines, each with its end; borrowed */
    size_t len;
    size_t indent; /* blanks before the fence: as many are no part of each line */
};

struct code_blocks {
    struct code_block list[CODE_BLOCKS_MAX]; /* the first ones */
    size_t count;
    bool thinking; /* the text ends before the thinking does */
    bool blank;    /* there is no text but blanks, and perhaps thinking */
    /* The fence that is still open at the end: its character and length; length 0: none. */
    char open_char;
    size_t open_len;
};

void code_blocks_find(const char *text, size_t len, struct code_blocks *ret);
/* True when the block holds this code: blanks at line ends, line ends' form, and blank lines around
 * the whole do not count. */
bool code_block_is(const struct code_block *b, const char *code, size_t len);
/* The length of a fence of backticks that no line of the code can end: at least 3. */
size_t code_fence_length(const char *code, size_t len);

#endif
