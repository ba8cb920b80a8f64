/* wire.h - the frames between a worker and the agent (PID 1 of a sandbox), in both
 * directions over the container's attach stream. libc only; compiled into both ends.
 *
 * A frame is a 28-byte header and at most WIRE_PAYLOAD_MAX bytes; numbers are little
 * endian:
 *     magic[4] type[1] zero[3] length[4] call[8] seq[4] check[4] payload[length]
 * `call` is the worker's random number for the call; `seq` counts the frames of that
 * call from 0; `check` is the CRC-32 (IEEE 802.3) of the header without the check
 * field, then the payload.
 *
 * A call is staged, then run:
 *     worker: BEGIN, (FILE, DATA...)*, (STDIN, DATA...  STEP)*, RUN
 *     agent:  ACCEPTED or REFUSED; then PROGRESS*, (STEP_END, OUT...)*, DONE
 * Nothing is written or run before RUN has arrived with all frames before it intact;
 * a call sent twice is run once (the agent remembers the 16 newest call numbers). Each
 * RUN gets one answer, and frames of calls that are not being staged are ignored.
 *
 * A reader that meets bytes which are no intact frame drops one byte and looks for the
 * next magic. After WIRE_STALE_MS of silence the agent also looks for intact frames
 * behind the beginning of a half one, so what a killed worker left behind never swallows
 * the next worker's frames, and a worker that is merely slow loses nothing. A worker
 * that gets no answer to RUN within WIRE_ANSWER_MS sends the whole call again.
 *
 * When nobody takes the agent's frames for 5 s it drops those that are left of the call;
 * the call goes on, and its fate can be asked for by the next. */
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WIRE_HEADER = 28,
    WIRE_PAYLOAD_MAX = 32768,
    WIRE_FRAME_MAX = WIRE_HEADER + WIRE_PAYLOAD_MAX,
    WIRE_ANSWER_MS = 1000,
    WIRE_STALE_MS = 100,
};

enum wire_type {
    /* worker -> agent */
    WIRE_BEGIN = 1,  /* u32 flags (enum wire_begin_flags), u64 previous call (0: none), u32 n, n x
                      * str watched path (files or directories whose change means "installed") */
    WIRE_FILE = 2,   /* u32 mode, u64 size, str absolute path; then DATA frames of `size` bytes */
    WIRE_STDIN = 3,  /* u64 size; then DATA frames; belongs to the next STEP */
    WIRE_DATA = 4,   /* raw bytes */
    WIRE_STEP = 5,   /* u32 timeout_ms, u32 head_bytes, u32 tail_bytes, u32 has_input, str cwd,
                      * u32 argc, argc x str, u32 envc, envc x str "NAME=value" */
    WIRE_RUN = 6,    /* u32 number of frames of this call before this one */
    WIRE_CANCEL = 7, /* empty: kill what the call in the header runs */
    /* agent -> worker */
    WIRE_ACCEPTED = 65, /* u32 again (0: taken now, 1: it runs already, its results will follow, 2:
                         * it has ended already, its results are not sent again), then the fate of
                         * the previous call named in BEGIN, with again = 2 of this call itself:
                         * u32 state (enum wire_fate), i32 exit of the last step that was to run
                         * (-1: a file could not be written, 126, 127: not started), i32 signal,
                         * u32 timed_out, u64 wall_us of the whole call, str log path */
    WIRE_REFUSED = 66,  /* u32 reason (enum wire_refusal), u64 running call, u64 its age in ms,
                         * str text */
    WIRE_PROGRESS = 67, /* u64 bytes of stdout, u64 of stderr, u64 elapsed_ms, str last line */
    WIRE_STEP_END = 68, /* u32 index, u32 end (enum wire_end), i32 exit, i32 signal, i32 errno,
                         * u64 wall_us, u64 peak_bytes, u64 input_bytes, u64 input_read,
                         * then twice (stdout, stderr): u64 seen, u64 head_len, u64 tail_len,
                         * str log path ("" when the whole was not kept) */
    WIRE_OUT = 69,      /* u32 index, u32 stream (1, 2), u32 part (0 head, 1 tail), raw bytes; the
                         * parts of one stream come in order */
    WIRE_DONE = 70,     /* u32 oom kills, u32 changed (0 no, 1 yes, 2 unknown), u32 cancelled,
                         * i32 file errno, str file path ("" unless a file could not be written),
                         * u32 n (all still running), u32 m (listed, <= 8), m x (u32 pid, str cmd) */
};

