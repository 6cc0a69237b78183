# shellcheck shell=bash
# shellcheck disable=SC2154 # `tmp`, `target` and their like come from .ci/runner.sh and what it sources
# Steps that run the program as it is released.

readonly CHECK_WALL_LIMIT_S=20
readonly CHECK_RSS_LIMIT_KIB=97656 # 100 MB
readonly RUNTIMES_WALL_LIMIT_S=35
readonly COMMAND_LIMIT_S=120

step_release() { build_release; }

# What the same commit gives in another folder, with cargo's own in another place, is the same program to the byte.
step_reproducible() {
    local entry elsewhere=$tmp/elsewhere again
    [[ -z $(git status --porcelain) ]] || skip "a clone lacks what is not committed"
    build_release
    again=$elsewhere/target/${binary#"$target"/}
    git clone --quiet . "$elsewhere/chronoscope"
    mkdir "$elsewhere/cargo"
    for entry in "${CARGO_HOME:-${HOME:-/root}/.cargo}"/*; do
        ln -s "$entry" "$elsewhere/cargo/"
    done
    CARGO_HOME=$elsewhere/cargo CARGO_TARGET_DIR=$elsewhere/target "$elsewhere/chronoscope/run" --version
    cmp "$binary" "$again"
    sha256sum "$binary" "$again"
}

# Every command once, and the front door.
step_smoke() {
    local bad=0 rows kind command
    need_release
    check_limits || bad=1
    # Nothing but the program's own words on stdout.
    ./run check --quick --format json >"$tmp/front-door.json" || { echo "./run check --quick failed"; bad=1; }
    validate "$tmp/front-door.json" || bad=1
    rows=$(commands)
    while read -r kind command <&3; do
        command=${command//RECORD/$tmp/record.json}
        # shellcheck disable=SC2086 # a command and its arguments
        try_command "$kind" $command || bad=1
    done 3<<<"$rows"
    return "$bad"
}

# A whole check: its time, its memory, its document, which is kept as $tmp/record.json.
check_limits() {
    local bad=0
    measured_run "$tmp/record.json" "$binary" --format json
    echo "exit code $rc, wall $wall_ms ms (limit ${CHECK_WALL_LIMIT_S}000), peak RSS $rss_kib KiB (limit $CHECK_RSS_LIMIT_KIB)"
    ((rc == 0 && wall_ms <= CHECK_WALL_LIMIT_S * 1000 && rss_kib <= CHECK_RSS_LIMIT_KIB)) || bad=1
    validate "$tmp/record.json" || bad=1
    return "$bad"
}

# commands: what is tried; runtimes have a step of their own, and a check is what `check_limits` runs.
commands() {
    local listed
    listed=$(list_rows .ci/commands.txt)
    echo "$listed"
    "$binary" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p' | grep -vxE 'help|runtimes|check' |
        grep -vxFf <(awk '{ print $2 }' <<<"$listed") | sed 's/^/document /'
}

# try_command KIND ARGUMENT…
try_command() {
    local kind=$1 rc=0 out=$tmp/tried
    shift
    case $kind in
    document | judges) set -- "$@" --quick --format json ;;
    esac
    CHRONOSCOPE_HISTORY=$tmp/history.db timeout --kill-after=5 "$COMMAND_LIMIT_S" "$binary" "$@" >"$out" </dev/null || rc=$?
    echo "exit code $rc: chronoscope $*"
    case $kind:$rc in
    words:0) [[ -s $out ]] || { echo "it printed nothing"; return 1; } ;;
    document:0 | judges:[01]) validate "$out" ;;
    *) return 1 ;;
    esac
}

# measured_run OUT COMMAND…: stdout to OUT; sets `rc`, `wall_ms` and `rss_kib` (the largest of the process and its
# children).
measured_run() {
    local out=$1 begin=${EPOCHREALTIME/[.,]/}
    shift
    rc=0
    python3 -c 'import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
open(sys.argv[1], "w").write("%d\n" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code if code >= 0 else 128 - code)' "$tmp/rss" timeout --kill-after=5 "$COMMAND_LIMIT_S" "$@" >"$out" || rc=$?
    wall_ms=$(((${EPOCHREALTIME/[.,]/} - begin) / 1000))
    rss_kib=$(cat "$tmp/rss")
}

# What every runtime of this machine sees: each that is there must be measured.
step_runtimes() {
    local bad=0 rows kind programs missing
    need_release
    rows=$(runtimes)
    measured_run "$tmp/runtimes.json" "$binary" runtimes --quick --format json
    echo "exit code $rc, wall $wall_ms ms (limit ${RUNTIMES_WALL_LIMIT_S}000)"
    ((rc == 0 && wall_ms <= RUNTIMES_WALL_LIMIT_S * 1000)) || bad=1
    validate "$tmp/runtimes.json" || bad=1
    "$binary" show --view runtimes "$tmp/runtimes.json"
    while read -r kind programs _ <&3; do
        if missing=$(absent "$programs"); then
            echo "$kind: skipped, there is no $missing"
        elif python3 -c 'import json, sys
runtimes = json.load(open(sys.argv[1]))["content"]["sections"]["runtimes"]["report"]
sys.exit(not any(r["kind"] == sys.argv[2] and r["available"] and r["clocks"] for r in runtimes))' \
            "$tmp/runtimes.json" "$kind"; then
            echo "$kind: measured"
        else
            echo "$kind: not measured"
            bad=1
        fi
    done 3<<<"$rows"
    try_command document runtimes --pause || bad=1
    try_command document runtimes --latch 20 || bad=1
    return "$bad"
}

step_surroundings() {
    need_release
    scripts/surroundings.sh "$binary" "$target/debug/examples/validate_record"
}

# Programs as users write them, run as users run them; each fails where it does not show what it is for.
step_examples() {
    local program programs
    programs=$(example_programs)
    # With the features of all packages, so that what tests built serves.
    cargo build --quiet --locked --workspace --examples
    for program in $programs; do
        echo "== $program"
        case $program in
        # Of the experiments, which would take minutes, every case once.
        experiments) set -- --test ;;
        *) set -- ;;
        esac
        timeout --kill-after=5 60 "$target/debug/examples/$program" "$@" || return 1
    done
}

# The program in emulated machines: a sound one, one whose counter the kernel distrusts, one whose wall clock steps.
step_lab() {
    cargo test --quiet --manifest-path lab/Cargo.toml --locked
    # A judge that finds nothing must first show that it would.
    in_lab --self-test
    in_lab --quick tsc unstable wall_clock
}

# In all that take no more than a minute.
step_lab_quick() { in_lab --quick; }

in_lab() {
    [[ ${CI:-} == true ]] || set -- --no-install "$@"
    skip_or_fail lab/run "$@"
}

# The page of every document, as Chromium shows it. PAGES_PICTURES=FOLDER keeps pictures of them.
step_pages() {
    local browser
    command -v chromium >/dev/null || install_packages chromium || skip "not checked: no chromium, and it could not be installed"
    need_release
    browser=$(type -P chromium)
    CHROME=$browser CHRONOSCOPE_BINARY=$binary cargo test --quiet --no-fail-fast --manifest-path pages/Cargo.toml --locked
}

# The programs say what they reached and assert nothing; a machine that falls short does not fail here.
step_bench() {
    need_release
    bench/clock/run --quick
    bench/pause/run --quick
    bench/harness/run --quick --chronoscope "$binary"
}
