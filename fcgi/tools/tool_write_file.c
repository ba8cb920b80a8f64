#include "config.h"

#include "tools/repair.h"
#include "tools/tool.h"
#include <string.h>

enum { PATH_BYTES = 1000, NAME_BYTES = 255 };

struct write_file_args {
    const char *path, *content;
};

static const struct field args[] = {
    TEXT_FIELD(struct write_file_args, path, .required = true, .min = 1, .max = PATH_BYTES,
               .aliases = "file filename file_name file_path filepath",
               .doc = "where to write; relative to /work"),
    TEXT_FIELD(struct write_file_args, content, .required = true, .max = INT32_MAX,
               .json = FIELD_JSON_NOTED,
               .aliases = "contents text data file_content file_text file_contents body",
               .doc = "the whole new text of the file"),
};

static void
fit(const struct tool_context *c, struct arena *a, struct field *fields)
{
    (void)a;
    fields[1].max = (int64_t)c->content_max_bytes;
    fields[1].too_long = "Nothing was written. Write it in smaller parts, or let run make the data "
                         "on the machine (a short program, curl -o FILE URL).";
}

/* Appends the parts of a path to out, "." and ".." resolved; false: a name is too long. */
static bool
join(char *out, size_t *len, const char *path)
{
    while (*path) {
        size_t n = strcspn(path, "/");

        if (n > NAME_BYTES)
            return false;
        if (n == 2 && path[0] == '.' && path[1] == '.') {
            while (*len > 0 && out[--*len] != '/')
                ;
        } else if (n > 0 && !(n == 1 && path[0] == '.')) {
            out[(*len)++] = '/';
            memcpy(out + *len, path, n);
            *len += n;
        }
        path += n;
        path += *path == '/';
    }
    out[*len] = '\0';
    return true;
}

static bool
is_folder(const char *path)
{
    static const char *const folders[] = {"/work", "/root", "/tmp", "/etc", "/home",
                                          "/usr",  "/var",  "/opt", "/srv"};

    for (size_t i = 0; i < COUNT_OF(folders); i++)
        if (strcmp(path, folders[i]) == 0)
            return true;
    return path[0] == '\0';
}

static bool
is_home(const char *path)
{
    return path[0] == '~' && (path[1] == '/' || path[1] == '\0');
}

static const char *
trim(const char *text, struct arena *a)
{
    size_t len;

    text += strspn(text, " \t\r\n");
    len = strlen(text);
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;
    return arena_strndup(a, text, len);
}

static bool
has_control(const char *path)
{
    for (; *path; path++)
        if ((unsigned char)*path < ' ' || *path == 0x7f)
            return true;
    return false;
}

/* Relative -> under /work, "~/" -> /root/, "." and ".." and "//" resolved. NULL: refused. */
static const char *
absolute(const char *given, struct arena *a, struct fault *f)
{
    const char *path = trim(given, a), *base = "";
    size_t len = strlen(path), used = 0;
    char *out = arena_alloc(a, len + sizeof "/work/");

    if (is_home(path))
        base = "root";
    else if (path[0] != '/')
        base = "work";
    if (len == 0) {
        fault_set(f, FAULT_ARGUMENT, "Argument \"path\" is empty.");
    } else if (has_control(path)) {
        fault_set(f, FAULT_ARGUMENT,
                  "Argument \"path\" holds a line break or another control character; it must be "
                  "the name "
                  "of one file.");
    } else if (!join(out, &used, base) || !join(out, &used, is_home(path) ? path + 1 : path)) {
        fault_set(f, FAULT_ARGUMENT, "Argument \"path\" has a name of more than 255 bytes in it.");
    } else if (path[len - 1] == '/' || is_folder(out)) {
        fault_set(f, FAULT_ARGUMENT,
                  "Argument \"path\" is a folder (%.100s). It must end in a file name.", path);
        fault_hint(f, "Folders are made as needed.");
    } else {
        return out;
    }
    return NULL;
}

/* A fence around a whole program is never meant; around a Markdown or text file it may be. */
static bool
is_program(const struct languages *l, const char *path)
{
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < l->count; i++) {
        const char *known = strrchr(l->rows[i].file, '.');

        if (known && strcmp(dot, known) == 0)
            return true;
    }
    return false;
}

static bool
plan(const struct tool_context *c, const void *opaque, struct arena *a, struct plan *ret,
     struct fault *f)
{
    const struct write_file_args *in = opaque;
    const char *path = absolute(in->path, a, f), *content = in->content, *inner;

    if (!path)
        return false;
    inner = is_program(c->languages, path) ? repair_fence(content, a) : NULL;
    if (inner) {
        content = inner;
        plan_note(ret, "The Markdown fence (```) around the content was removed.");
    }
    ret->kind = PLAN_WRITE_FILE;
    ret->files[ret->file_count++] = (struct plan_file){
        .path = path,
        .bytes = content,
        .len = strlen(content),
        .mode = strncmp(content, "#!", 2) == 0 ? 0755 : 0644,
    };
    return true;
}

extern const struct tool tool_write_file;
const struct tool tool_write_file = {
    .name = "write_file",
    .title = "Write a file",
    .doc = "Write a text file on the machine. Replaces it if it exists; makes missing folders.",
    .args = args,
    .arg_count = COUNT_OF(args),
    .arg_bytes = sizeof(struct write_file_args),
    .fit = fit,
    .plan = plan,
    .example = "{\"path\": \"notes.txt\", \"content\": \"hello\\n\"}",
};
