/*
 * Probe of the C library's clocks, for Chronoscope. What it is asked and what it answers: ../PROTOCOL.md.
 *
 *     cc -O2 -o probe probe.c -lpthread && ./probe REQUEST
 *
 * Decisions:
 *
 * - Every loop is made by the macro LOOPS, once for each clock. A clock is called through a pointer, into a zeroed result,
 *   like the native code that it is compared with: surrounding code changes the cost of a read by a cycle or two. A
 *   reading is converted to the ticks of its clock as users do it (seconds times 10^9 plus nanoseconds) and added to a
 *   sum. The functions are not inlined, so their callers cannot change a loop's code.
 * - The lane `nothing` reads a volatile, which the compiler may neither leave out nor take out of the loop.
 * - A latch is a mutex and a condition. Threads count themselves under the mutex, so that the opener knows that all of
 *   them wait. They take the mutex again one by one behind the broadcast: that belongs to such a latch.
 * - The thread whose call ends last stamps the end of a release itself. What it takes to wake the opener does not
 *   count.
 * - Concurrent threads read for CONCURRENT_LEAD_NS before its batches begin, at one time for all: released threads may share a CPU
 *   until the scheduler parts them.
 * - A sweep's threads are called one by one and meet at a counter: they spin there, as a thread that must be woken
 *   comes late, and give way only after a while. The probe's own thread is the first of them and needs no wake-up.
 * - Arrays are written once before they are used, so that no page fault falls between two reads.
 * - A clock or way that this C library lacks is left out where the headers say so.
 * - What is allocated for a task is not freed: the process ends behind it.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* usleep, clock_nanosleep and timespec_get also under -std=c11 */
#endif

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#define NOINLINE __attribute__((noinline))
#define NORETURN __attribute__((noreturn))
#define LENGTH(ARRAY) (sizeof(ARRAY) / sizeof((ARRAY)[0]))
#define SECOND_NS INT64_C(1000000000)
#define MILLISECOND_NS INT64_C(1000000)

enum {
    CHUNK_READS = 256, /* reads between two looks at the time, while steps are awaited */
    STEPS_AT_LEAST = 10,
    WARM_BATCHES_KEPT = 200,
    CHECKS = 5,
    ROUNDS_AT_LEAST = 3,
    CONCURRENT_BATCHES = 4000,
    CONCURRENT_LEAD_NS = 10000000,
    ITERATION_BATCHES = 200,
    MEETING_NS = 2000000, /* then a thread that waits for others gives way */
    PAUSES_A_TURN = 200,
    PAUSE_TURN_NS = 20000000,
    LATCH_TURNS_AT_LEAST = 3,
    LATCH_TURNS = 400,
    SERIAL_CALLS_PER_THREAD = 10,
    WORK_AT_LEAST = 16, /* steps of work between readings at irregular times */
    CHANGES_TIMED = 4,  /* of the timer, while such work is timed */
    RANDOM_SHIFT = 33 /* the upper bits of the work's state are random */
};

static const uint64_t READS_MAX = UINT64_C(1) << 30;

/* ---- ends and memory ---- */

static NORETURN void fail(int code, const char *what, const char *which) {
    fflush(stdout);
    fprintf(stderr, "probe.c: %s%s\n", what, which);
    exit(code);
}

static void *room_for(uint64_t count, size_t size) {
    void *memory = calloc(count ? (size_t)count : 1, size);
    if (memory == NULL)
        fail(1, "no memory", "");
    return memory;
}

/* As room_for, but with every page there. */
static void *touched_room_for(uint64_t count, size_t size) {
    void *memory = room_for(count, size);
    memset(memory, 0xff, (size_t)count * size);
    return memory;
}

/* ---- the request ---- */

enum key { PROTOCOL, READS, READINGS, SPREAD_NS, THREADS, BATCH_NS, WARM_MS, LANES_MS, STEPS, STEPS_MS, CONCURRENT_MS, ROTATION, BUDGET_MS,
           ITERATION_NS, KEYS };
enum list { LENGTHS_NS, TOKENS, THREADS_LIST, WANTED_CLOCKS, LISTS };

/* The largest values: products of them still fit 63 bits. */
static const struct {
    const char *name;
    uint64_t most;
} KEY[KEYS] = {
    { "protocol", UINT64_MAX },       { "reads", UINT64_C(1) << 30 },   { "readings", UINT64_C(1) << 30 },
    { "spread_ns", 1000000000 },      { "threads", CONCURRENT_BATCHES },
    { "batch_ns", 1000000000000 },    { "warm_ms", 1000000000 },        { "lanes_ms", 1000000000 },
    { "steps", UINT64_C(1) << 30 },   { "steps_ms", 1000000000 },       { "concurrent_ms", 1000000000 },
    { "rotation", UINT64_MAX },       { "budget_ms", 1000000000 },
    { "iteration_ns", 1000000000000 },
};
static const struct {
    const char *name;
    uint64_t most;
} LIST[LISTS] = {
    { "lengths_ns", 1000000000000 },
    { "tokens", UINT64_C(1) << 30 },
    { "threads_list", CONCURRENT_BATCHES },
    { "clocks", UINT64_MAX },
};

struct list_given {
    uint64_t *at;
    size_t count;
    bool given;
};

static struct {
    uint64_t value[KEYS];
    bool given[KEYS];
    char task[16];
    struct list_given list[LISTS];
} request;

static uint64_t need(enum key key) {
    if (!request.given[key])
        fail(2, "invalid request: it lacks ", KEY[key].name);
    if (request.value[key] > KEY[key].most)
        fail(2, "invalid request: too large: ", KEY[key].name);
    return request.value[key];
}

static struct list_given need_list(enum list list) {
    struct list_given given = request.list[list];
    if (!given.given)
        fail(2, "invalid request: it lacks ", LIST[list].name);
    for (size_t i = 0; i < given.count; i++)
        if (given.at[i] > LIST[list].most)
            fail(2, "invalid request: too large: ", LIST[list].name);
    return given;
}

static int64_t need_ns(enum key key) {
    return (int64_t)need(key) * MILLISECOND_NS;
}

static const char *cursor;

static char peek(void) {
    cursor += strspn(cursor, " \t\r\n");
    return *cursor;
}

static void take(char wanted) {
    if (peek() != wanted)
        fail(2, "invalid request, not a flat object of unsigned integers, strings and lists, at: ", cursor);
    cursor++;
}

