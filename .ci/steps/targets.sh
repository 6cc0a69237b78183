# shellcheck shell=bash
# shellcheck disable=SC2154 # `tmp`, `target` and their like come from .ci/runner.sh and what it sources
# Steps that compile for other machines, and with other features.

# One target of each other system: the clock library with its default features, the program; and what std lacks.
step_targets() {
    local triple bare refused change
    bare=$(targets bare) refused=$(targets refused) change=$(targets change)
    for triple in $change; do
        need_target "$triple"
        clock_for "$triple"
        without_sqlite check chronoscope --target "$triple"
    done
    for triple in $bare; do
        need_target "$triple"
        check chronoscope-clock --target "$triple" --no-default-features
    done
    for triple in $refused; do
        refuse_narrow_atomics "$triple"
    done
}

# clock_for TRIPLE: the clock library and what goes with it, with its default features.
clock_for() {
    local package packages
    packages=$(clock_packages)
    for package in $packages; do
        check "$package" --target "$1"
    done
}

# The rest: the clock library for each of its targets with its default features, all of them and none; the program for every target.
step_all_targets() {
    local triple clock program
    clock=$(targets clock) program=$(targets program)
    for triple in $clock; do
        need_target "$triple"
        clock_for "$triple"
        check chronoscope-clock --target "$triple" --no-default-features
        check chronoscope-clock --target "$triple" --all-features
    done
    for triple in $program; do
        need_target "$triple"
        without_sqlite check chronoscope --target "$triple"
    done
}

# Each feature of the clock library with each other, and none: what goes wrong when features meet goes wrong between two.
step_features() {
    local found features one other count=1
    found=$(clock_features)
    mapfile -t features <<<"$found"
    check_features ""
    for one in "${!features[@]}"; do
        for ((other = one; other < ${#features[@]}; other++)); do
            check_features "${features[one]},${features[other]}"
            count=$((count + 1))
        done
    done
    echo "ok    $count pairs of ${features[*]}"
}

# All combinations of them.
step_combinations() {
    local found features chosen subset at
    found=$(clock_features)
    mapfile -t features <<<"$found"
    for ((subset = 0; subset < 1 << ${#features[@]}; subset++)); do
        chosen=
        for at in "${!features[@]}"; do
            ((subset >> at & 1)) && chosen+=${chosen:+,}${features[at]}
        done
        check_features "$chosen"
    done
    echo "ok    all $subset combinations of ${features[*]}"
}

# check_features FEATURE,…: says nothing where all is well.
check_features() {
    check chronoscope-clock --no-default-features --features "$1" >"$tmp/combined" || { cat "$tmp/combined"; return 1; }
}

# check PACKAGE OPTION…: it compiles so, without a warning.
check() {
    # Not by RUSTFLAGS, for which cargo would build everything below anew.
    if ! cargo check --quiet --locked -p "$@" 2>"$tmp/said" || [[ -s $tmp/said ]]; then
        echo "cargo check -p $*:"
        cat "$tmp/said"
        return 1
    fi
    echo "ok    $*"
}

# without_sqlite COMMAND…: for a check, which links nothing: as if SQLite were a library of the system, so that it is not compiled,
# for which every target would need a C compiler.
without_sqlite() {
    local LIBSQLITE3_SYS_USE_PKG_CONFIG=1 SQLITE3_LIB_DIR=/nowhere
    export LIBSQLITE3_SYS_USE_PKG_CONFIG SQLITE3_LIB_DIR
    "$@"
}

# refuse_narrow_atomics TRIPLE: what cannot work is said first and in words.
refuse_narrow_atomics() {
    need_target "$1"
    if cargo check --quiet -p chronoscope-clock --target "$1" --locked --no-default-features 2>"$tmp/narrow"; then
        echo "the clock library builds for $1, which has no 64-bit atomics"
        return 1
    fi
    if [[ $(head -n 1 "$tmp/narrow") != "error: chronoscope-clock keeps times in 64-bit atomics"* ]]; then
        echo "for $1 the first that is said is not what is missing:"
        cat "$tmp/narrow"
        return 1
    fi
    head -n 1 "$tmp/narrow"
}

step_fresh_crate() { BENCH_PROFILE=dev scripts/fresh-crate.sh; }

# The clock library with the oldest Rust that it promises.
step_msrv() { skip_or_fail scripts/msrv.sh; }
