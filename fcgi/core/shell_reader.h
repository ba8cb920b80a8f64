/* shell_reader.h - the reader behind hint_command.h, for its own files: shell_word.c (quotes and
 * expansions), shell_redirect.c, hint_command.c (commands). Pure. */
#ifndef CORE_SHELL_READER_H
#define CORE_SHELL_READER_H

#include "core/hint_command.h"

enum {
    DEPTH_MAX = 4,
    NESTED_MAX = 8,
    HEREDOCS_MAX = 4,
    WORD_BYTES = 2048,
    TEXT_BYTES = 200,
};

struct inner {
    const char *at;
    size_t len;
};

/* A command line being read. */
struct reader {
    struct arena *a;
    struct shell_script *s;
    const char *start, *at, *end;
    const char *cwd;
    unsigned level;
    struct shell_command c; /* the one being read */
    const char *begin;      /* of its text */
    enum shell_join joined;
    bool case_head;                 /* between case and in: words are patterns */
    struct inner inner[NESTED_MAX]; /* $(...) of this command */
    size_t inner_count;
    struct {
        const char *word;
        size_t len;
        bool tabs;
    } heredocs[HEREDOCS_MAX];
    size_t heredoc_count;
};

static inline bool
shell_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Adds the name of a variable, once. */
void shell_note_name(struct arena *a, const char **names, size_t *count, const char *at,
                     size_t len);
/* Behind the bracket that closes the one at `at`, quotes respected; end when none does. */
const char *shell_past(const char *at, const char *end, char open, char close);
/* Remembers the text of a $(...) of this command, to be read after it. */
void shell_add_inner(struct reader *r, const char *at, const char *end);
/* True at a character that no word goes on with. */
bool shell_ends_word(char c);
/* The word at r->at, without its quotes. */
struct shell_word shell_read_word(struct reader *r);
/* Over blanks and continued lines. */
void shell_skip_blanks(struct reader *r);
/* Over the here-documents whose marks have been read: at the end of a line. */
void shell_skip_heredocs(struct reader *r);
/* At < or >, or at a digit or & before one. */
void shell_read_redirection(struct reader *r);

#endif
