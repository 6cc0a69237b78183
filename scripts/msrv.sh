#!/usr/bin/env bash
# Builds the clock library with the oldest Rust that its manifest promises, as a user with that Rust would: from a new crate,
# whose dependencies cargo chooses. Runs it with the default features, with all, and with none.
#
# The toolchain comes from rustup, else out of Debian's packages, which are unpacked into CARGO_TARGET_DIR and not installed.
# MSRV_FROM=debian passes rustup over. Exit code 77, with the reason behind `skipped: `, where it cannot be had.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/toolchain.sh
source "$root/scripts/toolchain.sh"
# shellcheck source=scripts/lists.sh
source "$root/scripts/lists.sh"

readonly SKIPPED=77
crate=$root/crates/clock
oldest=$(sed -n 's/^rust-version *= *"\([0-9.]*\)"$/\1/p' "$crate/Cargo.toml")
[[ -n $oldest ]] || { echo "$crate/Cargo.toml names no Rust version of its own"; exit 1; }
target=${CARGO_TARGET_DIR:-$root/target}
[[ $target == /* ]] || target=$PWD/$target
export CARGO_TARGET_DIR=$target/msrv
unpacked=$target/ci-tools/rust-$oldest

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tried=()

# is_oldest COMMAND…: whether rustc and cargo behind COMMAND are of the version that is meant.
is_oldest() {
    local program have
    for program in rustc cargo; do
        have=$(rust_version "$@" "$program") && [[ $have == "$oldest" || $have == "$oldest".* ]] || return 1
    done
}

use_rustup() {
    command -v rustup >/dev/null || { tried+=("rustup: not on PATH"); return 1; }
    if ! is_oldest rustup run "$oldest"; then
        quietly rustup toolchain install "$oldest" --profile minimal --no-self-update || {
            tried+=("rustup toolchain install $oldest: failed, see above")
            return 1
        }
    fi
    rust=(rustup run "$oldest")
    is_oldest "${rust[@]}"
}

# unpack_debian SUFFIX: rustc and cargo of that name, and what they need that this machine lacks, into $unpacked.
unpack_debian() {
    local suffix=$1 version plan packages
    version=$(apt-cache madison "rustc$suffix" | awk -v version="$oldest" '
        { have = $3; sub(/^[0-9]+:/, "", have) }
        have == version || index(have, version ".") == 1 || index(have, version "+") == 1 { print $3; exit }')
    [[ -n $version ]] || { tried+=("apt-cache madison rustc$suffix: no $oldest in the package lists"); return 1; }
    plan=$(apt-get -s --allow-downgrades --no-install-recommends install \
        "rustc$suffix=$version" "cargo$suffix=$version" "libstd-rust$suffix-dev=$version" 2>&1) || {
        tried+=("apt-get -s install rustc$suffix=$version: $(grep -m1 '^E:' <<<"$plan" || tail -n1 <<<"$plan")")
        return 1
    }
    mapfile -t packages < <(sed -n 's/^Inst \([^ ]*\) .*(\([^ ]*\) .*/\1=\2/p' <<<"$plan")
    mkdir "$tmp/packages" "$tmp/unpacked"
    if ! (cd "$tmp/packages" && quietly apt-get download -o APT::Sandbox::User=root "${packages[@]}"); then
        tried+=("apt-get download ${packages[*]}: failed, see above")
        return 1
    fi
    local package
    for package in "$tmp"/packages/*.deb; do
        dpkg -x "$package" "$tmp/unpacked"
    done
    rm -rf "$unpacked"
    mkdir -p "$(dirname -- "$unpacked")"
    mv "$tmp/unpacked" "$unpacked"
}

use_debian() {
    local suffix machine
    if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
        tried+=("apt-get and dpkg: not on PATH")
        return 1
    fi
    machine=$(cc -dumpmachine)
    rust=(env "LD_LIBRARY_PATH=$unpacked/usr/lib/$machine:$unpacked/lib/$machine" "PATH=$unpacked/usr/bin:$PATH")
    ! is_oldest "${rust[@]}" || return 0
    for suffix in "" -web; do
        unpack_debian "$suffix" || continue
        ! is_oldest "${rust[@]}" || return 0
        tried+=("rustc$suffix in $unpacked: $("${rust[@]}" rustc --version 2>&1 | head -n 1); cargo: $(
            "${rust[@]}" cargo --version 2>&1 | head -n 1)")
    done
    return 1
}

if { [[ ${MSRV_FROM:-rustup} != rustup ]] || ! use_rustup; } && ! use_debian; then
    printf 'tried  %s\n' "${tried[@]}"
    echo "skipped: Rust $oldest is not there and could not be had"
    exit "$SKIPPED"
fi
found=$(clock_features)
mapfile -t features <<<"$found"
# Which toolchain was asked for so far is the caller's.
unset RUSTUP_TOOLCHAIN RUSTC RUSTFLAGS
echo "$("${rust[@]}" rustc --version), $("${rust[@]}" cargo --version)"

# build_and_run NAME KEYS: a new crate that depends on the library with these keys behind its path.
build_and_run() {
    local name=$1 options=$2
    mkdir -p "$tmp/$name/src"
    cat >"$tmp/$name/Cargo.toml" <<TOML
[package]
name = "$name"
version = "0.0.0"
edition = "2024"
rust-version = "$oldest"

[workspace]

[dependencies]
chronoscope-clock = { path = "$crate"$options }
TOML
    cat >"$tmp/$name/src/main.rs" <<'RUST'
use std::time::Duration;

use chronoscope_clock::{Clock, FakeClock, Granular, Instant, Now, Stopwatch, pause};

static EVENTS: Granular = Granular::new(Duration::from_micros(1));

fn is_over(clock: &impl Now, ends: Instant) -> bool {
    clock.now() >= ends
}

fn main() {
    let start = Instant::now();
    let stopwatch = Stopwatch::start();
    let waited = pause::spin(Duration::from_micros(10));
    assert!(waited.ended >= start + Duration::from_micros(10));
    assert!(EVENTS.now() <= EVENTS.now());
    assert!(!is_over(&FakeClock::new(), start));
    println!("{} by a clock {}", stopwatch.elapsed().unwrap(), Clock::or_system().trust().state);
}
RUST
    echo "--- $name"
    (cd "$tmp/$name" && "${rust[@]}" cargo run --quiet)
}

build_and_run msrv-default ""
build_and_run msrv-all ", features = [$(printf '"%s", ' "${features[@]}")]"
build_and_run msrv-none ", default-features = false"
echo "ok    the clock library builds and runs with Rust $oldest: by default, with ${features[*]}, and with none of them"