enum wire_begin_flags {
    WIRE_WANTS_PROGRESS = 1,
    WIRE_QUIET = 2, /* a look at the machine: no logs are kept, no change is looked for */
};

enum wire_fate {
    WIRE_FATE_NOT_ASKED,
    WIRE_FATE_UNKNOWN, /* this agent never saw it, or has forgotten it */
    WIRE_FATE_STAGED,  /* it began to arrive and was never run */
    WIRE_FATE_FINISHED,
    WIRE_FATE_CANCELLED,
};

enum wire_refusal {
    WIRE_REFUSED_BROKEN = 1, /* frames are missing or damaged: send the call again */
    WIRE_REFUSED_BUSY = 2,   /* another call runs: its DONE will be heard; then send again */
    WIRE_REFUSED_BAD = 3,    /* intact but not understood, or over a limit: text says why */
};

enum wire_end {
    WIRE_END_EXITED,
    WIRE_END_SIGNALED,
    WIRE_END_TIMED_OUT,
    WIRE_END_CANCELLED,
    WIRE_END_NOT_STARTED,
    WIRE_END_NOT_RUN,
};

struct wire_frame {
    uint8_t type;
    uint64_t call;
    uint32_t seq;
    const uint8_t *payload; /* borrowed from the reader, valid until its next use */
    size_t len;
};

/* ---- writing --------------------------------------------------------------------- */

/* Writes header and payload to out (room for WIRE_HEADER + len bytes); returns the
 * frame's size, or 0 when len is over WIRE_PAYLOAD_MAX. */
size_t wire_encode(uint8_t *out, uint8_t type, uint64_t call, uint32_t seq, const void *payload,
                   size_t len);

/* A payload under construction in a caller's array. `bad` is set, and nothing more
 * stored, once it would overflow. */
struct wire_put {
    uint8_t *at;
    size_t len, cap;
    bool bad;
};
void wire_put_u32(struct wire_put *p, uint32_t n);
void wire_put_u64(struct wire_put *p, uint64_t n);
void wire_put_bytes(struct wire_put *p, const void *bytes, size_t len); /* raw, no length */
void wire_put_str(struct wire_put *p, const char *s, size_t len);       /* u32 length, bytes */

/* ---- reading --------------------------------------------------------------------- */

/* Takes a payload apart. A read past the end sets `bad` and gives 0 or an empty string. */
struct wire_get {
    const uint8_t *at;
    size_t left;
    bool bad;
};
uint32_t wire_get_u32(struct wire_get *g);
uint64_t wire_get_u64(struct wire_get *g);
const char *wire_get_str(struct wire_get *g, size_t *ret_len); /* borrowed, not NUL-ended */

/* Finds frames in a byte stream. buf holds WIRE_FRAME_MAX bytes or more. */
struct wire_reader {
    uint8_t *buf; /* owned by the caller */
    size_t cap, start, end;
    uint64_t dropped; /* bytes that belonged to no intact frame */
};
void wire_reader_init(struct wire_reader *r, uint8_t *buf, size_t cap);
/* Room for more input: write at most *ret_len bytes at the returned place, then call
 * wire_reader_fed with how many. There is always room after wire_next returned false. */
uint8_t *wire_reader_room(struct wire_reader *r, size_t *ret_len);
void wire_reader_fed(struct wire_reader *r, size_t len);
/* The next intact frame; false when more bytes are needed. */
bool wire_next(struct wire_reader *r, struct wire_frame *ret);
/* True while bytes of an unfinished frame are held. */
bool wire_reader_partial(const struct wire_reader *r);
/* Gives the unfinished frame up: its first byte is dropped and the rest searched again. */
void wire_reader_skip(struct wire_reader *r);
/* Gives it up only if an intact frame lies behind its beginning, up to that frame. True: so it
 * was, and wire_next has it. */
bool wire_reader_resync(struct wire_reader *r);

uint32_t wire_crc32(uint32_t crc, const void *bytes, size_t len); /* start with 0 */

#endif
