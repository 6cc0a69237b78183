// Probe of the clocks of Node.js, for Chronoscope. What it is asked and what it answers: ../PROTOCOL.md.
//
//     node probe.mjs REQUEST
//
// Node.js 14 or newer, nothing but what it brings along. Decisions:
//
// - Every loop is compiled from a text, once for each clock: V8 keeps what it learned about types beside the text of a
//   function, so that a loop shared by all clocks would be as slow as the slowest.
// - Readings are folded as their type allows without an object for the sum: numbers are added, BigInts modulo 2^64.
// - The lane `nothing` adds an element of an array, at an index that changes, to a 32-bit integer. V8 can neither drop
//   the load, since its sum is shown, nor take it out of the loop, since the index changes.
// - The loops of steps and differences run before they count, so that compiled code reads there too.
// - performance.now is read as it is, a fraction of milliseconds, and converted to whole nanoseconds behind the loop.
// - Threads are workers: engines of their own, each of which runs this file and warms up its own copy of a loop. They
//   wait for a common start in Atomics.wait. The tasks `latch` and `sweep` are unavailable: starting an engine is not
//   starting a thread, what would be released is not what users of one engine have, and no loop is shared.
// - A pause that returns a promise is timed from before the call to the continuation.

import { writeSync } from 'fs';
import { performance } from 'perf_hooks';
import { fileURLToPath } from 'url';
import { Worker, isMainThread, parentPort, workerData } from 'worker_threads';

const MILLISECOND_NS = 1e6;
const READS_MAX = 2 ** 30;
const CHUNK_READS = 256; // reads between two looks at the time, while steps are awaited
const COUNT_WARM_NS = 20 * MILLISECOND_NS; // of each clock
const WARM_CHUNKS = 100; // of each clock, before steps count
const STEPS_AT_LEAST = 10;
const WARM_BATCHES_KEPT = 200;
const CHECKS = 5;
const ROUNDS_AT_LEAST = 3;
const CONCURRENT_BATCHES = 4000;
const PAUSES_A_TURN = 200;
const PAUSE_TURN_NS = 20 * MILLISECOND_NS;
const WORK_AT_LEAST = 16; // steps of work between readings at irregular times
const CHANGES_TIMED = 4; // of the timer, while such work is timed
const SETTLE_NS = 25 * MILLISECOND_NS;
const WORK_AT_MOST = 2 ** 20; // as many random bits as its state has
const RANDOM_SHIFT = 10; // the upper bits of that state are random

// The largest values, the same in all probes.
const MOST = {
  reads: READS_MAX,
  readings: READS_MAX,
  spread_ns: 1e9,
  threads: CONCURRENT_BATCHES,
  batch_ns: 1e12,
  warm_ms: 1e9,
  lanes_ms: 1e9,
  steps: READS_MAX,
  steps_ms: 1e9,
  concurrent_ms: 1e9,
  budget_ms: 1e9,
  lengths_ns: 1e12,
};

// ---- request and answer ----

function fail(code, message) {
  writeAll(2, `probe.mjs: ${message}\n`);
  process.exit(code);
}

/** At once, also into a pipe that is full and does not block. */
function writeAll(file, text) {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(file, bytes));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function say(type, keys) {
  writeAll(1, JSON.stringify({ type, ...keys }) + '\n');
}

const isUnsigned = (value) => Number.isInteger(value) && value >= 0;

class Request {
  constructor(text) {
    try {
      this.values = JSON.parse(text);
    } catch (error) {
      fail(2, `invalid request: ${error.message}`);
    }
    if (typeof this.values !== 'object' || this.values === null || !isUnsigned(this.values.protocol)) {
      fail(2, 'invalid request: not an object, or it lacks protocol');
    }
    if (this.values.protocol !== 1) fail(3, 'this probe speaks protocol 1 only');
  }

  number(key) {
    const value = this.values[key];
    if (!isUnsigned(value)) fail(2, `invalid request: not an unsigned integer, or missing: ${key}`);
    if (value > MOST[key]) fail(2, `invalid request: too large: ${key}`);
    return value;
  }

