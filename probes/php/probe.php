<?php
/*
 * Probe of PHP's clocks, for Chronoscope. What it is asked and what it answers: ../PROTOCOL.md.
 *
 *     php probe.php REQUEST
 *
 * PHP 7.4 or newer on a system of 64 bits, nothing beyond the core. Decisions:
 *
 * - Every loop is compiled from a text, once for each clock, so that each is a function of its own.
 * - A lane is a `for` loop that assigns the reading to a local variable and returns the last one. PHP executes one call
 *   after the other and leaves none out: a call of a function of the system is never removed. Folding would add to every
 *   turn what is no part of a read.
 * - The calls are written with a leading backslash, as a name in a namespace is looked up twice.
 * - PHP has no threads that share a program: no concurrent reads, no latch, no sweep.
 * - The collector of cycles is off: no clock makes one.
 */

declare(strict_types=1);

ini_set('display_errors', 'stderr'); // what PHP complains of is no part of the answer
ini_set('memory_limit', '-1');

const MILLISECOND_NS = 1000000;
const READS_MAX = 1 << 30;
const CHUNK_READS = 256; // reads between two looks at the time, while steps are awaited
const STEPS_AT_LEAST = 10;
const WARM_BATCHES_KEPT = 200;
const CHECKS = 5;
const ROUNDS_AT_LEAST = 3;
const PAUSES_A_TURN = 200;
const PAUSE_TURN_NS = 20 * MILLISECOND_NS;
const WORK_AT_LEAST = 16; // steps of work between readings at irregular times
const CHANGES_TIMED = 4; // of the timer, while such work is timed
const SETTLE_NS = 25 * MILLISECOND_NS;
const RANDOM_SHIFT = 10; // the upper bits of the work's state are random

// The largest values, the same in all probes.
const MOST = [
    'reads' => READS_MAX,
    'readings' => READS_MAX,
    'spread_ns' => 1000000000,
    'threads' => 4000,
    'batch_ns' => 1000000000000,
    'warm_ms' => 1000000000,
    'lanes_ms' => 1000000000,
    'steps' => READS_MAX,
    'steps_ms' => 1000000000,
    'budget_ms' => 1000000000,
    'lengths_ns' => 1000000000000,
];

// ---- request and answer ----

function fail(int $code, string $message): void
{
    fwrite(STDERR, "probe.php: $message\n");
    exit($code);
}

function is_unsigned($value): bool
{
    return is_int($value) && $value >= 0;
}

final class Request
{
    public array $values = [];

    public function __construct(string $text)
    {
        $values = json_decode($text, true);
        if (!is_array($values) || !is_unsigned($values['protocol'] ?? null)) {
            fail(2, 'invalid request: not an object, or it lacks protocol');
        }
        if ($values['protocol'] !== 1) {
            fail(3, 'this probe speaks protocol 1 only');
        }
        $this->values = $values;
    }

    public function number(string $key): int
    {
        $value = $this->values[$key] ?? null;
        if (!is_unsigned($value)) {
            fail(2, "invalid request: not an unsigned integer, or missing: $key");
        }
        if ($value > (MOST[$key] ?? PHP_INT_MAX)) {
            fail(2, "invalid request: too large: $key");
        }
        return $value;
    }

    public function ns(string $key): int
    {
        return $this->number($key) * MILLISECOND_NS;
    }

    public function numbers(string $key): array
    {
        $values = $this->values[$key] ?? null;
        $is_fine = is_array($values);
        foreach ($is_fine ? $values : [] as $value) {
            $is_fine = $is_fine && is_unsigned($value) && $value <= MOST[$key];
        }
        if (!$is_fine) {
            fail(2, "invalid request: not a list of unsigned integers, too large, or missing: $key");
        }
        return $values;
    }
}

function say(string $type, array $keys): void
{
    $line = json_encode(['type' => $type] + $keys, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES) . "\n";
    for ($written = 0; $written < strlen($line); $written += $more) {
        $more = fwrite(STDOUT, substr($line, $written));
        if ($more === false) {
            fail(1, 'cannot write the answer');
        }
    }
    fflush(STDOUT);
}

