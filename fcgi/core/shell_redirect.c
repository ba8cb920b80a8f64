#include "config.h"

#include "core/shell_reader.h"
#include <string.h>

void
shell_skip_blanks(struct reader *r)
{
    while (r->at < r->end) {
        if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
            r->at++;
        else if (*r->at == '\\' && r->at + 1 < r->end && r->at[1] == '\n')
            r->at += 2;
        else
            return;
    }
}

static void
read_heredoc_mark(struct reader *r, bool tabs)
{
    struct shell_word w;

    shell_skip_blanks(r);
    w = shell_read_word(r);
    r->c.has_input = true;
    if (r->heredoc_count == HEREDOCS_MAX)
        return;
    r->heredocs[r->heredoc_count].word = w.text;
    r->heredocs[r->heredoc_count].len = strlen(w.text);
    r->heredocs[r->heredoc_count++].tabs = tabs;
}

/* Bodies of the here-documents of the line that just ended. */
void
shell_skip_heredocs(struct reader *r)
{
    for (size_t i = 0; i < r->heredoc_count; i++) {
        while (r->at < r->end) {
            const char *line = r->at, *stop = memchr(line, '\n', (size_t)(r->end - line));

            stop = stop ? stop : r->end;
            r->at = stop < r->end ? stop + 1 : stop;
            while (r->heredocs[i].tabs && line < stop && *line == '\t')
                line++;
            if ((size_t)(stop - line) == r->heredocs[i].len &&
                memcmp(line, r->heredocs[i].word, r->heredocs[i].len) == 0)
                break;
        }
    }
    r->heredoc_count = 0;
}

static void
read_output_target(struct reader *r, char fd, bool append, bool both)
{
    struct shell_word w;
    bool gone;

    shell_skip_blanks(r);
    w = shell_read_word(r);
    gone = strcmp(w.text, "/dev/null") == 0;
    if (fd == '2') {
        r->c.err_gone = gone;
        if (strcmp(w.text, "/dev/stdout") == 0)
            r->c.err_to_out = true;
        return;
    }
    if (fd != '1')
        return;
    r->c.out_gone = gone;
    r->c.out_path = w.plain && !gone ? w.text : NULL;
    r->c.out_append = append;
    if (both)
        r->c.err_gone = gone;
}

/* At < or >, or at a digit or & before one. */
void
shell_read_redirection(struct reader *r)
{
    char fd = *r->at == '<' ? '0' : '1';
    bool both = false;

    if (*r->at == '&') {
        both = true;
        r->at++;
    } else if (*r->at >= '0' && *r->at <= '9') {
        fd = *r->at++;
    }
    if (*r->at == '<') {
        r->at++;
        if (r->at < r->end && *r->at == '<') {
            r->at++;
            if (r->at < r->end && *r->at == '<') {
                r->at++;
                shell_skip_blanks(r);
                shell_read_word(r);
                r->c.has_input = true;
                return;
            }
            both = r->at < r->end && *r->at == '-';
            r->at += both;
            read_heredoc_mark(r, both);
            return;
        }
        if (r->at < r->end && *r->at == '(') { /* <(...) is a word */
            const char *from = r->at;

            r->at = shell_past(r->at, r->end, '(', ')');
            shell_add_inner(r, from + 1, r->at - 1);
            return;
        }
        if (r->at < r->end && (*r->at == '&' || *r->at == '>'))
            r->at++;
        shell_skip_blanks(r);
        {
            struct shell_word w = shell_read_word(r);

            r->c.has_input = strcmp(w.text, "/dev/null") != 0;
            r->c.in_path = w.plain && r->c.has_input ? w.text : NULL;
        }
        return;
    }
    r->at++;
    if (r->at < r->end && *r->at == '>') {
        r->at++;
        read_output_target(r, fd, true, both);
    } else if (r->at < r->end && *r->at == '&') {
        r->at++;
        if (r->at < r->end && *r->at == '1' && fd == '2')
            r->c.err_to_out = true;
        shell_read_word(r);
    } else {
        if (r->at < r->end && *r->at == '|')
            r->at++;
        read_output_target(r, fd, false, both);
    }
    if (both && !r->c.out_gone)
        r->c.err_to_out = true;
}