  ns(key) {
    return this.number(key) * MILLISECOND_NS;
  }

  numbers(key) {
    const values = this.values[key];
    if (!Array.isArray(values) || !values.every((value) => isUnsigned(value) && value <= MOST[key])) {
      fail(2, `invalid request: not a list of unsigned integers, too large, or missing: ${key}`);
    }
    return values;
  }
}

/** Of a typed array or a list of whole numbers: how often each comes. */
function counts(values) {
  const times = new Map();
  for (const value of values) times.set(value, (times.get(value) || 0) + 1);
  return [...times].sort((a, b) => a[0] - b[0]);
}

function* turned(items, first) {
  for (let i = 0; i < items.length; i++) yield items[(first + i) % items.length];
}

// ---- clocks ----

const timer = process.hrtime.bigint;
const since = (begin) => Number(timer() - begin);

const table = new Int32Array(8).fill(1);

/** The loops around one clock: `zero` begins a sum, `fold` adds a reading to it, a `store` is an array of readings. */
function loops({ read, zero, fold, store }) {
  return new Function(
    'process',
    'performance',
    'table',
    'total',
    `
    function lane(reads) {
      let sum = ${zero};
      for (let i = 0; i < reads; i++) sum = ${fold(read)};
      return sum;
    }
    function step(before, after, count) {
      let last = ${read}, i = 1;
      for (; i < ${CHUNK_READS} && count < before.length; i++) {
        const reading = ${read};
        if (reading !== last) {
          before[count] = last;
          after[count++] = reading;
          last = reading;
        }
      }
      return [i, count];
    }
    function readings(into) {
      for (let i = 0; i < into.length; i++) into[i] = ${read};
    }
    return { lane, step, readings, Store: ${store} };`,
  )(process, performance, table, (used) => used.user + used.system);
}

const bigint = { zero: '0n', store: 'BigInt64Array', fold: (read) => `BigInt.asUintN(64, sum + ${read})` };
const number = { zero: '0', store: 'Float64Array', fold: (read) => `sum + ${read}` };

const NOTHING = {
  name: 'nothing',
  ...loops({ read: 'table[i & 7]', zero: '0', store: 'Int32Array', fold: (read) => `(sum + ${read}) | 0` }),
};
const whole = (reading) => reading;
// `ticks` makes a whole number of a reading.
const CLOCKS = [
  {
    name: 'process.hrtime.bigint',
    kind: 'monotonic',
    hz: 1e9,
    ticks: whole,
    ...loops({ read: 'process.hrtime.bigint()', ...bigint }),
  },
  {
    name: 'performance.now',
    kind: 'monotonic',
    hz: 1e9,
    ticks: (reading) => Math.round(reading * 1e6),
    ...loops({ read: 'performance.now()', ...number }),
  },
  { name: 'Date.now', kind: 'wall', hz: 1000, ticks: whole, ...loops({ read: 'Date.now()', ...number }) },
  {
    name: 'process.cpuUsage',
    kind: 'cpu',
    hz: 1e6,
    ticks: whole,
    ...loops({ read: 'total(process.cpuUsage())', ...number }),
  },
];
const LANES = [NOTHING, ...CLOCKS];
const CONCURRENT_CLOCKS = CLOCKS.filter((clock) => clock.kind !== 'cpu');

/** From one reading to another, in ticks, as a number. */
const between = (clock, before, after) => Number(clock.ticks(after) - clock.ticks(before));

let sink = 0n;
function fold(sum) {
  sink = BigInt.asUintN(64, sink + BigInt(typeof sum === 'bigint' ? sum : Math.round(sum)));
}