static uint64_t scan_number(void) {
    uint64_t number = 0;
    peek();
    const char *begin = cursor;
    for (; *cursor >= '0' && *cursor <= '9'; cursor++) {
        uint64_t digit = (uint64_t)(*cursor - '0');
        if (number > (UINT64_MAX - digit) / 10)
            fail(2, "invalid request, a number is too large: ", begin);
        number = number * 10 + digit;
    }
    if (cursor == begin || (*begin == '0' && cursor > begin + 1))
        fail(2, "invalid request, not an unsigned integer: ", begin);
    return number;
}

/* The text is cut where it is longer than all that is known; then it is not known. */
static void scan_string(char *text, size_t room) {
    take('"');
    size_t length = strcspn(cursor, "\"\\"), kept = length < room ? length : room - 1;
    memcpy(text, cursor, kept);
    text[kept] = '\0';
    cursor += length;
    take('"'); /* fails at an escape, too */
}

static void scan_list(const char *name) {
    uint64_t *list = room_for(strlen(cursor), sizeof *list);
    size_t count = 0;
    take('[');
    while (peek() != ']') {
        if (count > 0)
            take(',');
        list[count++] = scan_number();
    }
    take(']');
    for (int i = 0; i < LISTS; i++)
        if (strcmp(name, LIST[i].name) == 0)
            request.list[i] = (struct list_given){ list, count, true };
}

static void scan_member(void) {
    char name[16], text[sizeof request.task];
    scan_string(name, sizeof name);
    take(':');
    if (peek() == '"') {
        scan_string(text, sizeof text);
        if (strcmp(name, "task") == 0)
            memcpy(request.task, text, sizeof text);
        return;
    }
    if (peek() == '[') {
        scan_list(name);
        return;
    }
    uint64_t number = scan_number();
    for (int key = 0; key < KEYS; key++)
        if (strcmp(name, KEY[key].name) == 0) {
            request.value[key] = number;
            request.given[key] = true;
        }
}

static void scan_request(const char *text) {
    cursor = text;
    take('{');
    for (bool first = true; peek() != '}'; first = false) {
        if (!first)
            take(',');
        scan_member();
    }
    take('}');
    if (peek() != '\0')
        fail(2, "invalid request, something behind its end: ", cursor);
    if (!request.given[PROTOCOL])
        fail(2, "invalid request: it lacks ", KEY[PROTOCOL].name);
    if (request.value[PROTOCOL] != 1)
        fail(3, "this probe speaks protocol 1 only", "");
}

/* ---- lists of numbers ---- */

struct numbers {
    int64_t *at;
    size_t count, room;
};

static void push(struct numbers *list, int64_t number) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->at = realloc(list->at, list->room * sizeof *list->at);
        if (list->at == NULL)
            fail(1, "no memory", "");
    }
    list->at[list->count++] = number;
}

static void print_list(const char *name, const int64_t *at, size_t count) {
    printf(",\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        printf("%s%" PRId64, i ? "," : "", at[i]);
    printf("]");
}

static void print_pairs(const char *name, int64_t (*at)[2], int count) {
    printf(",\"%s\":[", name);
    for (int i = 0; i < count; i++)
        printf("%s[%" PRId64 ",%" PRId64 "]", i ? "," : "", at[i][0], at[i][1]);
    printf("]");
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts. */
static void print_counts(const char *name, int64_t *at, size_t count) {
    if (count > 0)
        qsort(at, count, sizeof *at, compare);
    printf(",\"%s\":[", name);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && at[next] == at[i];)
            next++;
        printf("%s[%" PRId64 ",%zu]", i ? "," : "", at[i], next - i);
    }
    printf("]");
}

/* ---- clocks ---- */

static inline int64_t ns_of(struct timespec time) {
    return (int64_t)time.tv_sec * SECOND_NS + time.tv_nsec;
}

static int (*volatile get_time)(clockid_t, struct timespec *) = clock_gettime;
static int (*volatile get_time_of_day)(struct timeval *, void *) = (int (*)(struct timeval *, void *))gettimeofday;
static clock_t (*volatile get_clock)(void) = clock;

static inline int64_t read_monotonic(void) {
    struct timespec time = { 0, 0 };
    get_time(CLOCK_MONOTONIC, &time);
    return ns_of(time);
}

static inline int64_t read_realtime(void) {
    struct timespec time = { 0, 0 };
    get_time(CLOCK_REALTIME, &time);
    return ns_of(time);
}

#ifdef TIME_UTC
static int (*volatile get_timespec)(struct timespec *, int) = timespec_get;

static inline int64_t read_timespec_get(void) {
    struct timespec time = { 0, 0 };
    get_timespec(&time, TIME_UTC);
    return ns_of(time);
}
#endif

static inline int64_t read_gettimeofday(void) {
    struct timeval time = { 0, 0 };
    get_time_of_day(&time, NULL);
    return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

static inline int64_t read_clock(void) {
    return (int64_t)get_clock();
}

/* The timer. No difference of two of its readings is negative; a broken clock must not make an invalid answer. */
static inline int64_t now(void) {
    return read_monotonic();
}

static inline int64_t since(int64_t begin, int64_t end) {
    return end > begin ? end - begin : 0;
}

struct steps {
    uint64_t reads, unchanged;
    int64_t *changes;
    size_t count, wanted;
};

/* Steps of work: what is added changes, so that they cannot be merged. */
static inline uint64_t work(uint64_t state, uint64_t tokens) {
    for (; tokens > 0; tokens--)
        state = state * UINT64_C(0x5851F42D4C957F2D) + tokens;
    return state;
}

/* A lane; work and reads in turn; a chunk of reads in search of steps; consecutive readings. */
#define LOOPS(CLOCK) \
    static NOINLINE uint64_t lane_##CLOCK(uint64_t reads) { \
        uint64_t sum = 0; \
        for (; reads > 0; reads--) \
            sum += (uint64_t)read_##CLOCK(); \
        return sum; \
    } \
    static NOINLINE uint64_t sweep_##CLOCK(uint64_t operations, uint64_t tokens) { \
        uint64_t sum = 0, state = operations; \
        for (; operations > 0; operations--) { \
            state = work(state, tokens); \
            sum += (uint64_t)read_##CLOCK(); \
        } \
        return sum + state; \
    } \
    static NOINLINE void step_##CLOCK(struct steps *steps) { \
        int64_t before = read_##CLOCK(); \
        steps->reads++; \
        for (int i = 1; i < CHUNK_READS && steps->count < steps->wanted; i++) { \
            int64_t reading = read_##CLOCK(); \
            steps->reads++; \
            if (reading == before) \
                steps->unchanged++; \
            else \
                steps->changes[steps->count++] = reading - before; \
            before = reading; \
        } \
    } \
    static NOINLINE void readings_##CLOCK(int64_t *readings, uint64_t reads) { \
        for (uint64_t i = 0; i < reads; i++) \
            readings[i] = read_##CLOCK(); \
    }