function counts(array $values): array
{
    $counts = array_count_values($values);
    ksort($counts);
    return array_map(null, array_keys($counts), array_values($counts));
}

/** The items, beginning with number `$first`. */
function turned(array $items, int $first): array
{
    $first %= count($items);
    return array_merge(array_slice($items, $first), array_slice($items, 0, $first));
}

// ---- clocks ----

/** The loops around one clock: `{read}` is its call; `{kept}` what is kept of a reading, a number. */
const LOOPS = <<<'TEXT'
return [
    'lane' => static function (int $reads) {
        $x = 0;
        for ($i = 0; $i < $reads; $i++) {
            $x = {read};
        }
        return $x;
    },
    'step' => static function (array &$changes, int $wanted): array {
        $before = {kept};
        $unchanged = 0;
        for ($i = 1; $i < CHUNK_READS; ) {
            $reading = {kept};
            $i++;
            if ($reading === $before) {
                $unchanged++;
                continue;
            }
            $changes[] = [$before, $reading];
            $before = $reading;
            if (count($changes) === $wanted) {
                break;
            }
        }
        return [$i, $unchanged];
    },
    'readings' => static function (array &$into): void {
        $length = count($into);
        for ($i = 0; $i < $length; $i++) {
            $into[$i] = {kept};
        }
    },
];
TEXT;

final class Clock
{
    public string $name;
    public string $kind;
    public int $hz;
    public \Closure $lane;
    public \Closure $step;
    public \Closure $readings;
    /** Makes ticks of a reading. */
    public \Closure $ticks;

    public function __construct(string $name, string $kind, int $hz, string $read, string $kept, \Closure $ticks)
    {
        [$this->name, $this->kind, $this->hz, $this->ticks] = [$name, $kind, $hz, $ticks];
        $loops = eval(str_replace(['{read}', '{kept}'], [$read, $kept], LOOPS));
        [$this->lane, $this->step, $this->readings] = [$loops['lane'], $loops['step'], $loops['readings']];
    }

    public function between($before, $after): int
    {
        return ($this->ticks)($after) - ($this->ticks)($before);
    }
}

/** User and system time of the process, in microseconds. */
function cpu_us(array $used): int
{
    return 1000000 * ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'])
        + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
}

$whole = static fn (int $reading): int => $reading;
$nothing = new Clock('nothing', '', 0, '$i', '$i', $whole);
$clocks = [
    new Clock('hrtime', 'monotonic', 1000000000, '\hrtime(true)', '\hrtime(true)', $whole),
    new Clock('microtime', 'wall', 1000000, '\microtime(true)', '\microtime(true)', static fn (float $s): int =>
        (int) round($s * 1e6)),
    new Clock('getrusage', 'cpu', 1000000, '\getrusage()', '\cpu_us(\getrusage())', $whole),
];
$sink = 0;

function identity(array $clocks): void
{
    say('identity', [
        'protocol' => 1,
        'runtime' => 'PHP',
        'version' => PHP_VERSION,
        'executable' => PHP_BINARY,
        'timer' => 'hrtime',
        'timer_hz' => 1000000000,
        'parallel' => null,
        'notes' => [
            'A lane is a `for` loop that assigns the reading to a local variable, since PHP leaves no call out.',
            'The lane nothing assigns the counter of the loop.',
            'hrtime and microtime are called with true: an integer of nanoseconds, a float of seconds.',
            'getrusage is called without an argument; its ticks are microseconds of user and system time.',
            'PHP has no threads that share a program.',
        ],
    ]);
    foreach ($clocks as $clock) {
        say('clock', [
            'clock' => $clock->name,
            'kind' => $clock->kind,
            'hz' => $clock->hz,
            'declared_hz' => null,
            'declared_resolution_ns' => null,
            'high_resolution' => null,
        ]);
    }
}

// ---- task count ----

function count_reads(Request $request, array $clocks): void
{
    $reads = $request->number('reads');
    foreach ($reads > 0 ? $clocks : [] as $clock) {
        ($clock->lane)(1);
        say('count_begin', ['clock' => $clock->name]);
        ($clock->lane)($reads);
        say('count_end', ['clock' => $clock->name, 'reads' => $reads]);
    }
}

