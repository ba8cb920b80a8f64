#include "config.h"

#include "core/past_end.h"
#include "core/words.h"
#include <string.h>

/* What runtimes print when a read meets the end of the input. All words of a row must be
 * there: "end of file" alone is also said of broken files and open quotes. */
static const struct sign {
    const char *word, *also;
} signs[] = {
    {"EOFError", "input("},                          /* Python */
    {"EOFError: EOF when reading a line", ""},       /* Python, the line not shown */
    {"end of file reached (EOFError)", ""},          /* Ruby: readline, sysread */
    {"java.util.NoSuchElementException", "Scanner"}, /* Java, Kotlin, Scala */
    {"kotlin.io.ReadAfterEOFException", ""},         /* Kotlin: readln */
    {"hGetLine: end of file", ""},                   /* Haskell */
    {"Prelude.getLine: end of file", ""},            /* Haskell, older */
    {"Fatal error: exception End_of_file", ""},      /* OCaml */
};

static bool
has(const char *text, size_t len, const char *word)
{
    return memmem(text, len, word, strlen(word)) != NULL;
}

static bool
says(const char *text, size_t len)
{
    for (size_t i = 0; i < COUNT_OF(signs); i++)
        if (has(text, len, signs[i].word) && has(text, len, signs[i].also))
            return true;
    return false;
}

const char *
past_end_words(struct arena *a, const struct plan_step *step, const struct step_seen *seen)
{
    const struct stream *err = &seen->err;
    size_t len = step->input ? step->input_len : 0, lines = 0;

    if (seen->end != STEP_EXITED || seen->exit_code == 0 || seen->input_read < seen->input_bytes)
        return NULL;
    if (!says(err->head, err->head_len) && !says(err->tail, err->tail_len))
        return NULL;
    if (len == 0)
        return "The program reads from stdin, but `input` was empty.";
    for (size_t i = 0; i < len; i++)
        lines += step->input[i] == '\n' || i + 1 == len;
    return arena_printf(a,
                        "The program read past the end of its input: `input` has %s, and it "
                        "wanted more.",
                        words_count(a, lines, "line", "lines"));
}