LOOPS(monotonic)
LOOPS(realtime)
#ifdef TIME_UTC
LOOPS(timespec_get)
#endif
LOOPS(gettimeofday)
LOOPS(clock)

static volatile uint32_t nothing_cell;

static NOINLINE uint64_t lane_nothing(uint64_t reads) {
    uint64_t sum = 0;
    for (; reads > 0; reads--)
        sum += nothing_cell;
    return sum;
}

static NOINLINE uint64_t sweep_nothing(uint64_t operations, uint64_t tokens) {
    uint64_t state = operations;
    for (; operations > 0; operations--)
        state = work(state, tokens);
    return state;
}

typedef uint64_t lane_loop(uint64_t reads);
typedef uint64_t sweep_loop(uint64_t operations, uint64_t tokens);

struct clock {
    const char *name, *kind;
    int64_t hz, declared_hz; /* 0: not declared */
    bool has_resolution;
    clockid_t resolution_of;
    lane_loop *lane;
    sweep_loop *sweep;
    void (*step)(struct steps *);
    void (*readings)(int64_t *, uint64_t);
};

static const struct clock CLOCKS[] = {
#define OF(CLOCK) lane_##CLOCK, sweep_##CLOCK, step_##CLOCK, readings_##CLOCK
    { "clock_gettime(CLOCK_MONOTONIC)", "monotonic", SECOND_NS, 0, true, CLOCK_MONOTONIC, OF(monotonic) },
    { "clock_gettime(CLOCK_REALTIME)", "wall", SECOND_NS, 0, true, CLOCK_REALTIME, OF(realtime) },
#ifdef TIME_UTC
    { "timespec_get", "wall", SECOND_NS, 0, false, 0, OF(timespec_get) },
#endif
    { "gettimeofday", "wall", 1000000, 0, false, 0, OF(gettimeofday) },
    { "clock", "cpu", CLOCKS_PER_SEC, CLOCKS_PER_SEC, false, 0, OF(clock) },
};
enum { CLOCK_COUNT = LENGTH(CLOCKS), LANES = CLOCK_COUNT + 1 };

/* Lane 0 reads nothing, lane i clock i - 1. In the task latch the first three are the calls. */
static const char *lane_name(int lane) {
    return lane ? CLOCKS[lane - 1].name : "nothing";
}

static lane_loop *lane_of(int lane) {
    return lane ? CLOCKS[lane - 1].lane : lane_nothing;
}

static uint64_t sink;

/* ---- identity ---- */

static void check_clocks(void) {
    struct timespec time;
    struct timeval timeval;
    if (clock_gettime(CLOCK_MONOTONIC, &time) != 0 || clock_gettime(CLOCK_REALTIME, &time) != 0)
        fail(1, "clock_gettime: ", strerror(errno));
#ifdef TIME_UTC
    if (timespec_get(&time, TIME_UTC) != TIME_UTC)
        fail(1, "timespec_get does not know TIME_UTC", "");
#endif
    if (gettimeofday(&timeval, NULL) != 0)
        fail(1, "gettimeofday: ", strerror(errno));
    if (clock() == (clock_t)-1)
        fail(1, "clock does not know the CPU time", "");
}

static void print_string(const char *text) {
    putchar('"');
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == '"' || byte == '\\')
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

static void print_identity(void) {
    char version[512];
    int length =
#ifdef __clang__
        snprintf(version, sizeof version, "clang %s", __clang_version__);
#else
        snprintf(version, sizeof version, "gcc %s", __VERSION__);
#endif
    while (length > 0 && length < (int)sizeof version && version[length - 1] == ' ')
        version[--length] = '\0';
#ifdef __GLIBC__
    if (length > 0 && length < (int)sizeof version)
        snprintf(version + length, sizeof version - (size_t)length, ", glibc %s", gnu_get_libc_version());
#endif
    printf("{\"type\":\"identity\",\"protocol\":1,\"runtime\":\"C\",\"version\":");
    print_string(version);
    printf(",\"executable\":\"\",\"timer\":\"clock_gettime(CLOCK_MONOTONIC)\",\"timer_hz\":%" PRId64
           ",\"parallel\":true,\"notes\":["
           "\"A turn of a lane calls the clock through a pointer, into a zeroed result; it converts the reading to an integer of the "
           "clock's ticks and adds it to a sum.\","
           "\"The lane nothing reads a volatile variable and adds it to a sum.\","
           "\"The latch is a mutex and a condition: threads take the mutex one by one behind the broadcast.\"]}\n",
           SECOND_NS);
    fflush(stdout); /* when it is heard tells how long the start took */
}

static void print_clocks(void) {
    for (int i = 0; i < CLOCK_COUNT; i++) {
        const struct clock *clock = &CLOCKS[i];
        struct timespec resolution;
        printf("{\"type\":\"clock\",\"clock\":\"%s\",\"kind\":\"%s\",\"hz\":%" PRId64 ",\"declared_hz\":", clock->name,
               clock->kind, clock->hz);
        clock->declared_hz ? printf("%" PRId64, clock->declared_hz) : printf("null");
        printf(",\"declared_resolution_ns\":");
        if (clock->has_resolution && clock_getres(clock->resolution_of, &resolution) == 0)
            printf("%" PRId64, ns_of(resolution));
        else
            printf("null");
        printf(",\"high_resolution\":null}\n");
    }
}

/* Ticks of every clock but those of CPU time since the first call. */
static void print_elapsed(void) {
    static int64_t first[CLOCK_COUNT];
    static bool begun;
    for (int i = 0; i < CLOCK_COUNT; i++) {
        int64_t reading;
        if (strcmp(CLOCKS[i].kind, "cpu") == 0)
            continue;
        CLOCKS[i].readings(&reading, 1);
        if (!begun)
            first[i] = reading;
        printf("{\"type\":\"elapsed\",\"clock\":\"%s\",\"ticks\":%" PRId64 "}\n", CLOCKS[i].name, reading - first[i]);
        fflush(stdout); /* when it is heard is compared with it */
    }
    begun = true;
}

