#!/usr/bin/env bash
# Uses the clock library as a stranger would: from a new crate outside of this repository, whose program runs and whose
# dependencies are counted; and from a new `no_std` library for a machine without an operating system.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/toolchain.sh
source "$root/scripts/toolchain.sh"

target=${CARGO_TARGET_DIR:-$root/target}
[[ $target == /* ]] || target=$PWD/$target
export CARGO_TARGET_DIR=$target/fresh-crate
readonly BARE=x86_64-unknown-none
readonly WINDOWS=x86_64-pc-windows-msvc

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# new_crate NAME KIND OPTION…: makes it and goes there; options are for `cargo add`.
new_crate() {
    local name=$1 kind=$2
    shift 2
    cargo new --quiet --vcs none "$kind" --name "$name" "$tmp/$name"
    cd "$tmp/$name"
    # The versions that everything else here is tested with; what the crate does not need, cargo strikes out.
    cp "$root/Cargo.lock" .
    cargo add --quiet --path "$root/crates/clock" "$@"
}

# expect_dependencies TRIPLE PATTERN: the crate itself, the library, and beside them nothing but what PATTERN matches.
expect_dependencies() {
    local names more
    names=$(cargo tree --quiet -e normal --prefix none --target "$1" | awk 'NF { print $1 }' | sort -u)
    more=$(grep -vxE "fresh-crate|chronoscope-clock|$2" <<<"$names" || true)
    if [[ -n $more ]] || ! grep -qx chronoscope-clock <<<"$names"; then
        echo "dependencies for $1: ${names//$'\n'/, }; expected beside the library: $2"
        exit 1
    fi
    echo "ok    dependencies for $1: ${names//$'\n'/, }"
}

new_crate fresh-crate --bin
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

    let (first, first_unordered) = (clock.now(), Unordered::or_system().now());
    assert!(clock.now() >= first && Unordered::or_system().now() >= first_unordered);

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
    fake.advance(60_000_000_000);
    assert!(lease.is_over());
    Ok(())
}
RUST
cargo run --quiet
echo "ok    a program runs"

host=$(rustc -vV | sed -n 's/^host: //p')
case $host in
*-windows-*) expect_dependencies "$host" 'windows-(sys|link|targets)' ;;
*) expect_dependencies "$host" libc ;;
esac
expect_dependencies "$WINDOWS" 'windows-(sys|link|targets)'

if [[ ! -d $(rustc --print target-libdir --target "$BARE") ]] &&
    { ! command -v rustup >/dev/null || ! rustup target add "$BARE"; }; then
    echo "skip  a library without std: no standard library for $BARE, and it could not be had"
    exit
fi
new_crate bare-crate --lib --no-default-features
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
cargo build --quiet --target "$BARE"
echo "ok    a library without std builds for $BARE"