function identify() {
  say('identity', {
    protocol: 1,
    runtime: 'Node.js',
    version: process.version,
    executable: process.execPath,
    timer: 'process.hrtime.bigint',
    timer_hz: 1e9,
    parallel: true,
    notes: [
      'A turn of a lane adds the reading to a sum; process.cpuUsage is read as user + system.',
      'BigInts are added modulo 2^64: compiled code then makes no object of a reading, as it must where it is kept.',
      'The lane nothing adds an element of an array to a 32-bit integer.',
      'performance.now tells milliseconds with a fraction; here they are whole nanoseconds, rounded.',
      'Threads are workers, each with an engine and with compiled code of its own.',
      'setTimeout knows milliseconds: a pause is rounded up to the next one, and to 1 at least.',
      `CPU time of pauses is that of the ${process.threadCpuUsage ? 'thread' : 'process with its helper threads'}.`,
    ],
  });
  for (const { name, kind, hz } of CLOCKS) {
    say('clock', { clock: name, kind, hz, declared_hz: null, declared_resolution_ns: null, high_resolution: null });
  }
}

/** Ticks of every clock but those of CPU time since `first`, which is filled if it is empty. */
function tellElapsed(first) {
  for (const clock of CLOCKS.filter(({ kind }) => kind !== 'cpu')) {
    const now = room(clock, 1);
    clock.readings(now);
    if (!first.has(clock.name)) first.set(clock.name, now[0]);
    say('elapsed', { clock: clock.name, ticks: between(clock, first.get(clock.name), now[0]) });
  }
}

// ---- task count ----

// Warmed up, since V8 asks for the time itself whenever it compiles or collects.
function count(request) {
  const reads = request.number('reads');
  for (const { name, lane } of reads > 0 ? CLOCKS : []) {
    const begin = timer();
    do fold(lane(CHUNK_READS));
    while (since(begin) < COUNT_WARM_NS);
    say('count_begin', { clock: name });
    const sum = lane(reads);
    say('count_end', { clock: name, reads });
    fold(sum);
  }
}

// ---- task clocks ----

class Lane {
  constructor({ name, lane }) {
    this.name = name;
    this.loop = lane;
    this.reads = 1;
    this.warm = [];
    this.ticks = [];
    this.check = [];
  }

  batch(reads) {
    const begin = timer();
    const sum = this.loop(reads);
    const ticks = since(begin);
    fold(sum);
    return ticks;
  }

  /** One batch; whether it was long enough. */
  warmUp(batchNs) {
    const ticks = this.batch(this.reads);
    if (this.warm.length < WARM_BATCHES_KEPT) this.warm.push([this.reads, ticks]);
    if (ticks >= batchNs || this.reads >= READS_MAX) return true;
    this.reads *= 2;
    return false;
  }
}

function warmLanes(lanes, first, batchNs, warmNs) {
  const begin = timer();
  for (let turn = 0; since(begin) < warmNs; turn++) {
    for (const lane of turned(lanes, first + turn)) lane.warmUp(batchNs);
  }
  for (const lane of turned(lanes, first)) {
    while (!lane.warmUp(batchNs));
  }
}

function measureLanes(lanes, first, lanesNs) {
  const begin = timer();
  for (let round = 0; round < ROUNDS_AT_LEAST || since(begin) < lanesNs; round++) {
    for (const lane of turned(lanes, first + round)) lane.ticks.push(lane.batch(lane.reads));
  }
  for (let check = 0; check < CHECKS; check++) {
    for (const lane of turned(lanes, first)) lane.check.push([lane.batch(lane.reads), lane.batch(4 * lane.reads)]);
  }
  for (const { name, reads, ticks, warm, check } of lanes) say('lane', { clock: name, reads, ticks, warm, check });
}

/** For readings, with every page there. */
function room({ Store }, length) {
  return new Store(length).fill(Store === BigInt64Array ? 1n : 1);
}