/* ---- task count ---- */

static void count_reads(void) {
    uint64_t reads = need(READS);
    for (int i = 0; reads > 0 && i < CLOCK_COUNT; i++) {
        sink += CLOCKS[i].lane(1);
        printf("{\"type\":\"count_begin\",\"clock\":\"%s\"}\n", CLOCKS[i].name);
        fflush(stdout);
        sink += CLOCKS[i].lane(reads);
        printf("{\"type\":\"count_end\",\"clock\":\"%s\",\"reads\":%" PRIu64 "}\n", CLOCKS[i].name, reads);
        fflush(stdout);
    }
}

/* ---- task clocks: lanes ---- */

struct lane {
    uint64_t reads;
    int64_t warm[WARM_BATCHES_KEPT][2];
    int warm_kept;
    int64_t check[CHECKS][2];
    struct numbers ticks;
};

static struct lane lanes[LANES];

static int64_t batch(int lane, uint64_t reads) {
    lane_loop *loop = lane_of(lane);
    int64_t begin = now();
    uint64_t sum = loop(reads);
    int64_t end = now();
    sink += sum;
    return since(begin, end);
}

/* One batch; true if it was long enough. */
static bool warm_batch(int i, int64_t batch_ns) {
    struct lane *lane = &lanes[i];
    int64_t ticks = batch(i, lane->reads);
    if (lane->warm_kept < WARM_BATCHES_KEPT) {
        lane->warm[lane->warm_kept][0] = (int64_t)lane->reads;
        lane->warm[lane->warm_kept++][1] = ticks;
    }
    if (ticks >= batch_ns || lane->reads >= READS_MAX)
        return true;
    lane->reads *= 2;
    return false;
}

static void warm_lanes(int first, int64_t batch_ns, int64_t warm_ns) {
    int64_t begin = now();
    for (int i = 0; i < LANES; i++)
        lanes[i].reads = 1;
    for (int turn = 0; since(begin, now()) < warm_ns; turn = (turn + 1) % LANES)
        for (int i = 0; i < LANES; i++)
            warm_batch((first + turn + i) % LANES, batch_ns);
    for (int i = 0; i < LANES; i++)
        while (!warm_batch((first + i) % LANES, batch_ns))
            ;
}

static void measure_lanes(int first, int64_t lanes_ns) {
    int64_t begin = now();
    for (int round = 0; round < ROUNDS_AT_LEAST || since(begin, now()) < lanes_ns; round++)
        for (int i = 0; i < LANES; i++) {
            int lane = (first + round % LANES + i) % LANES;
            push(&lanes[lane].ticks, batch(lane, lanes[lane].reads));
        }
    for (int check = 0; check < CHECKS; check++)
        for (int i = 0; i < LANES; i++) {
            int lane = (first + i) % LANES;
            lanes[lane].check[check][0] = batch(lane, lanes[lane].reads);
            lanes[lane].check[check][1] = batch(lane, 4 * lanes[lane].reads);
        }
}

static void print_lanes(void) {
    for (int i = 0; i < LANES; i++) {
        struct lane *lane = &lanes[i];
        printf("{\"type\":\"lane\",\"clock\":\"%s\",\"reads\":%" PRIu64, lane_name(i), lane->reads);
        print_list("ticks", lane->ticks.at, lane->ticks.count);
        print_pairs("warm", lane->warm, lane->warm_kept);
        print_pairs("check", lane->check, CHECKS);
        printf("}\n");
    }
}

/* ---- task clocks: steps, differences, readings at irregular times ---- */

static void await_steps(const struct clock *clock, uint64_t wanted, int64_t share_ns) {
    struct steps steps = { 0, 0, touched_room_for(wanted, sizeof *steps.changes), 0, (size_t)wanted };
    int64_t begin = now(), passed = 0;
    while (steps.count < steps.wanted && passed < 4 * share_ns && (passed < share_ns || steps.count < STEPS_AT_LEAST)) {
        clock->step(&steps);
        passed = since(begin, now());
    }
    printf("{\"type\":\"steps\",\"clock\":\"%s\",\"reads\":%" PRIu64 ",\"unchanged\":%" PRIu64, clock->name,
           steps.reads, steps.unchanged);
    print_list("changes", steps.changes, steps.count);
    printf("}\n");
    free(steps.changes);
}

static void count_differences(const struct clock *clock, uint64_t reads) {
    int64_t *readings = touched_room_for(reads, sizeof *readings);
    clock->readings(readings, reads);
    int64_t span = since(readings[0], readings[reads - 1]);
    for (uint64_t i = 0; i + 1 < reads; i++)
        readings[i] = readings[i + 1] - readings[i];
    printf("{\"type\":\"differences\",\"clock\":\"%s\",\"span\":%" PRId64, clock->name, span);
    print_counts("counts", readings, (size_t)reads - 1);
    printf("}\n");
    free(readings);
}

/* The shortest of three changes of the timer. */
static int64_t timer_step_ns(void) {
    int64_t shortest = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        int64_t begin = now(), change;
        do
            change = since(begin, now());
        while (change == 0);
        if (change < shortest)
            shortest = change;
    }
    return shortest;
}

static int64_t fastest_ns(uint64_t steps) {
    int64_t fastest = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        int64_t begin = now();
        sink += work(sink, steps);
        int64_t taken = since(begin, now());
        if (taken < fastest)
            fastest = taken;
    }
    return fastest;
}

/* The least power of two of steps that takes so long, from work that takes several changes of the timer. */
static uint64_t steps_of(int64_t spread_ns) {
    int64_t long_enough_ns = CHANGES_TIMED * timer_step_ns(), taken_ns;
    if (long_enough_ns < spread_ns)
        long_enough_ns = spread_ns;
    uint64_t timed = WORK_AT_LEAST, steps = WORK_AT_LEAST;
    while ((taken_ns = fastest_ns(timed)) < long_enough_ns && timed < READS_MAX)
        timed *= 2;
    while (steps < timed && (double)steps * (double)taken_ns < (double)spread_ns * (double)timed)
        steps *= 2;
    return steps;
}