// ---- task clocks ----

final class Lane
{
    public string $name;
    public int $reads = 1;
    public array $warm = [];
    public array $ticks = [];
    public array $check = [];
    private \Closure $loop;

    public function __construct(Clock $clock)
    {
        [$this->name, $this->loop] = [$clock->name, $clock->lane];
    }

    public function batch(int $reads): int
    {
        $loop = $this->loop;
        $begin = hrtime(true);
        $last = $loop($reads);
        $end = hrtime(true);
        $GLOBALS['sink'] ^= is_array($last) ? count($last) : (int) $last;
        return $end - $begin;
    }

    /** One batch; whether it was long enough. */
    public function warm_up(int $batch_ns): bool
    {
        $ticks = $this->batch($this->reads);
        if (count($this->warm) < WARM_BATCHES_KEPT) {
            $this->warm[] = [$this->reads, $ticks];
        }
        if ($ticks >= $batch_ns || $this->reads >= READS_MAX) {
            return true;
        }
        $this->reads *= 2;
        return false;
    }
}

function warm_lanes(array $lanes, int $first, int $batch_ns, int $warm_ns): void
{
    $begin = hrtime(true);
    for ($turn = $first; hrtime(true) - $begin < $warm_ns; $turn = ($turn + 1) % count($lanes)) {
        foreach (turned($lanes, $turn) as $lane) {
            $lane->warm_up($batch_ns);
        }
    }
    foreach (turned($lanes, $first) as $lane) {
        while (!$lane->warm_up($batch_ns)) {
        }
    }
}

function measure_lanes(array $lanes, int $first, int $lanes_ns): void
{
    $begin = hrtime(true);
    for ($turn = 0; $turn < ROUNDS_AT_LEAST || hrtime(true) - $begin < $lanes_ns; $turn++) {
        foreach (turned($lanes, $first % count($lanes) + $turn) as $lane) {
            $lane->ticks[] = $lane->batch($lane->reads);
        }
    }
    for ($check = 0; $check < CHECKS; $check++) {
        foreach (turned($lanes, $first) as $lane) {
            $lane->check[] = [$lane->batch($lane->reads), $lane->batch(4 * $lane->reads)];
        }
    }
    foreach ($lanes as $lane) {
        say('lane', [
            'clock' => $lane->name,
            'reads' => $lane->reads,
            'ticks' => $lane->ticks,
            'warm' => $lane->warm,
            'check' => $lane->check,
        ]);
    }
}

function await_steps(Clock $clock, int $wanted, int $share_ns): void
{
    $changes = [];
    $reads = $unchanged = $passed = 0;
    $begin = hrtime(true);
    while (count($changes) < $wanted && $passed < 4 * $share_ns
        && ($passed < $share_ns || count($changes) < STEPS_AT_LEAST)) {
        [$more, $more_unchanged] = ($clock->step)($changes, $wanted);
        $passed = hrtime(true) - $begin;
        $reads += $more;
        $unchanged += $more_unchanged;
    }
    $ticks = [];
    foreach ($changes as [$before, $after]) {
        $change = $clock->between($before, $after);
        if ($change !== 0) { // not a fraction of a tick, nor a part of the reading that does not count
            $ticks[] = $change;
        }
    }
    $unchanged += count($changes) - count($ticks);
    say('steps', ['clock' => $clock->name, 'reads' => $reads, 'unchanged' => $unchanged, 'changes' => $ticks]);
}

/** Of each reading to the next. */
/** Ticks of every clock but those of CPU time since `first`, which is filled if it is empty. */
function elapsed(array $clocks, array &$first): void
{
    foreach ($clocks as $clock) {
        if ($clock->kind === 'cpu') {
            continue;
        }
        $now = [0];
        ($clock->readings)($now);
        $first[$clock->name] ??= $now[0];
        say('elapsed', ['clock' => $clock->name, 'ticks' => $clock->between($first[$clock->name], $now[0])]);
    }
}