function awaitSteps(clock, wanted, shareNs) {
  const before = room(clock, wanted);
  const after = room(clock, wanted);
  for (let i = 0; i < WARM_CHUNKS; i++) clock.step(room(clock, CHUNK_READS), room(clock, CHUNK_READS), 0);
  const begin = timer();
  let reads = 0;
  let chunks = 0;
  let seen = 0;
  let passed = 0;
  while (seen < wanted && passed < 4 * shareNs && (passed < shareNs || seen < STEPS_AT_LEAST)) {
    const [more, count] = clock.step(before, after, seen);
    reads += more;
    chunks += 1;
    seen = count;
    passed = since(begin);
  }
  const changes = [];
  for (let i = 0; i < seen; i++) {
    const change = between(clock, before[i], after[i]);
    if (change !== 0) changes.push(change); // not a fraction of a tick
  }
  // The first reading of a chunk has none before it.
  say('steps', { clock: clock.name, reads, unchanged: reads - chunks - changes.length, changes });
}

function countDifferences(clock, reads) {
  const readings = room(clock, reads);
  clock.readings(readings); // to warm up
  clock.readings(readings);
  const differences = new Float64Array(reads - 1);
  for (let i = 0; i < reads - 1; i++) differences[i] = between(clock, readings[i], readings[i + 1]);
  const span = Math.max(0, between(clock, readings[0], readings[reads - 1]));
  say('differences', { clock: clock.name, span, counts: counts(differences) });
}

function work(state, tokens) {
  for (let left = tokens; left > 0; left--) state = (Math.imul(state, 69069) + left) | 0;
  return state;
}

/** The least power of two of steps that takes so long, from work that takes several changes of the timer. */
function stepsOf(spreadNs) {
  // Compiled first: it would be while the readings are taken, and they would be spread less.
  const begin = timer();
  let state = 1;
  while (since(begin) < SETTLE_NS) state = work(state, WORK_AT_LEAST);
  const fastestNs = (steps) => {
    const taken = Array.from({ length: 3 }, () => {
      const from = timer();
      state = work(state, steps);
      return since(from);
    });
    return Math.min(...taken);
  };
  const longEnoughNs = Math.max(spreadNs, CHANGES_TIMED * timerStepNs());
  let timed = WORK_AT_LEAST;
  let takenNs = fastestNs(timed);
  while (takenNs < longEnoughNs && timed < READS_MAX) {
    timed *= 2;
    takenNs = fastestNs(timed);
  }
  fold(state >>> 0);
  let steps = WORK_AT_LEAST;
  while (steps < Math.min(timed, WORK_AT_MOST) && steps * takenNs < spreadNs * timed) steps *= 2;
  return steps;
}

/** The shortest of three changes of the timer. */
function timerStepNs() {
  const changes = Array.from({ length: 3 }, () => {
    const begin = timer();
    let change = 0;
    while (change === 0) change = since(begin);
    return change;
  });
  return Math.min(...changes);
}

/** A reading after each of 1 to `most` steps of work; `most` is a power of two. */
function readIrregularly(clock, count, most) {
  const readings = room(clock, count);
  const one = room(clock, 1);
  let state = count;
  for (let i = 0; i < count; i++) {
    state = work(state, 1 + ((state >>> RANDOM_SHIFT) & (most - 1)));
    clock.readings(one);
    readings[i] = one[0];
  }
  fold(state >>> 0);
  const changes = Array.from({ length: count - 1 }, (_, i) => between(clock, readings[i], readings[i + 1]));
  say('readings', { clock: clock.name, changes });
}