/* A reading after each of 1 to `most` steps of work; `most` is a power of two. */
static void read_irregularly(const struct clock *clock, uint64_t count, uint64_t most) {
    int64_t *readings = touched_room_for(count, sizeof *readings);
    uint64_t state = count;
    for (uint64_t i = 0; i < count; i++) {
        state = work(state, 1 + ((state >> RANDOM_SHIFT) & (most - 1)));
        clock->readings(readings + i, 1);
    }
    sink += state;
    for (uint64_t i = 0; i + 1 < count; i++)
        readings[i] = readings[i + 1] - readings[i];
    printf("{\"type\":\"readings\",\"clock\":\"%s\"", clock->name);
    print_list("changes", readings, (size_t)count - 1);
    printf("}\n");
    free(readings);
}

/* ---- threads behind a latch ---- */

struct latch {
    pthread_mutex_t mutex;
    pthread_cond_t all_wait, opened;
    int waiting;
    bool open, abandoned;
};

#define LATCH { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false, false }

/* False if the latch was opened only to let the threads end. */
static bool await_latch(struct latch *latch) {
    pthread_mutex_lock(&latch->mutex);
    latch->waiting++;
    pthread_cond_signal(&latch->all_wait);
    while (!latch->open)
        pthread_cond_wait(&latch->opened, &latch->mutex);
    bool go = !latch->abandoned;
    pthread_mutex_unlock(&latch->mutex);
    return go;
}

static void open_latch(struct latch *latch, bool abandon) {
    pthread_mutex_lock(&latch->mutex);
    latch->open = true;
    latch->abandoned = abandon;
    pthread_cond_broadcast(&latch->opened);
    pthread_mutex_unlock(&latch->mutex);
}

static void join(pthread_t *threads, int count) {
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* Returns when all threads wait at the latch. If one cannot be started, ends the others and returns why. */
static int start_threads(struct latch *latch, pthread_t *threads, int count, void *(*run)(void *), void *arguments,
                         size_t size) {
    for (int i = 0; i < count; i++) {
        int error = pthread_create(&threads[i], NULL, run, (char *)arguments + (size_t)i * size);
        if (error != 0) {
            open_latch(latch, true);
            join(threads, i);
            return error;
        }
    }
    pthread_mutex_lock(&latch->mutex);
    while (latch->waiting < count)
        pthread_cond_wait(&latch->all_wait, &latch->mutex);
    pthread_mutex_unlock(&latch->mutex);
    return 0;
}

/* ---- task clocks: many threads at once ---- */

struct reader {
    struct latch *latch;
    lane_loop *lane;
    uint64_t reads, sink;
    int64_t first, last; /* when batches begin, and when no more do */
    int64_t (*batches)[2];
    int count, room;
};

static void *read_concurrently(void *argument) {
    struct reader *reader = argument;
    if (!await_latch(reader->latch))
        return NULL;
    int64_t begin, end;
    uint64_t sum = 0;
    while (now() < reader->first)
        sum += reader->lane(1);
    do {
        begin = now();
        sum += reader->lane(reader->reads);
        end = now();
        reader->batches[reader->count][0] = begin;
        reader->batches[reader->count++][1] = begin + since(begin, end);
    } while (reader->count < reader->room && end < reader->last);
    reader->sink = sum;
    return NULL;
}

static void concurrent(const struct clock *clock, uint64_t reads, int threads, int64_t share_ns) {
    struct latch latch = LATCH;
    struct reader *readers = room_for((uint64_t)threads, sizeof *readers);
    pthread_t *ids = room_for((uint64_t)threads, sizeof *ids);
    int room = CONCURRENT_BATCHES / threads;
    for (int i = 0; i < threads; i++)
        readers[i] = (struct reader){ .latch = &latch, .lane = clock->lane, .reads = reads, .room = room,
                                      .batches = touched_room_for((uint64_t)room, sizeof *readers[i].batches) };
    int error = start_threads(&latch, ids, threads, read_concurrently, readers, sizeof *readers);
    if (error == 0) {
        int64_t first = now() + CONCURRENT_LEAD_NS;
        for (int i = 0; i < threads; i++) {
            readers[i].first = first;
            readers[i].last = first + share_ns;
        }
        open_latch(&latch, false);
        join(ids, threads);
        printf("{\"type\":\"concurrent\",\"clock\":\"%s\",\"threads\":%d,\"reads\":%" PRIu64 ",\"batches\":[", clock->name,
               threads, reads);
        for (int i = 0; i < threads; i++)
            for (int j = 0; j < readers[i].count; j++)
                printf("%s[%d,%" PRId64 ",%" PRId64 "]", i || j ? "," : "", i, readers[i].batches[j][0],
                       readers[i].batches[j][1]);
        printf("]}\n");
    } else {
        fprintf(stderr, "probe.c: no concurrent reads, as a thread cannot be started: %s\n", strerror(error));
    }
    for (int i = 0; i < threads; i++) {
        sink += readers[i].sink;
        free(readers[i].batches);
    }
    free(readers);
    free(ids);
}

static void measure_clocks(void) {
    uint64_t reads = need(READS), steps = need(STEPS), readings = need(READINGS);
    int threads = (int)need(THREADS), first = (int)(need(ROTATION) % LANES), concurrent_clocks = 0;
    int64_t batch_ns = (int64_t)need(BATCH_NS), warm_ns = need_ns(WARM_MS), lanes_ns = need_ns(LANES_MS);
    int64_t spread_ns = (int64_t)need(SPREAD_NS), steps_ns = need_ns(STEPS_MS), concurrent_ns = need_ns(CONCURRENT_MS);
    if (threads == 0)
        concurrent_ns = 0;
    if (lanes_ns > 0 || concurrent_ns > 0)
        warm_lanes(first, batch_ns, warm_ns);
    if (lanes_ns > 0) {
        measure_lanes(first, lanes_ns);
        print_lanes();
    }
    if (steps > 0 && steps_ns > 0)
        for (int i = 0; i < CLOCK_COUNT; i++)
            await_steps(&CLOCKS[i], steps, steps_ns / CLOCK_COUNT);
    if (reads > 0)
        for (int i = 0; i < CLOCK_COUNT; i++)
            count_differences(&CLOCKS[i], reads);
    uint64_t most = readings > 0 ? steps_of(spread_ns) : 0;
    for (int i = 0; readings > 0 && i < CLOCK_COUNT; i++)
        read_irregularly(&CLOCKS[i], readings, most);
    for (int i = 0; i < CLOCK_COUNT; i++)
        concurrent_clocks += strcmp(CLOCKS[i].kind, "cpu") != 0;
    for (int i = 0; concurrent_ns > 0 && i < CLOCK_COUNT; i++)
        if (strcmp(CLOCKS[i].kind, "cpu") != 0) {
            /* Longer batches where more than CONCURRENT_BATCHES would fit into the share. */
            int64_t share_ns = concurrent_ns / concurrent_clocks;
            int64_t longer = 1 + share_ns / CONCURRENT_BATCHES * threads / (batch_ns + 1);
            concurrent(&CLOCKS[i], lanes[i + 1].reads * (uint64_t)longer, threads, share_ns);
        }
}

/* ---- task pause ---- */

static struct timespec timespec_of(int64_t ns) {
    return (struct timespec){ .tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS) };
}

