/* guard.c - see agent.h. The Engine's own filter differs with its version: before 23 it lets a
 * sandbox open AF_VSOCK, which no network namespace holds and which ends at the hypervisor of a
 * virtual host, and io_uring, whose requests no filter sees. Families that a chat has no use for
 * are doors to modules of the host's kernel. */
#include "agent.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
enum { NATIVE = (int)AUDIT_ARCH_X86_64, X32_BIT = 0x40000000 };
/* i386, which the same kernel may run; its socketcall hides the family behind a pointer */
enum { OTHER_SOCKET = 359, OTHER_SOCKETPAIR = 360, OTHER_SOCKETCALL = 102 };
#elif defined(__aarch64__)
enum { NATIVE = (int)AUDIT_ARCH_AARCH64, X32_BIT = 0 };
enum { OTHER_SOCKET = 281, OTHER_SOCKETPAIR = 288, OTHER_SOCKETCALL = 102 };
#else
#error "guard.c: the numbers of this architecture's system calls are wanted"
#endif

/* io_uring_setup, _enter, _register: the same numbers on all of them */
enum { URING_FIRST = 425, URING_LAST = 427 };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, then, otherwise)                                                           \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), then, otherwise)
#define IF_ABOVE(value, then, otherwise)                                                           \
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (unsigned)(value), then, otherwise)
#define ANSWER(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

/* A jump says how many instructions it skips; the comments number them. */
static struct sock_filter filter[] = {
    /*  0 */ LOAD(nr),
    /*  1 */ BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(unsigned)X32_BIT),
    /*  2 */ IF_ABOVE(URING_LAST, 17, 0),      /* to 20 */
    /*  3 */ IF_ABOVE(URING_FIRST - 1, 17, 0), /* to 21 */
    /*  4 */ BPF_STMT(BPF_MISC | BPF_TAX, 0),
    /*  5 */ LOAD(arch),
    /*  6 */ IF_EQUAL(NATIVE, 0, 3), /* else to 10 */
    /*  7 */ BPF_STMT(BPF_MISC | BPF_TXA, 0),
    /*  8 */ IF_EQUAL(SYS_socket, 5, 0),      /* to 14 */
    /*  9 */ IF_EQUAL(SYS_socketpair, 4, 10), /* to 14, else to 20 */
    /* 10 */ BPF_STMT(BPF_MISC | BPF_TXA, 0),
    /* 11 */ IF_EQUAL(OTHER_SOCKET, 2, 0),     /* to 14 */
    /* 12 */ IF_EQUAL(OTHER_SOCKETPAIR, 1, 0), /* to 14 */
    /* 13 */ IF_EQUAL(OTHER_SOCKETCALL, 7, 6), /* to 21, else to 20 */
    /* 14 */ LOAD(args[0]),                    /* its low half: little-endian, all of them */
    /* 15 */ IF_EQUAL(AF_UNIX, 4, 0),
    /* 16 */ IF_EQUAL(AF_INET, 3, 0),
    /* 17 */ IF_EQUAL(AF_INET6, 2, 0),
    /* 18 */ IF_EQUAL(AF_NETLINK, 1, 0), /* ip, and name look-ups */
    /* 19 */ ANSWER(EAFNOSUPPORT),
    /* 20 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    /* 21 */ ANSWER(ENOSYS),
};

void
guard_start(void)
{
    struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};

    /* the Engine has set it in a sandbox; without it only a privileged process may have a filter */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