/** One clock after the other; the workers of all of them begin each one together. */
async function concurrent(threads, reads, warmNs, shareNs) {
  const gate = new Int32Array(new SharedArrayBuffer(4)); // how many clocks were begun
  const room = Math.floor(CONCURRENT_BATCHES / threads);
  const origin = timer();
  const batches = CONCURRENT_CLOCKS.map(() => []);
  const workers = [];
  let waiting = 0;
  await new Promise((resolve, reject) => {
    let ended = 0;
    for (let thread = 0; thread < threads; thread++) {
      const worker = new Worker(fileURLToPath(import.meta.url), {
        workerData: { gate, reads, room, origin, warmNs, shareNs },
      });
      workers.push(worker);
      worker.on('error', reject);
      worker.on('exit', (code) => {
        if (code !== 0) reject(new Error(`a worker ended with ${code}`));
        else if ((ended += 1) === threads) resolve();
      });
      worker.on('message', (message) => {
        if (message === 'waits') {
          waiting += 1;
          if (waiting % threads === 0) {
            Atomics.add(gate, 0, 1);
            Atomics.notify(gate, 0);
          }
        } else {
          for (const [begin, end] of message.stamps) batches[message.clock].push([thread, begin, end]);
          fold(message.sum);
        }
      });
    }
  }).catch(async (error) => {
    for (const worker of workers) await worker.terminate();
    batches.length = 0;
    writeAll(2, `probe.mjs: no concurrent reads: ${error.message}\n`);
  });
  batches.forEach((list, i) => say('concurrent', { clock: CONCURRENT_CLOCKS[i].name, threads, reads: reads[i], batches: list }));
}

function readConcurrently({ gate, reads, room, origin, warmNs, shareNs }) {
  const begins = new Float64Array(room).fill(1);
  const ends = new Float64Array(room).fill(1);
  CONCURRENT_CLOCKS.forEach(({ lane }, clock) => {
    let begin = timer();
    do fold(lane(reads[clock]));
    while (since(begin) < warmNs);
    parentPort.postMessage('waits');
    Atomics.wait(gate, 0, clock);
    const first = since(origin);
    let batches = 0;
    do {
      begins[batches] = since(origin);
      const sum = lane(reads[clock]);
      ends[batches++] = since(origin);
      fold(sum);
    } while (batches < room && ends[batches - 1] - first < shareNs);
    const stamps = Array.from({ length: batches }, (_, i) => [begins[i], ends[i]]);
    parentPort.postMessage({ clock, stamps, sum: sink });
    sink = 0n;
  });
}

async function clocks(request) {
  const [first, batchNs, threads] = [request.number('rotation'), request.number('batch_ns'), request.number('threads')];
  const [warmNs, lanesNs] = [request.ns('warm_ms'), request.ns('lanes_ms')];
  const [steps, stepsNs, reads] = [request.number('steps'), request.ns('steps_ms'), request.number('reads')];
  const [readings, spreadNs] = [request.number('readings'), request.number('spread_ns')];
  const concurrentNs = threads > 0 ? request.ns('concurrent_ms') : 0;
  const lanes = LANES.map((clock) => new Lane(clock));
  if (lanesNs > 0 || concurrentNs > 0) warmLanes(lanes, first % lanes.length, batchNs, warmNs);
  if (lanesNs > 0) measureLanes(lanes, first % lanes.length, lanesNs);
  if (steps > 0 && stepsNs > 0) CLOCKS.forEach((clock) => awaitSteps(clock, steps, stepsNs / CLOCKS.length));
  if (reads > 0) CLOCKS.forEach((clock) => countDifferences(clock, reads));
  if (readings > 0) {
    const most = stepsOf(spreadNs);
    CLOCKS.forEach((clock) => readIrregularly(clock, readings, most));
  }
  if (concurrentNs > 0) {
    const shareNs = concurrentNs / CONCURRENT_CLOCKS.length;
    // Longer batches where more than CONCURRENT_BATCHES would fit into the share.
    const longer = 1 + Math.floor((shareNs * threads) / (CONCURRENT_BATCHES * Math.max(1, batchNs)));
    const readsOfEach = CONCURRENT_CLOCKS.map(({ name }) => {
      const lane = lanes.find((lane) => lane.name === name);
      // Code that was compiled since the warm-up may need more reads.
      while (Math.min(...[1, 2, 3].map(() => lane.batch(lane.reads))) < batchNs / 2 && lane.reads < READS_MAX) {
        lane.reads *= 2;
      }
      return longer * lane.reads;
    });
    await concurrent(threads, readsOfEach, warmNs / CONCURRENT_CLOCKS.length, shareNs);
  }
}