static void pause_nanosleep(int64_t begin, int64_t length_ns) {
    (void)begin;
    struct timespec length = timespec_of(length_ns);
    nanosleep(&length, NULL);
}

#ifdef TIMER_ABSTIME
static void pause_until(int64_t begin, int64_t length_ns) {
    struct timespec deadline = timespec_of(begin + length_ns);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL);
}
#define CLOCK_NANOSLEEP pause_until
#else
#define CLOCK_NANOSLEEP NULL
#endif

static void pause_usleep(int64_t begin, int64_t length_ns) {
    (void)begin;
    usleep((useconds_t)((length_ns + 999) / 1000));
}

static void pause_busy(int64_t begin, int64_t length_ns) {
    while (now() - begin < length_ns)
        ;
}

static void pause_yielding(int64_t begin, int64_t length_ns) {
    while (now() - begin < length_ns)
        sched_yield();
}

static const struct {
    const char *name;
    void (*pause)(int64_t begin, int64_t length_ns); /* NULL: unavailable */
} WAYS[] = {
    { "nanosleep", pause_nanosleep }, { "clock_nanosleep(TIMER_ABSTIME)", CLOCK_NANOSLEEP }, { "usleep", pause_usleep },
    { "busy wait", pause_busy },      { "busy wait, sched_yield", pause_yielding },
};
enum { WAY_COUNT = LENGTH(WAYS) };

struct pauses {
    struct numbers taken;
    int64_t wall_ns, cpu_ns; /* cpu_ns below 0: the system does not tell */
};

static int64_t thread_cpu_ns(void) {
    struct timespec time;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 ? ns_of(time) : -1;
}

static void pause_turn(int way, int64_t length_ns, struct pauses *pauses) {
    int64_t taken[PAUSES_A_TURN], passed;
    int count = 0;
    int64_t cpu = thread_cpu_ns(), first = now();
    do {
        int64_t begin = now();
        WAYS[way].pause(begin, length_ns);
        int64_t end = now();
        taken[count++] = since(begin, end);
        passed = since(first, end);
    } while (count < PAUSES_A_TURN && passed + passed / count <= PAUSE_TURN_NS);
    pauses->wall_ns += since(first, now());
    pauses->cpu_ns = cpu < 0 ? -1 : pauses->cpu_ns + thread_cpu_ns() - cpu;
    for (int i = 0; i < count; i++)
        push(&pauses->taken, taken[i]);
}

static void measure_pauses(void) {
    int64_t budget_ns = need_ns(BUDGET_MS), begin = now();
    int first = (int)(need(ROTATION) % WAY_COUNT);
    struct list_given lengths = need_list(LENGTHS_NS);
    if (budget_ns == 0 || lengths.count == 0)
        return;
    struct pauses *all = room_for(WAY_COUNT * lengths.count, sizeof *all);
    for (int turn = 0; turn == 0 || since(begin, now()) < budget_ns; turn++)
        for (int i = 0; i < WAY_COUNT; i++)
            for (size_t j = 0; j < lengths.count; j++) {
                int way = (first + turn % WAY_COUNT + i) % WAY_COUNT;
                if (WAYS[way].pause && lengths.at[j] > 0 && (turn == 0 || since(begin, now()) < budget_ns))
                    pause_turn(way, (int64_t)lengths.at[j], &all[(size_t)way * lengths.count + j]);
            }
    for (int way = 0; way < WAY_COUNT; way++) {
        if (!WAYS[way].pause)
            printf("{\"type\":\"pause_unavailable\",\"way\":\"%s\",\"reason\":\"this C library lacks it\"}\n",
                   WAYS[way].name);
        for (size_t j = 0; WAYS[way].pause && j < lengths.count; j++) {
            struct pauses *pauses = &all[(size_t)way * lengths.count + j];
            if (lengths.at[j] == 0)
                continue;
            printf("{\"type\":\"pause\",\"way\":\"%s\"", WAYS[way].name);
            printf(",\"requested_ns\":%" PRIu64, lengths.at[j]);
            printf(",\"wall_ns\":%" PRId64 ",\"cpu_ns\":", pauses->wall_ns);
            pauses->cpu_ns < 0 ? printf("null") : printf("%" PRId64, pauses->cpu_ns);
            print_counts("taken_ns", pauses->taken.at, pauses->taken.count);
            printf("}\n");
        }
    }
}

/* ---- task latch ---- */

struct caller {
    struct latch *latch;
    lane_loop *call; /* a lane of one read is a call */
    atomic_int *left;
    int64_t *last_end;
    bool stamped;
    int64_t woken, done;
    uint64_t sink;
};

static void *call_behind_latch(void *argument) {
    struct caller *caller = argument;
    if (!await_latch(caller->latch))
        return NULL;
    if (caller->stamped) {
        caller->woken = now();
        caller->sink = caller->call(1);
        caller->done = now();
    } else {
        caller->sink = caller->call(1);
        if (atomic_fetch_sub(caller->left, 1) == 1)
            *caller->last_end = now();
    }
    return NULL;
}

struct calls {
    struct numbers serial, release, inside, wake;
};

static int release(int call, bool stamped, int threads, struct caller *callers, pthread_t *ids, struct calls *calls,
                   struct numbers *start) {
    struct latch latch = LATCH;
    atomic_int left = threads;
    int64_t last_end = 0;
    for (int i = 0; i < threads; i++)
        callers[i] = (struct caller){ .latch = &latch, .call = lane_of(call), .left = &left, .last_end = &last_end,
                                      .stamped = stamped };
    int64_t begin = now();
    int error = start_threads(&latch, ids, threads, call_behind_latch, callers, sizeof *callers);
    if (error != 0)
        return error;
    push(start, since(begin, now()));
    int64_t opening = now();
    open_latch(&latch, false);
    join(ids, threads);
    for (int i = 0; i < threads; i++) {
        sink += callers[i].sink;
        if (stamped) {
            push(&calls->wake, since(opening, callers[i].woken));
            push(&calls->inside, since(callers[i].woken, callers[i].done));
        }
    }
    if (!stamped)
        push(&calls->release, since(opening, last_end));
    return 0;
}

