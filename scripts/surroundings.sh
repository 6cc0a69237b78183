#!/usr/bin/env bash
# surroundings.sh BINARY [VALIDATOR]: runs chronoscope in surroundings that take something away from it. One line per
# check, `ok …`, `FAIL …` or `skip … (reason)`; exit 1 if any failed.
#
# VALIDATOR is a program that exits 0 if the file given to it is a valid record. BINARY should be linked statically: with
# the counter forbidden, no dynamic loader gets as far as main.
set -euo pipefail

if [[ $# -lt 1 || $# -gt 2 || ! -x $1 ]]; then
    echo "usage: $0 BINARY [VALIDATOR]" >&2
    exit 2
fi
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
binary=$(realpath -- "$1")
validator=${2:+$(realpath -- "$2")}
quick=(check --quick --format json)
limit_s=60
# Nothing of this belongs into the history of whoever runs it.
export CHRONOSCOPE_NO_HISTORY=1

tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
out=$tmp/out.json err=$tmp/err.txt
failed=0

ok() { echo "ok    $1"; }
skip() { echo "skip  $1 ($2)"; }
fail() {
    failed=1
    echo "FAIL  $1: $2"
    sed 's/^/      | /' "$err" | tail -n 5
}

# Runs a command with a limit, stdout and stderr kept; sets `rc`.
run() {
    rc=0
    # The outer redirection keeps the shell from announcing a crash that the check itself reports.
    { timeout --kill-after=5 "$limit_s" "$@" >"$out" 2>"$err" </dev/null; } 2>/dev/null || rc=$?
}

# Prints why $1 is not a whole record, or nothing.
record_fault() {
    if [[ ! -s $1 ]]; then
        echo "no JSON on stdout"
    elif [[ -n $validator ]]; then
        "$validator" "$1" >"$tmp/fault" 2>&1 || echo "not a valid record: $(tail -n 1 "$tmp/fault")"
    elif command -v python3 >/dev/null; then
        python3 -m json.tool "$1" >/dev/null 2>&1 || echo "stdout is not one JSON document"
    elif command -v jq >/dev/null; then
        [[ $(jq -s length "$1" 2>/dev/null) == 1 ]] || echo "stdout is not one JSON document"
    elif [[ $(tail -c 2 "$1" | tr -d '\n') != '}' ]]; then
        echo "stdout does not end as a JSON document"
    fi
}

# Prints how the last run fell over, whatever it was to do, or nothing.
crash() {
    if grep -q 'panicked at' "$err"; then
        echo "panicked"
    elif ((rc == 124 || rc == 137)); then
        echo "did not end within $limit_s s"
    elif ((rc > 128)); then
        echo "died of signal $((rc - 128))"
    fi
}

# expect_record NAME: the last run must have ended with 0 and one whole record on stdout.
expect_record() {
    local fault
    fault=$(crash)
    if [[ -z $fault ]] && ((rc != 0)); then fault="exit code $rc"; fi
    if [[ -z $fault ]]; then fault=$(record_fault "$out"); fi
    if [[ -n $fault ]]; then fail "$1" "$fault"; else ok "$1"; fi
}

# expect_refusal NAME CODE: the last run must have ended with CODE and said why on stderr.
expect_refusal() {
    local fault
    fault=$(crash)
    if [[ -z $fault ]] && ((rc != $2)); then fault="exit code $rc, not $2"; fi
    if [[ -z $fault && ! -s $err ]]; then fault="nothing on stderr"; fi
    if [[ -n $fault ]]; then fail "$1" "$fault"; else ok "$1"; fi
}

one_cpu() {
    local name="on one CPU"
    command -v taskset >/dev/null || { skip "$name" "no taskset"; return; }
    # The first CPU allowed, which need not be 0.
    local cpu
    cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    run taskset -c "$cpu" "$binary" "${quick[@]}"
    expect_record "$name"
}

read_only_directory() {
    # Permissions do not stop root; nobody can create a file in /proc.
    local dir=$tmp/read-only
    if [[ $(id -u) == 0 ]]; then dir=/proc; else mkdir "$dir" && chmod 555 "$dir"; fi
    cd "$dir"
    run "$binary" "${quick[@]}"
    cd "$here"
    expect_record "from a read-only directory"
}

hidden_proc() {
    local name="without /proc" flags
    for flags in -rm -m; do
        # shellcheck disable=SC2016 # expanded by the inner shell
        if unshare "$flags" sh -c 'mount -t tmpfs none /proc' 2>/dev/null; then
            run unshare "$flags" sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$binary" "${quick[@]}"
            expect_record "$name"
            return
        fi
    done
    skip "$name" "may not mount in a new namespace"
}

forbidden_counter() {
    local name="with the counter forbidden" helper=$tmp/forbid_counter
    command -v cc >/dev/null || { skip "$name" "no cc"; return; }
    cc -O2 -Wall -Wextra -Werror -o "$helper" "$here/tests/surroundings/forbid_counter.c" 2>"$err" ||
        { fail "$name" "the helper does not compile"; return; }
    run "$helper" "$binary" --version
    if ((rc == 125)); then
        skip "$name" "the kernel refuses PR_SET_TSC"
        return
    fi
    if ((rc == 139)); then
        run "$helper" "$(type -P true)"
        if ((rc == 139)); then
            skip "$name" "the dynamic loader here reads the counter itself, and the binary is not static"
            return
        fi
    fi
    run "$helper" "$binary" "${quick[@]}"
    expect_record "$name"
}

full_device() {
    local name="output to a full device"
    [[ -c /dev/full ]] || { skip "$name" "no /dev/full"; return; }
    # Refused before anything is measured: a device cannot be replaced by a file that appears whole.
    run "$binary" "${quick[@]}" --output /dev/full
    if [[ ! -c /dev/full ]]; then
        fail "$name" "/dev/full was replaced by a file; as root: rm /dev/full && mknod -m 666 /dev/full c 1 7"
        return
    fi
    expect_refusal "$name" 2

    rc=0
    { timeout --kill-after=5 "$limit_s" "$binary" "${quick[@]}" >/dev/full 2>"$err" </dev/null; } 2>/dev/null || rc=$?
    expect_refusal "stdout to a full device" 1
}

# A file system too small for the record: nothing is put there, and what was measured is printed all the same.
full_disk() {
    local name="output to a full disk" flags
    for flags in -rm -m; do
        if unshare "$flags" mount -t tmpfs -o size=8k none "$tmp" 2>/dev/null; then
            # shellcheck disable=SC2016 # expanded by the inner shell
            run unshare "$flags" sh -c 'mkdir "$0" && mount -t tmpfs -o size=8k none "$0" && { "$@" --output "$0/record.json"; rc=$?; }
                [ "$(ls -A "$0" | wc -l)" = 0 ] || { echo "something was left in the folder" >&2; exit 99; }
                exit $rc' "$tmp/full-disk" "$binary" "${quick[@]}"
            if [[ -n $(record_fault "$out") ]]; then fail "$name" "$(record_fault "$out")"; else expect_refusal "$name" 1; fi
            return
        fi
    done
    skip "$name" "may not mount in a new namespace"
}

# Runs are removed from a history whose disk is full, or none of them.
full_disk_of_history() {
    local name="history on a full disk" flags
    for flags in -rm -m; do
        if unshare "$flags" mount -t tmpfs -o size=1m none "$tmp" 2>/dev/null; then
            # shellcheck disable=SC2016 # expanded by the inner shell
            run env -u CHRONOSCOPE_NO_HISTORY CHRONOSCOPE_HISTORY="$tmp/disk/history" unshare "$flags" sh -c '
                mkdir "$0/disk" && mount -t tmpfs -o size=8m none "$0/disk" && "$1" history import "$2"/docs/shown/*.json || exit 97
                "$1" history list --format json >"$0/before"
                dd if=/dev/zero of="$0/disk/rest" bs=1k 2>/dev/null
                "$1" history prune --keep 1; rc=$?
                "$1" history list --format json >"$0/after"
                cmp "$0/before" "$0/after" || exit 98
                rm "$0/disk/rest" && "$1" history prune --keep 1 || exit 99
                exit $rc' "$tmp" "$binary" "$here"
            expect_refusal "$name" 1
            return
        fi
    done
    skip "$name" "may not mount in a new namespace"
}

# Temporary folders from which no program may run: probes that are compiled cannot start, and the mend is named.
no_programs_in_tmp() {
    local name="TMPDIR without programs" flags fault
    for flags in -rm -m; do
        if unshare "$flags" mount -t tmpfs -o noexec none "$tmp" 2>/dev/null; then
            # shellcheck disable=SC2016 # expanded by the inner shell
            run unshare "$flags" sh -c 'mkdir "$0" && mount -t tmpfs -o noexec none "$0" && exec env TMPDIR="$0" "$@"' \
                "$tmp/no-programs" "$binary" runtimes --quick --only c --format json
            fault=$(crash)
            if [[ -z $fault ]]; then fault=$(record_fault "$out"); fi
            if [[ -z $fault ]] && ! grep -q 'set TMPDIR to another' "$out"; then fault="no mend"; fi
            if [[ -n $fault ]]; then fail "$name" "$fault"; else ok "$name"; fi
            return
        fi
    done
    skip "$name" "may not mount in a new namespace"
}

closed_pipe() {
    # A reader that leaves, as `| head` does, is no reason to panic; dying of SIGPIPE is what other tools do.
    { timeout --kill-after=5 "$limit_s" "$binary" "${quick[@]}" 2>"$err" </dev/null || true; } 2>/dev/null | true
    if grep -q 'panicked at' "$err"; then fail "stdout closed" "panicked"; else ok "stdout closed"; fi
}

unknown_flag() {
    run "$binary" --no-such-flag
    expect_refusal "unknown flag" 2
}

# A real Ctrl-C reaches the whole process group at once, workers included.
interrupted() {
    local name="interrupted after 2 s" pid waited
    command -v setsid >/dev/null || { skip "$name" "no setsid"; return; }
    # The shell has background jobs ignore SIGINT; chronoscope must start as a terminal would start it.
    env --default-signal=INT setsid "$binary" --format json >"$out" 2>"$err" </dev/null &
    pid=$!
    sleep 2
    if ! kill -INT -- "-$pid" 2>/dev/null; then
        rc=0
        wait "$pid" || rc=$?
        skip "$name" "the run was over before, with exit code $rc"
        return
    fi
    for ((waited = 0; waited < 100; waited++)); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    if kill -KILL -- "$pid" 2>/dev/null; then
        kill -KILL -- "-$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        fail "$name" "still running 10 s after SIGINT"
        return
    fi
    rc=0
    wait "$pid" || rc=$?
    local fault
    fault=$(crash)
    if [[ -z $fault ]] && ((rc != 1)); then fault="exit code $rc, not 1"; fi
    if [[ -z $fault ]]; then fault=$(record_fault "$out"); fi
    if [[ -z $fault ]] && ! grep -Eq '"interrupted": *true' "$out"; then
        fault='the record does not say "interrupted": true'
    fi
    sleep 0.2
    if kill -KILL -- "-$pid" 2>/dev/null; then fault="${fault:+$fault; }left worker processes behind"; fi
    if [[ -n $fault ]]; then fail "$name" "$fault"; else ok "$name"; fi
}

# What becomes of language runtimes where there is no room for their probes, and where there are none.
without_runtimes() {
    local fault
    run env TMPDIR="$tmp/nowhere" "$binary" runtimes --quick --only c --format json
    for name in "no folder for probes" "no runtime at all"; do
        fault=$(crash)
        if [[ -z $fault ]] && ((rc != 1)); then fault="exit code $rc, not 1"; fi
        if [[ -z $fault ]]; then fault=$(record_fault "$out"); fi
        if [[ -n $fault ]]; then fail "$name" "$fault"; else ok "$name"; fi
        run env PATH=/nowhere "$binary" runtimes --quick --only python,node --format json
    done
}

# A busy loop on the measuring CPU is found in every command that measures there, with the kernel's own count as evidence.
hog() {
    local name hog cpu fault command
    command -v taskset >/dev/null || { skip "a hog on the measuring CPU" "no taskset"; return; }
    # The measuring CPU is the last that is allowed.
    cpu=$(taskset -cp $$ | sed 's/.*[^0-9]\([0-9]*\)$/\1/')
    taskset -c "$cpu" sh -c 'while :; do :; done' &
    hog=$!
    for command in check clocks causality; do
        name="a hog on the measuring CPU: $command"
        run "$binary" "$command" --quick --format json
        fault=$(crash)
        if [[ -z $fault ]] && ((rc != 0)); then fault="exit code $rc"; fi
        if [[ -z $fault ]]; then fault=$(record_fault "$out"); fi
        if [[ -z $fault ]] && ! tr -d ' \n' <"$out" | grep -q '"id":"noisy_machine","severity":"warning"'; then
            fault="no warning noisy_machine"
        fi
        if [[ -n $fault ]]; then fail "$name" "$fault"; else ok "$name"; fi
    done
    kill "$hog"
    wait "$hog" 2>/dev/null || true
}

# Runs a command in a new control group of the controller $1, in which the file $2 (version 1) or $3 (version 2) says $4, and $5 says $6
# where that is set; sets `rc`, or returns 1 if there may be none here.
in_group() {
    local controller=$1 one=$2 two=$3 value=$4 second=$5 of_second=$6 group
    shift 6
    for group in "/sys/fs/cgroup/$controller" /sys/fs/cgroup; do
        mkdir "$group/chronoscope-$$" 2>/dev/null || continue
        group=$group/chronoscope-$$
        if [[ -n $second ]]; then echo "$of_second" 2>/dev/null >"$group/$second" || true; fi
        if { echo "$value" >"$group/$one" || echo "$value" >"$group/$two"; } 2>/dev/null; then
            # shellcheck disable=SC2016 # expanded by the inner shell
            run sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
            rmdir "$group" 2>/dev/null || true
            return 0
        fi
        rmdir "$group" 2>/dev/null || true
    done
    return 1
}

# A quota stops every thread for most of the time, and nobody else is to blame.
quota() {
    local name="under a CPU quota" fault said
    in_group cpu cpu.cfs_quota_us cpu.max 30000 cpu.cfs_period_us 100000 "$binary" "${quick[@]}" ||
        { skip "$name" "may not limit a control group"; return; }
    fault=$(crash)
    if [[ -z $fault ]]; then fault=$(record_fault "$out"); fi
    said=$(tr -d ' \n' <"$out")
    if [[ -z $fault && $said != *'"id":"cpu_throttled","severity":"warning"'* ]]; then fault="no warning cpu_throttled"; fi
    if [[ -z $fault && $said == *'"mostly_by":"other_threads"'* ]]; then fault="other threads are blamed"; fi
    if [[ -n $fault ]]; then fail "$name" "$fault"; else ok "$name"; fi
}

# Neither a process nor a thread can be started: what can be told without is.
no_threads() {
    local name="where no thread can be started" fault
    in_group pids pids.max pids.max 1 "" "" "$binary" "${quick[@]}" ||
        { skip "$name" "may not limit a control group"; return; }
    fault=$(crash)
    if [[ -z $fault ]]; then fault=$(record_fault "$out"); fi
    if [[ -n $fault ]]; then fail "$name" "$fault"; else ok "$name"; fi
}

# The same by `ulimit -u`, from which root is exempt: as a user who has no other processes, else as this one.
no_processes() {
    local name="where the user may have no more processes" as=() reachable fault
    reachable=$(mktemp -d)
    chmod 755 "$reachable"
    cp "$binary" "$reachable/chronoscope"
    if [[ $(id -u) == 0 ]]; then
        command -v setpriv >/dev/null || { rm -r "$reachable"; skip "$name" "no setpriv"; return; }
        as=(setpriv --reuid=61234 --regid=61234 --clear-groups)
    fi
    # shellcheck disable=SC2016 # expanded by the inner shell
    run "${as[@]}" bash -c 'cd / && ulimit -u 1 && exec "$@"' bash "$reachable/chronoscope" "${quick[@]}"
    rm -r "$reachable"
    fault=$(crash)
    if [[ -z $fault ]]; then fault=$(record_fault "$out"); fi
    if [[ -z $fault ]] && ! grep -q 'could not start a thread\|no thread can be started\|Resource temporarily' "$out"; then fault="no reason"; fi
    if [[ -n $fault ]]; then fail "$name" "$fault"; else ok "$name"; fi
}

# Programs are written into folders and run from there: nobody else may replace them, whatever the umask.
open_umask() {
    local name="with a umask of 000" folder=$tmp/open seen=$tmp/seen watch fault
    mkdir -m 777 "$folder"
    while :; do find "$folder" -mindepth 1 -maxdepth 1 -perm /077; sleep 0.02; done >"$seen" 2>/dev/null &
    watch=$!
    # shellcheck disable=SC2016 # expanded by the inner shell
    run env TMPDIR="$folder" sh -c 'umask 000 && exec "$@"' sh "$binary" runtimes --quick --only python,c --format json
    kill "$watch"
    wait "$watch" 2>/dev/null || true
    fault=$(crash)
    if [[ -z $fault && -s $seen ]]; then fault="others may write into $(head -n 1 "$seen")"; fi
    if [[ -n $fault ]]; then fail "$name" "$fault"; else ok "$name"; fi
}

# Compilers and runtimes keep caches, settings and counters; nothing of that stays.
fresh_home() {
    local name="from a fresh home" home=$tmp/home fault seen
    mkdir "$home" "$home/tmp"
    seen=$(find /dev/shm -mindepth 1 2>/dev/null | sort)
    run env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME -u XDG_DATA_HOME -u XDG_STATE_HOME -u GOCACHE HOME="$home" TMPDIR="$home/tmp" \
        "$binary" runtimes --quick --format json
    fault=$(crash)
    if [[ -z $fault ]]; then fault=$(record_fault "$out"); fi
    if [[ -z $fault && $(find "$home" -mindepth 1) != "$home/tmp" ]]; then
        fault="left behind: $(find "$home" -mindepth 1 ! -path "$home/tmp" | head -n 3 | paste -sd ' ')"
    fi
    if [[ -z $fault ]]; then fault=$(find /dev/shm -mindepth 1 2>/dev/null | sort | comm -13 <(echo "$seen") - | head -n 1); fi
    if [[ -n $fault ]]; then fail "$name" "$fault"; else ok "$name"; fi
}

one_cpu
read_only_directory
fresh_home
hidden_proc
forbidden_counter
full_device
full_disk
full_disk_of_history
no_programs_in_tmp
closed_pipe
unknown_flag
without_runtimes
open_umask
hog
quota
no_threads
no_processes
interrupted
exit "$failed"