function changes(Clock $clock, array $readings): array
{
    $changes = [];
    for ($i = 1; $i < count($readings); $i++) {
        $changes[] = $clock->between($readings[$i - 1], $readings[$i]);
    }
    return $changes;
}

function count_differences(Clock $clock, int $reads): void
{
    $readings = array_fill(0, $reads, 0);
    ($clock->readings)($readings); // to warm up, and to have the memory
    ($clock->readings)($readings);
    $span = max(0, $clock->between($readings[0], $readings[$reads - 1]));
    say('differences', ['clock' => $clock->name, 'span' => $span, 'counts' => counts(changes($clock, $readings))]);
}

function work(int $state, int $tokens): int
{
    for (; $tokens > 0; $tokens--) {
        $state = ($state * 69069 + $tokens) & 0x3FFFFFFF;
    }
    return $state;
}

/** The least power of two of steps that takes so long, from work that takes several changes of the timer. */
function steps_of(int $spread_ns): int
{
    // A compiler, where there is one, is done first.
    for ($begin = hrtime(true); hrtime(true) - $begin < SETTLE_NS;) {
        $GLOBALS['sink'] ^= work(1, WORK_AT_LEAST);
    }
    $long_enough_ns = max($spread_ns, CHANGES_TIMED * timer_step_ns());
    $timed = $steps = WORK_AT_LEAST;
    while (($taken_ns = fastest_ns($timed)) < $long_enough_ns && $timed < READS_MAX) {
        $timed *= 2;
    }
    while ($steps < $timed && $steps * $taken_ns < $spread_ns * $timed) {
        $steps *= 2;
    }
    return $steps;
}

/** The shortest of three changes of the timer. */
function timer_step_ns(): int
{
    $shortest = PHP_INT_MAX;
    for ($try = 0; $try < 3; $try++) {
        $begin = hrtime(true);
        do {
            $change = hrtime(true) - $begin;
        } while ($change === 0);
        $shortest = min($shortest, $change);
    }
    return $shortest;
}

function fastest_ns(int $steps): int
{
    $fastest = PHP_INT_MAX;
    for ($try = 0; $try < 3; $try++) {
        $begin = hrtime(true);
        $GLOBALS['sink'] ^= work(1, $steps);
        $fastest = min($fastest, hrtime(true) - $begin);
    }
    return $fastest;
}

/** A reading after each of 1 to `$most` steps of work; `$most` is a power of two. */
function read_irregularly(Clock $clock, int $count, int $most): void
{
    $readings = array_fill(0, $count, 0);
    $one = [0];
    $state = $count;
    for ($i = 0; $i < $count; $i++) {
        $state = work($state, 1 + (($state >> RANDOM_SHIFT) & ($most - 1)));
        ($clock->readings)($one);
        $readings[$i] = $one[0];
    }
    $GLOBALS['sink'] ^= $state;
    say('readings', ['clock' => $clock->name, 'changes' => changes($clock, $readings)]);
}

function clocks(Request $request, array $lanes_of, array $clocks): void
{
    [$first, $batch_ns] = [$request->number('rotation'), $request->number('batch_ns')];
    [$warm_ns, $lanes_ns] = [$request->ns('warm_ms'), $request->ns('lanes_ms')];
    [$steps, $steps_ns, $reads] = [$request->number('steps'), $request->ns('steps_ms'), $request->number('reads')];
    [$readings, $spread_ns] = [$request->number('readings'), $request->number('spread_ns')];
    $request->number('threads');
    if ($lanes_ns > 0) {
        $lanes = array_map(static fn (Clock $clock): Lane => new Lane($clock), $lanes_of);
        warm_lanes($lanes, $first, $batch_ns, $warm_ns);
        measure_lanes($lanes, $first, $lanes_ns);
    }
    foreach ($steps > 0 && $steps_ns > 0 ? $clocks : [] as $clock) {
        await_steps($clock, $steps, intdiv($steps_ns, count($clocks)));
    }
    foreach ($reads > 0 ? $clocks : [] as $clock) {
        count_differences($clock, $reads);
    }
    $most = $readings > 0 ? steps_of($spread_ns) : 0;
    foreach ($readings > 0 ? $clocks : [] as $clock) {
        read_irregularly($clock, $readings, $most);
    }
}