enum { CALLS = 3 }; /* nothing, CLOCK_MONOTONIC, CLOCK_REALTIME: the first lanes */

static void measure_latch(void) {
    int64_t budget_ns = need_ns(BUDGET_MS), begin = now();
    int threads = (int)need(THREADS), first = (int)(need(ROTATION) % CALLS), error = 0;
    uint64_t serial_calls = (uint64_t)threads * SERIAL_CALLS_PER_THREAD;
    struct calls calls[CALLS] = { 0 };
    struct numbers start = { 0 };
    if (threads == 0)
        fail(2, "invalid request: no threads to release", "");
    if (budget_ns == 0)
        return;
    struct caller *callers = room_for((uint64_t)threads, sizeof *callers);
    pthread_t *ids = room_for((uint64_t)threads, sizeof *ids);
    for (int turn = 0; turn < LATCH_TURNS && (turn < LATCH_TURNS_AT_LEAST || since(begin, now()) < budget_ns); turn++)
        for (int i = 0; i < CALLS && error == 0; i++) {
            int call = (first + turn + i) % CALLS;
            push(&calls[call].serial, batch(call, serial_calls));
            error = release(call, false, threads, callers, ids, &calls[call], &start);
            if (error == 0)
                error = release(call, true, threads, callers, ids, &calls[call], &start);
        }
    if (error != 0) {
        printf("{\"type\":\"latch_unavailable\",\"reason\":");
        print_string(strerror(error));
        printf("}\n");
        return;
    }
    for (int call = 0; call < CALLS; call++) {
        printf("{\"type\":\"latch\",\"call\":\"%s\",\"serial_calls\":%" PRIu64, lane_name(call), serial_calls);
        print_list("serial", calls[call].serial.at, calls[call].serial.count);
        print_list("release", calls[call].release.at, calls[call].release.count);
        print_counts("inside", calls[call].inside.at, calls[call].inside.count);
        print_counts("wake", calls[call].wake.at, calls[call].wake.count);
        printf("}\n");
    }
    printf("{\"type\":\"latch_start\"");
    print_list("start", start.at, start.count);
    printf("}\n");
}

/* ---- task sweep ---- */

struct cell {
    int lane;
    uint64_t tokens, operations;
};

static uint64_t run_cell(const struct cell *cell, uint64_t operations) {
    if (cell->tokens == 0)
        return lane_of(cell->lane)(operations);
    return (cell->lane ? CLOCKS[cell->lane - 1].sweep : sweep_nothing)(operations, cell->tokens);
}

static int64_t cell_batch(const struct cell *cell) {
    int64_t begin = now();
    uint64_t sum = run_cell(cell, cell->operations);
    int64_t end = now();
    sink += sum;
    return since(begin, end);
}

/* One batch; true if it was long enough. */
static bool warm_cell(struct cell *cell, int64_t least_ns) {
    if (cell_batch(cell) >= least_ns || cell->operations >= READS_MAX)
        return true;
    cell->operations *= 2;
    return false;
}

/* Until the fastest of three batches is long enough. */
static void enlarge_cell(struct cell *cell, int64_t least_ns) {
    for (int long_enough = 0; long_enough < 3 && cell->operations < READS_MAX;) {
        if (cell_batch(cell) >= least_ns) {
            long_enough++;
        } else {
            long_enough = 0;
            cell->operations += cell->operations / 4 + 1;
        }
    }
}

static void warm_cells(struct cell *cells, size_t count, size_t first, int64_t least_ns, int64_t warm_ns) {
    int64_t begin = now();
    for (size_t turn = 0; since(begin, now()) < warm_ns; turn = (turn + 1) % count)
        for (size_t i = 0; i < count; i++)
            warm_cell(&cells[(first + turn + i) % count], least_ns);
    for (size_t i = 0; i < count; i++)
        while (!warm_cell(&cells[(first + i) % count], least_ns))
            ;
    for (size_t i = 0; i < count; i++)
        enlarge_cell(&cells[(first + i) % count], least_ns);
}

/* Threads that make iterations together. Member 0 is the probe's own thread. */
struct team {
    pthread_mutex_t mutex;
    pthread_cond_t all_done;
    int working; /* called, but not done */
    const struct cell *cell;
    int threads;
    int64_t iteration_ns;
    atomic_int met;
};

struct member {
    struct team *team;
    pthread_cond_t called;
    bool is_called;
    uint64_t sink;
    int count;
    int64_t batches[ITERATION_BATCHES][2];
};

static void meet(struct team *team) {
    int64_t came = now();
    atomic_fetch_add(&team->met, 1);
    while (atomic_load(&team->met) < team->threads)
        if (since(came, now()) > MEETING_NS)
            sched_yield();
}

static void make_iteration(struct member *member) {
    struct team *team = member->team;
    const struct cell *cell = team->cell;
    int count = 0;
    meet(team);
    uint64_t sum = run_cell(cell, cell->operations);
    int64_t first = now(), begin, end;
    do {
        begin = now();
        sum += run_cell(cell, cell->operations);
        end = now();
        member->batches[count][0] = begin;
        member->batches[count++][1] = begin + since(begin, end);
    } while (count < ITERATION_BATCHES && since(first, end) < team->iteration_ns);
    member->count = count;
    member->sink += sum;
}

static void *make_iterations(void *argument) {
    struct member *member = argument;
    struct team *team = member->team;
    for (;;) {
        pthread_mutex_lock(&team->mutex);
        while (!member->is_called)
            pthread_cond_wait(&member->called, &team->mutex);
        member->is_called = false;
        pthread_mutex_unlock(&team->mutex);
        make_iteration(member);
        pthread_mutex_lock(&team->mutex);
        if (--team->working == 0)
            pthread_cond_signal(&team->all_done);
        pthread_mutex_unlock(&team->mutex);
    }
    return NULL;
}

/* All members but the first; why one cannot be started. They wait for a call until the process ends. */
static int start_team(struct team *team, struct member *members, int count) {
    for (int i = 0; i < count; i++) {
        pthread_t id;
        members[i].team = team;
        memset(members[i].batches, 0xff, sizeof members[i].batches);
        pthread_cond_init(&members[i].called, NULL);
        int error = i == 0 ? 0 : pthread_create(&id, NULL, make_iterations, &members[i]);
        if (error != 0)
            return error;
    }
    return 0;
}

