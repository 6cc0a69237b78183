#!/usr/bin/env bash
# Uses the libraries as a stranger would, from new crates outside of this repository: the clock library, whose program runs
# and whose dependencies are counted; the same without std, for a machine without an operating system; and the harness, in
# `cargo bench`.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/toolchain.sh
source "$root/scripts/toolchain.sh"
# shellcheck source=scripts/lists.sh
source "$root/scripts/lists.sh"

target=${CARGO_TARGET_DIR:-$root/target}
[[ $target == /* ]] || target=$PWD/$target
export CARGO_TARGET_DIR=$target/fresh-crate
bare=$(targets bare)
clock=$(targets clock)

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# new_crate LIBRARY NAME KIND OPTION…: makes it and goes there; options are for `cargo add` of the library.
new_crate() {
    local library=$1 name=$2 kind=$3
    shift 3
    cargo new --quiet --vcs none "$kind" --name "$name" "$tmp/$name"
    cd "$tmp/$name"
    # The versions that everything else here is tested with; what the crate does not need, cargo strikes out.
    cp "$root/Cargo.lock" .
    cargo add --quiet --path "$root/crates/$library" "$@"
}

# expect_dependencies TRIPLE: the crate itself, the library, and nothing else but the bindings to the system.
expect_dependencies() {
    local names more bindings
    case $1 in
    *-windows-*) bindings='windows-(sys|link|targets)' ;;
    wasm32-*) bindings='none' ;;
    *) bindings='libc' ;;
    esac
    names=$(cargo tree --quiet -e normal --prefix none --target "$1" | awk 'NF { print $1 }' | sort -u)
    more=$(grep -vxE "fresh-crate|chronoscope-clock|$bindings" <<<"$names" || true)
    if [[ -n $more ]] || ! grep -qx chronoscope-clock <<<"$names"; then
        echo "dependencies for $1: ${names//$'\n'/, }; expected besides the library: $bindings"
        exit 1
    fi
    echo "ok    dependencies for $1: ${names//$'\n'/, }"
}

new_crate clock fresh-crate --bin
cat >src/main.rs <<'RUST'
use std::error::Error;
use std::hint::black_box;
use std::thread;
use std::time::Duration;

use chronoscope_clock::{
    AnchorTable, Clock, FakeClock, Granular, Instant, Now, Stopwatch, Trust, TrustState, Unordered, WallAnchor,
};

static SHARED: Granular = Granular::new(Duration::from_micros(1));

struct Lease<C> {
    clock: C,
    ends: Instant,
}

impl<C: Now> Lease<C> {
    fn is_over(&self) -> bool {
        self.clock.now() >= self.ends
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let clock = Clock::or_system();
    let trust: Trust = clock.trust();
    assert!(trust.state != TrustState::Fallback || !trust.reasons.is_empty());
    println!("{}: {}, ± {:?}", trust.state, trust.rate_source, trust.error_bound);

    let (first, reading) = (clock.now(), clock.reading());
    assert!(clock.now() >= first && reading.earliest() <= reading.instant());
    println!("unordered: {:?}", Unordered::or_system().now());

    let shown = SHARED.now();
    let seen = thread::spawn(|| SHARED.now()).join().expect("reading the time does not panic");
    assert!(seen >= shown && SHARED.recent() >= seen);

    let mut stopwatch = Stopwatch::start();
    let mut laps = Duration::ZERO;
    for length in [1_000_u64, 10_000, 100_000] {
        black_box((0..length).map(black_box).sum::<u64>());
        laps += stopwatch.lap()?.duration();
    }
    let elapsed = stopwatch.elapsed()?;
    assert!(elapsed.duration() >= laps);
    println!("three laps in {elapsed}");

    let begin = clock.anchor();
    let ticks = clock.ticks();
    thread::sleep(Duration::from_millis(1));
    let anchors = [begin, clock.anchor()];
    let table = AnchorTable::new(&anchors)?;
    let instant = table.convert(ticks)?;
    assert!((table.first()..=table.last()).contains(&instant));

    let wall = WallAnchor::take(clock)?;
    assert!(wall.unix_nanos(instant) > 0);
    println!("{} ns after 1970, ± {:?}", wall.unix_nanos(instant), wall.error_bound());

    let fake = FakeClock::new();
    let lease = Lease { clock: &fake, ends: Instant::ZERO + Duration::from_secs(60) };
    assert!(!lease.is_over());
    fake.advance(Duration::from_secs(60));
    assert!(lease.is_over());
    Ok(())
}
RUST
cargo run --quiet
echo "ok    a program runs"

host=$(rustc -vV | sed -n 's/^host: //p')
for triple in "$host" $clock; do
    expect_dependencies "$triple"
done

if [[ ! -d $(rustc --print target-libdir --target "$bare") ]] &&
    { ! command -v rustup >/dev/null || ! rustup target add "$bare"; }; then
    echo "skip  a library without std: no standard library for $bare, and it could not be had"
else
    new_crate clock bare-crate --lib --no-default-features
    cat >src/lib.rs <<'RUST'
#![no_std]

use chronoscope_clock::{Clock, FakeClock, Instant, Now, Stopwatch};

/// With std anywhere below, this does not build: the target has none.
pub fn lap(fake: &FakeClock) -> Option<Instant> {
    let mut stopwatch = Stopwatch::start_on(fake);
    let lap = stopwatch.lap().ok()?;
    fake.now().checked_add(lap.duration())
}

pub fn trusted() -> bool {
    Clock::trusted().is_ok()
}
RUST
    cargo build --quiet --target "$bare"
    echo "ok    a library without std builds for $bare"
fi

case $host in
*-linux-*) ;;
*)
    echo "skip  a benchmark: the harness runs on Linux"
    exit
    ;;
esac
new_crate bench fresh-bench --lib --dev
cat >>Cargo.toml <<'TOML'

[[bench]]
name = "publish"
harness = false

[[bench]]
name = "faulty"
harness = false
TOML
mkdir benches
cat >benches/publish.rs <<'RUST'
use std::sync::atomic::{AtomicU64, Ordering};

use chronoscope_bench::Study;

fn main() {
    let word = |_: &_| AtomicU64::new(0);
    let publish = Study::new("publish")
        .backoff([0, 20])
        .case_shared("relaxed", word, |b, word| b.iter(|| word.store(1, Ordering::Relaxed)))
        .case_shared("seq_cst", word, |b, word| b.iter(|| word.store(1, Ordering::SeqCst)))
        .compare("seq_cst", "relaxed");
    chronoscope_bench::main([publish]);
}
RUST
cat >benches/faulty.rs <<'RUST'
use chronoscope_bench::Study;

fn main() {
    let faulty = Study::new("faulty")
        .case("sound", |b| b.iter(|| std::hint::black_box(1_u64) / 3))
        .case("panics", |b| b.iter(|| -> u64 { panic!("out of luck") }));
    chronoscope_bench::main([faulty]);
}
RUST

# With BENCH_PROFILE=dev what the tests have built serves here, too: what is checked is not how fast it is.
[[ ${BENCH_PROFILE:-} != dev ]] || export CARGO_TARGET_DIR=$target

# bench TARGET ARGUMENT…: what a user types; leaves the exit code of the program in `code`.
bench() {
    local target=$1
    shift
    code=0
    cargo bench --quiet ${BENCH_PROFILE:+--profile "$BENCH_PROFILE" --config "$root/.cargo/config.toml"} --bench "$target" -- "$@" \
        >"$tmp/stdout" 2>"$tmp/stderr" || code=$?
}

# expect CODE WHAT [TEXT]: the last bench ended so, and said TEXT.
expect() {
    # Cargo has an exit code of its own for a program that failed, and names the program's.
    if (($1 != code)) && ! grep -q "exit status: $1" "$tmp/stderr"; then
        echo "$2: exit code $code instead of $1"
        cat "$tmp/stdout" "$tmp/stderr"
        exit 1
    fi
    if [[ -n ${3-} ]] && ! grep -qF -- "$3" "$tmp/stdout" "$tmp/stderr"; then
        echo "$2: nothing said of '$3'"
        cat "$tmp/stdout" "$tmp/stderr"
        exit 1
    fi
    echo "ok    $2"
}

# expect_json EXPRESSION WHAT: the expression over `record`, what was printed, is true.
expect_json() {
    python3 -c "import json, sys; record = json.load(open(sys.argv[1])); sys.exit(not ($1))" "$tmp/stdout" || {
        echo "$2: not so"
        exit 1
    }
    echo "ok    $2"
}

bench publish --list
expect 0 "cargo bench lists what it would measure" "seq_cst, 20 tokens"
bench publish --list --format terse --exact publish/relaxed
expect 0 "cases are listed as libtest lists them" "publish/relaxed: benchmark"
bench publish --duration 2s --output "$tmp/main.json"
expect 0 "cargo bench measures and prints" "COMPARISONS"
[[ -s $tmp/main.json ]] || { echo "--output saved nothing"; exit 1; }
bench publish --duration 1s --filter relaxed --format json
expect 0 "a filter and JSON"
expect_json "{cell['case'] for cell in record['content']['study']['cells']} == {'relaxed'}" "the JSON holds what was chosen, and no more"
bench publish --test
expect 0 "every case runs once" "test publish/seq_cst ... ok"
bench publish --frobnicate
expect 2 "an unknown flag is refused" "--frobnicate"
bench publish --baseline before
expect 2 "a named baseline is refused, with what to do" "--against-rev REV"
bench publish --html "$tmp/page.html"
expect 2 "a page without the feature is refused, with what to do" 'features = ["html"]'
bench publish --threads 0
expect 2 "0 threads are refused" "0 threads"
bench publish nothing-of-this-name
expect 0 "a filter that leaves nothing measures nothing, and says so" "relaxed, seq_cst"
bench faulty --duration 1s --format json
expect 1 "a case that panics fails the run" ""
expect_json "any(c['case'] == 'sound' and c['processes'] for c in record['content']['study']['cells']) and \
    'out of luck' in record['content']['study']['failures'][0]['reason']" "the other case's result is kept, and the reason"