// ---- task pause ----

final class Pauses
{
    public array $taken = [];
    public int $wall_ns = 0;
    public int $cpu_ns = 0;
    public string $way;
    public int $length_ns;
    private \Closure $pause;

    public function __construct(string $way, \Closure $pause, int $length_ns)
    {
        [$this->way, $this->pause, $this->length_ns] = [$way, $pause, $length_ns];
    }

    public function turn(\Closure $cpu_us): void
    {
        $pause = $this->pause;
        $cpu = $cpu_us();
        $first = hrtime(true);
        for ($done = 1;; $done++) {
            $begin = hrtime(true);
            $pause($begin, $this->length_ns);
            $end = hrtime(true);
            $this->taken[] = $end - $begin;
            $passed = $end - $first;
            if ($done === PAUSES_A_TURN || $passed + intdiv($passed, $done) > PAUSE_TURN_NS) {
                break;
            }
        }
        $this->wall_ns += hrtime(true) - $first;
        $this->cpu_ns += 1000 * ($cpu_us() - $cpu);
    }
}

function pause(Request $request, \Closure $cpu_us): void
{
    [$first, $budget_ns] = [$request->number('rotation'), $request->ns('budget_ms')];
    $lengths = array_filter($request->numbers('lengths_ns'));
    if ($budget_ns === 0 || $lengths === []) {
        return;
    }
    $ways = [
        'usleep' => static function (int $begin, int $length_ns): void {
            usleep(intdiv($length_ns + 999, 1000));
        },
        'time_nanosleep' => static function (int $begin, int $length_ns): void {
            time_nanosleep(intdiv($length_ns, 1000000000), $length_ns % 1000000000);
        },
        'busy wait' => static function (int $begin, int $length_ns): void {
            while (hrtime(true) - $begin < $length_ns) {
            }
        },
        'busy wait, usleep(0)' => static function (int $begin, int $length_ns): void {
            while (hrtime(true) - $begin < $length_ns) {
                usleep(0);
            }
        },
    ];
    $every = [];
    foreach ($ways as $way => $pause) {
        $of_way = static fn (int $length_ns): Pauses => new Pauses($way, $pause, $length_ns);
        $every[] = array_map($of_way, array_values($lengths));
    }
    $begin = hrtime(true);
    for ($turn = 0; $turn === 0 || hrtime(true) - $begin < $budget_ns; $turn++) {
        foreach (array_merge(...turned($every, $first % count($every) + $turn)) as $pauses) {
            if ($turn === 0 || hrtime(true) - $begin < $budget_ns) {
                $pauses->turn($cpu_us);
            }
        }
    }
    foreach (array_merge(...$every) as $pauses) {
        say('pause', [
            'way' => $pauses->way,
            'requested_ns' => $pauses->length_ns,
            'wall_ns' => $pauses->wall_ns,
            'cpu_ns' => $pauses->cpu_ns,
            'taken_ns' => counts($pauses->taken),
        ]);
    }
}

if ($argc !== 2) {
    fail(2, 'usage: probe.php REQUEST');
}
gc_disable();
set_time_limit(0);
$request = new Request($argv[1]);
$task = $request->values['task'] ?? '';
if (!in_array($task, ['count', 'clocks', 'pause', 'latch', 'sweep'], true)) {
    fail(2, 'invalid request: unknown task ' . (is_string($task) ? $task : ''));
}
identity($clocks);
$first = [];
elapsed($clocks, $first);
switch ($task) {
    case 'count':
        count_reads($request, $clocks);
        break;
    case 'clocks':
        clocks($request, array_merge([$nothing], $clocks), $clocks);
        break;
    case 'pause':
        pause($request, static fn (): int => cpu_us(getrusage()));
        break;
    default:
        if ($request->number('budget_ms') > 0) {
            say($task . '_unavailable', ['reason' => 'PHP has no threads that share a program']);
        }
}
elapsed($clocks, $first);
say('end', ['sink' => (string) $sink]);