static void iteration(struct team *team, struct member *members, const struct cell *cell, int threads) {
    pthread_mutex_lock(&team->mutex);
    team->cell = cell;
    team->threads = threads;
    atomic_store(&team->met, 0);
    team->working = threads - 1;
    for (int i = 1; i < threads; i++) {
        members[i].is_called = true;
        pthread_cond_signal(&members[i].called);
    }
    pthread_mutex_unlock(&team->mutex);
    make_iteration(&members[0]);
    pthread_mutex_lock(&team->mutex);
    while (team->working > 0)
        pthread_cond_wait(&team->all_done, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
}

struct iteration {
    const struct cell *cell;
    int threads;
    struct numbers batches; /* thread, begin and end in turn */
};

static void print_round(struct iteration *iterations, size_t count, int round, int64_t origin) {
    for (size_t i = 0; i < count; i++) {
        struct iteration *iteration = &iterations[i];
        printf("{\"type\":\"sweep\",\"clock\":\"%s\",\"tokens\":%" PRIu64, lane_name(iteration->cell->lane),
               iteration->cell->tokens);
        printf(",\"threads\":%d,\"round\":%d,\"operations\":%" PRIu64 ",\"batches\":[", iteration->threads, round,
               iteration->cell->operations);
        for (size_t j = 0; j < iteration->batches.count; j += 3) {
            const int64_t *at = &iteration->batches.at[j];
            printf("%s[%" PRId64 ",%" PRId64 ",%" PRId64 "]", j ? "," : "", at[0], at[1] - origin, at[2] - origin);
        }
        printf("]}\n");
        iteration->batches.count = 0;
    }
    fflush(stdout);
}

static void make_rounds(struct team *team, struct member *members, struct cell *cells, size_t count, size_t first,
                        struct list_given threads, int64_t budget_ns) {
    struct iteration *iterations = room_for(count * threads.count, sizeof *iterations);
    int64_t begin = now();
    for (int round = 0; round < ROUNDS_AT_LEAST || since(begin, now()) < budget_ns; round++) {
        for (size_t i = 0; i < count * threads.count; i++) {
            size_t turn = i % threads.count, cell = (first + (size_t)round + i / threads.count) % count;
            int together = (int)threads.at[round % 2 ? threads.count - 1 - turn : turn];
            iterations[i].cell = &cells[cell];
            iterations[i].threads = together;
            iteration(team, members, &cells[cell], together);
            for (int thread = 0; thread < together; thread++)
                for (int j = 0; j < members[thread].count; j++) {
                    push(&iterations[i].batches, thread);
                    push(&iterations[i].batches, members[thread].batches[j][0]);
                    push(&iterations[i].batches, members[thread].batches[j][1]);
                }
        }
        print_round(iterations, count * threads.count, round, begin);
    }
}

/* The clocks of a sweep as lanes, after the lane of nothing; returns their number. */
static int lanes_to_sweep(int *swept) {
    struct list_given clocks = need_list(WANTED_CLOCKS);
    int count = 1;
    swept[0] = 0;
    for (int i = 0; i < CLOCK_COUNT; i++) {
        bool wanted = clocks.count == 0 && strcmp(CLOCKS[i].kind, "cpu") != 0;
        for (size_t j = 0; j < clocks.count; j++) {
            if (clocks.at[j] >= CLOCK_COUNT)
                fail(2, "invalid request: no such clock in ", LIST[WANTED_CLOCKS].name);
            wanted = wanted || clocks.at[j] == (uint64_t)i;
        }
        if (wanted)
            swept[count++] = i + 1;
    }
    return count;
}

static void measure_sweep(void) {
    int64_t batch_ns = (int64_t)need(BATCH_NS), iteration_ns = (int64_t)need(ITERATION_NS), warm_ns = need_ns(WARM_MS);
    int64_t budget_ns = need_ns(BUDGET_MS), least_ns = iteration_ns / ITERATION_BATCHES + 1;
    struct list_given tokens = need_list(TOKENS), threads = need_list(THREADS_LIST);
    int swept[LANES], most = 0;
    size_t count = (size_t)lanes_to_sweep(swept) * tokens.count;
    uint64_t rotation = need(ROTATION);
    for (size_t i = 0; i < threads.count; i++) {
        if (threads.at[i] == 0)
            fail(2, "invalid request: an iteration without threads", "");
        most = (int)threads.at[i] > most ? (int)threads.at[i] : most;
    }
    if (budget_ns == 0 || iteration_ns == 0 || count == 0 || most == 0)
        return;
    struct cell *cells = room_for(count, sizeof *cells);
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct cell){ swept[i / tokens.count], tokens.at[i % tokens.count], 1 };
    struct team *team = room_for(1, sizeof *team);
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->all_done, NULL);
    team->iteration_ns = iteration_ns;
    struct member *members = room_for((uint64_t)most, sizeof *members);
    int error = start_team(team, members, most);
    if (error != 0) {
        printf("{\"type\":\"sweep_unavailable\",\"reason\":");
        print_string(strerror(error));
        printf("}\n");
        return;
    }
    warm_cells(cells, count, (size_t)(rotation % count), batch_ns > least_ns ? batch_ns : least_ns, warm_ns);
    make_rounds(team, members, cells, count, (size_t)(rotation % count), threads, budget_ns);
    for (int i = 0; i < most; i++)
        sink += members[i].sink;
}

/* ---- */

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*run)(void);
    } TASKS[] = {
        { "count", count_reads }, { "clocks", measure_clocks }, { "pause", measure_pauses }, { "latch", measure_latch },
        { "sweep", measure_sweep },
    };
    if (count != 2)
        fail(2, "usage: probe REQUEST", "");
    scan_request(arguments[1]);
    for (size_t i = 0; i < LENGTH(TASKS); i++)
        if (strcmp(request.task, TASKS[i].name) == 0) {
            print_identity();
            check_clocks();
            print_clocks();
            print_elapsed();
            TASKS[i].run();
            print_elapsed();
            printf("{\"type\":\"end\",\"sink\":\"%" PRIu64 "\"}\n", sink);
            if (fflush(stdout) != 0 || ferror(stdout))
                fail(1, "cannot write the answer", "");
            return 0;
        }
    fail(2, "invalid request: unknown task ", request.task);
}
