/* git. */
#include "config.h"

#include "core/hint_tables.h"
#include <string.h>

static bool
look_repository(struct hint *h)
{
    h->fact[0] = hint_ask(h, FACT_PATH, "/work/.git");
    return true;
}

static bool
say_repository(struct hint *h, struct buf *b)
{
    const char *const *at = hint_facts(h, h->fact[0], "at");
    const char *slash = at[0] ? strrchr(at[0], '/') : NULL;

    if (slash && slash != at[0])
        buf_printf(b,
                   "This folder is no git repository. One is here: %s. Go there in the same "
                   "command: cd %.*s && %s.",
                   hint_shown(b->arena, arena_strndup(b->arena, at[0], (size_t)(slash - at[0]))),
                   (int)(slash - at[0]), at[0], h->command->text);
    else
        buf_printf(b,
                   "This folder is no git repository. Make it one: git init. Each call starts in "
                   "/work; go to a repository in the same "
                   "command: cd FOLDER && %s.",
                   h->command->text);
    return true;
}

static const struct hint_rule rows[] = {
    {"git-identity", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "Author identity unknown|Please tell me who you are|empty ident name",
     .text = "git knows no name and address here: nothing was committed. Set them, then commit "
             "again: git config --global user.name NAME && git "
             "config --global user.email NAME@example.org."},
    {"git-no-repository", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "not a git repository", .look = look_repository, .say = say_repository},
    {"git-nothing-staged", FAMILY_CAUSE, ON_ERROR, .programs = "git", .from = FROM_OUT,
     .pattern = "no changes added to commit|nothing added to commit but untracked files present",
     .text = "Nothing was committed: the changes were not added. Add them first: git add -A && git "
             "commit -m 'MESSAGE'."},
    {"git-empty", FAMILY_CAUSE, ON_FAIL, .programs = "git", .from = FROM_OUT,
     .pattern = "nothing to commit \\(create/copy files",
     .text =
         "There is no file to commit yet. Write a file first, then: git add -A && git commit -m "
         "'MESSAGE'."},
    {"git-clean", FAMILY_CAUSE, ON_FAIL, .programs = "git", .from = FROM_OUT,
     .pattern = "nothing to commit, working tree clean",
     .text = "There was nothing to commit: all changes are committed already (exit code 1 means "
             "only that). See the last commit: git log -1 --stat."},
    {"git-credentials", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "could not read (?:Username|Password) for '([^'\n]+)'|Authentication failed for "
                "'([^'\n]+)'|terminal prompts disabled|Repository not found",
     .text = "The repository does not exist or is not public, and nobody can type a password here. "
             "Check the address: git ls-remote URL."},
    {"git-publickey", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "Permission denied \\(publickey|Host key verification failed",
     .text = "The server wants a key that this machine does not have. For a public repository use "
             "its https address: git clone https://HOST/OWNER/NAME.git."},
    {"git-rejected", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "\\[rejected\\]|Updates were rejected|\\(non-fast-forward\\)|fetch first",
     .text = "The other side has commits that are missing here. Take them first: git pull "
             "--rebase. Then push again."},
    {"git-unrelated", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "refusing to merge unrelated histories",
     .text = "The two histories have no common start. To join them all the same: git pull "
             "--no-rebase --allow-unrelated-histories."},
    {"git-diverged", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "Need to specify how to reconcile divergent branches",
     .text = "Both sides have new commits. Say how to join them: git pull --rebase."},
    {"git-owner", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "detected dubious ownership in repository at '([^'\n]+)'",
     .text = "The folder belongs to another user, so git refuses it. Allow it: git config --global "
             "--add safe.directory {1}."},
    {"git-no-commit", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "does not have any commits yet|src refspec (\\S+) does not match any|ambiguous "
                "argument 'HEAD'|Failed to resolve 'HEAD'|bad revision 'HEAD",
     .text = "There is no commit yet, or no such branch. Commit first: git add -A && git commit -m "
             "'MESSAGE'. See the branches: git branch -a."},
    {"git-pathspec", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "pathspec '([^'\n]+)' did not match any",
     .text = "git knows no file and no branch {1}. See what there is: git status --short; git "
             "branch -a. A new branch: git switch -c {1}."},
    {"git-conflict", FAMILY_CAUSE, ON_ERROR, .programs = "git", .from = FROM_OUT,
     .pattern = "CONFLICT \\([^)\n]*\\): Merge conflict in ([^\n]+)|Merge conflict in "
                "(\\S+)|unmerged files",
     .text = "Both sides changed the same lines of {1}{2}. Write the file without the lines "
             "<<<<<<<, ======= and >>>>>>>, then: git add -A && git commit --no-edit."},
    {"git-local-changes", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "Your local changes to the following files would be overwritten|Please commit your "
                "changes or stash them",
     .text = "Changed files would be overwritten. Commit them first: git add -A && git commit -m "
             "'MESSAGE'. Or put them aside: git stash."},
    {"git-no-remote", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "No configured push destination|'(\\S+)' does not appear to be a git "
                "repository|has no upstream branch|No such remote",
     .text = "There is no place to push to. Add one: git remote add origin URL. Then: git push -u "
             "origin HEAD."},
    {"git-lock", FAMILY_CAUSE, ON_ERROR, .programs = "git",
     .pattern = "Unable to create '([^'\n]+\\.lock)': File exists",
     .text = "A git command was stopped in the middle and left its lock. When no git runs: rm {1}. "
             "Then run the command again."},
};

const struct hint_table hint_table_git = {rows, COUNT_OF(rows)};