// ---- task pause ----

const never = new Int32Array(new SharedArrayBuffer(4));

// Each gets its own begin and its length; the asynchronous ones return a promise.
const WAYS = [
  {
    way: 'setTimeout',
    pause: (begin, ns) => new Promise((resolve) => setTimeout(resolve, Math.max(1, Math.ceil(ns / MILLISECOND_NS)))),
  },
  {
    way: 'setImmediate until',
    pause: (begin, ns) =>
      new Promise((resolve) => {
        const look = () => (since(begin) < ns ? setImmediate(look) : resolve());
        setImmediate(look);
      }),
  },
  { way: 'Atomics.wait', pause: (begin, ns) => void Atomics.wait(never, 0, 0, ns / MILLISECOND_NS) },
  {
    way: 'busy wait',
    pause: (begin, ns) => {
      while (since(begin) < ns);
    },
  },
];

function cpuNs() {
  const used = process.threadCpuUsage ? process.threadCpuUsage() : process.cpuUsage();
  return (used.user + used.system) * 1000;
}

class Pauses {
  constructor({ way, pause }, lengthNs) {
    Object.assign(this, { way, pause, lengthNs, taken: [], wallNs: 0, cpuNs: 0 });
  }

  async turn() {
    const { pause, lengthNs } = this;
    const taken = new Float64Array(PAUSES_A_TURN);
    // A new turn of the event loop: timers count from its begin, which a blocking way may have left far behind.
    await new Promise((resolve) => setImmediate(resolve));
    const cpu = cpuNs();
    const first = timer();
    let done = 0;
    let passed;
    do {
      const begin = timer();
      const promise = pause(begin, lengthNs);
      if (promise !== undefined) await promise; // a blocking pause must not pay for a continuation
      taken[done++] = since(begin);
      passed = since(first);
    } while (done < PAUSES_A_TURN && passed + passed / done <= PAUSE_TURN_NS);
    this.wallNs += since(first);
    this.cpuNs += cpuNs() - cpu;
    this.taken.push(...taken.subarray(0, done));
  }
}

async function pause(request) {
  const [first, budgetNs] = [request.number('rotation'), request.ns('budget_ms')];
  const lengths = request.numbers('lengths_ns');
  const begin = timer();
  const every = WAYS.map((way) => lengths.filter((ns) => ns > 0 && budgetNs > 0).map((ns) => new Pauses(way, ns)));
  for (let turn = 0; every[0].length > 0 && (turn === 0 || since(begin) < budgetNs); turn++) {
    for (const ways of turned(every, (first % every.length) + turn)) {
      for (const pauses of ways) {
        if (turn === 0 || since(begin) < budgetNs) await pauses.turn();
      }
    }
  }
  for (const { way, lengthNs, wallNs, cpuNs, taken } of [].concat(...every)) {
    say('pause', { way, requested_ns: lengthNs, wall_ns: wallNs, cpu_ns: cpuNs, taken_ns: counts(taken) });
  }
}

// ---- task latch ----

function latch() {
  say('latch_unavailable', {
    reason: 'JavaScript has no threads that share a latch: a worker is an engine of its own, started in milliseconds',
  });
}

// ---- task sweep ----

function sweep() {
  say('sweep_unavailable', {
    reason: 'JavaScript has no threads that share a loop: a worker is an engine of its own, with code of its own',
  });
}

// ----

async function main() {
  if (process.argv.length !== 3) fail(2, 'usage: probe.mjs REQUEST');
  const request = new Request(process.argv[2]);
  const task = { count, clocks, pause, latch, sweep }[request.values.task];
  if (!task) fail(2, `invalid request: unknown task ${request.values.task}`);
  identify();
  const first = new Map();
  tellElapsed(first);
  await task(request);
  tellElapsed(first);
  say('end', { sink: String(sink) });
}

if (isMainThread) {
  main().catch((error) => fail(1, error.stack));
} else {
  readConcurrently(workerData);
}
