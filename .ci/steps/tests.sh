# shellcheck shell=bash
# shellcheck disable=SC2154 # `tmp`, `target`, `tier` and their like come from .ci/runner.sh and what it sources
# Steps that test the code, in the ways that there are.

# Every runtime whose probe the tests run; elsewhere than on a CI machine it is for the developer to decide.
step_toolchains() {
    [[ ${CI:-} == true ]] || skip "not installing runtimes (CI is not true); those that are there are tested"
    scripts/runtimes.sh "$dotnet_folder"
}

step_test() { ./test; }

# Every interleaving of the clock's own atomics, with as many preemptions as finish in seconds.
step_loom() {
    RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$target/loom LOOM_MAX_PREEMPTIONS=3 \
        cargo test -p chronoscope-clock --release --lib --locked loom
    # Two that publish and one that reads: all there is.
    RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$target/loom \
        cargo test -p chronoscope-clock --release --lib --locked loom_data_are_published_whole_and_once
}

# What needs no counter.
step_miri() {
    local nightly seeds=2
    [[ $tier == change ]] || seeds=8
    need_nightly miri
    rustup component add miri rust-src --toolchain "$nightly" || skip "$nightly has no miri"
    # Addresses of the kernel's pages are kept as numbers.
    export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance"
    export PROPTEST_CASES=2 CARGO_TARGET_DIR=$target/miri
    set -- rustup run "$nightly" cargo miri test -p chronoscope-clock --lib --locked
    "$@"
    # Readers, a kernel that writes and first uses at once, under many schedules and orders of memory.
    MIRIFLAGS="$MIRIFLAGS -Zmiri-many-seeds=0..$seeds" "$@" race_tests
}

readonly FUZZ_S=20

step_fuzz() {
    local nightly
    need_nightly cargo-fuzz
    export PATH=$target/ci-tools/bin:$PATH
    if ! command -v cargo-fuzz >/dev/null; then
        # Not into the user's own ~/.cargo/bin; and not optimised, since it only starts other programs.
        timeout 600 cargo install cargo-fuzz --locked --quiet --debug --root "$target/ci-tools" ||
            skip "cargo-fuzz could not be installed"
    fi
    fuzz_target record fuzz/seeds/record crates/chronoscope/tests/fixtures
    fuzz_target probe fuzz/seeds/probe
}

# fuzz_target NAME SEEDS…
fuzz_target() {
    local name=$1
    shift
    mkdir -p "fuzz/corpus/$name"
    rustup run "$nightly" cargo fuzz run --target-dir "$target/fuzz" "$name" "fuzz/corpus/$name" "$@" -- \
        -max_total_time="$FUZZ_S" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
}
