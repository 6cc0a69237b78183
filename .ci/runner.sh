# shellcheck shell=bash
# shellcheck disable=SC2154 # `tier` and `limit_min` come from whoever sources this
# Sourced by .ci/run and .ci/full. Runs the steps of steps.txt: all of them, each failure shows, exit 1 if there was any.
# A step that finds the time over has failed.
root=$PWD
# shellcheck source=.ci/tools.sh
source .ci/tools.sh
for file in .ci/steps/*.sh; do
    # shellcheck source=/dev/null # each is checked by itself
    source "$file"
done

readonly SHOWN_OF_FAILURE=40 # lines

# A step runs as its own process: `set -e` then holds inside it, and a time limit can end it with all its children.
if [[ ${1:-} == --step ]]; then
    tmp=$3 reason_file=$3/$2.reason
    "step_$2"
    exit
fi

# steps_of PATTERN: the steps whose tier and lane match, in order.
steps_of() { awk -v pattern="$1" '$2 " " $3 ~ pattern { print $1 }' <<<"$rows"; }

rows=$(list_rows .ci/steps.txt)
mapfile -t known < <(steps_of .)
# What is written and not listed would never run.
written=$(compgen -A function step_ | sed 's/^step_//' | sort)
listed=$(printf '%s\n' "${known[@]}" | sort)
if [[ $written != "$listed" ]]; then
    printf '%s: .ci/steps.txt and the functions step_… differ:\n' "$0" >&2
    diff <(echo "$listed") <(echo "$written") >&2 || true
    exit 2
fi
for name in "$@"; do
    [[ " ${known[*]} " == *" $name "* ]] || { echo "$0: no step $name; there are: ${known[*]}" >&2; exit 2; }
done

mapfile -t steps < <(steps_of "$([[ $tier == full ]] || echo '^change ')")
(($# == 0)) || steps=("$@")
mapfile -t beside < <(steps_of ' beside$')
mapfile -t alone < <(steps_of ' alone$')

tmp=$(mktemp -d)
deadline_s=$(($(date +%s) + limit_min * 60))
failures=()
summary=()
declare -A pids=() began_s=()
trap 'rm -rf "$tmp"' EXIT
trap 'end_all; exit 130' INT TERM

end_all() {
    local pid
    for pid in "${pids[@]}"; do
        kill -TERM "$pid" 2>/dev/null || true
    done
}

# start NAME: in the background, so that a Ctrl-C is heard at once; which makes the shell ignore SIGINT for it, hence env.
start() {
    began_s[$1]=$(date +%s)
    local left_s=$((deadline_s - began_s[$1]))
    : >"$tmp/$1.log" # before it is followed
    if ((left_s > 0)); then
        {
            env --default-signal=INT timeout --kill-after=10 "$left_s" bash ".ci/$(basename -- "$0")" --step "$1" "$tmp" </dev/null &
            step=$!
            trap 'kill -TERM "$step" 2>/dev/null' TERM
            rc=0
            wait "$step" || rc=$?
            [[ ! -d $tmp ]] || { times && date +%s; } >"$tmp/$1.ended"
            exit "$rc"
        } >"$tmp/$1.log" 2>&1 &
    else
        (exit 124) >"$tmp/$1.log" &
    fi
    pids[$1]=$!
}

# ended NAME: when it ended, and how many seconds of CPU its children used, as the builtin `times` has them in its second line.
ended() {
    awk 'NR == 2 { split($1 " " $2, t, /[ms ]+/); cpu = 60 * (t[1] + t[3]) + t[2] + t[4] } END { printf "%s %.0f\n", $1, cpu }' \
        "$tmp/$1.ended" 2>/dev/null || echo "$(date +%s) 0"
}

# finish NAME: shows what it prints until it ends, and notes how it ended.
finish() {
    local name=$1 rc=0 shown ended_s cpu_s result
    tail --lines=+1 --follow --sleep-interval=0.2 --pid="${pids[$name]}" "$tmp/$name.log" &
    shown=$!
    wait "${pids[$name]}" || rc=$?
    unset "pids[$name]"
    wait "$shown" # for what it printed last
    read -r ended_s cpu_s < <(ended "$name")
    case $rc in
    0) result=ok ;;
    "$SKIPPED") result="skip ($(cat "$tmp/$name.reason"))" ;;
    124 | 137) result="FAIL (the $limit_min minutes were over)" ;;
    *) result="FAIL (exit code $rc)" ;;
    esac
    [[ $result != FAIL* ]] || failures+=("$name")
    is_among "$name" "${beside[@]}" && result+=", beside others"
    summary+=("$(printf '%-13s %5d s, %5d s of CPU  %s' "$name" $((ended_s - began_s[$name])) "$cpu_s" "$result")")
}

is_among() {
    local name=$1 other
    shift
    for other; do
        [[ $other != "$name" ]] || return 0
    done
    return 1
}

# Those that measure come last, whatever the order in which they were named.
first=() last=()
for name in "${steps[@]}"; do
    if is_among "$name" "${alone[@]}"; then last+=("$name"); else first+=("$name"); fi
    ! is_among "$name" "${beside[@]}" || start "$name"
done
for name in "${first[@]}" "${last[@]}"; do
    echo
    echo "=== $name"
    [[ -n ${pids[$name]:-} ]] || start "$name"
    finish "$name"
done

# Whoever sees the end of a long log alone still sees what failed.
for name in "${failures[@]}"; do
    echo
    echo "=== $name failed; its last lines:"
    [[ ! -e $tmp/$name.log ]] || tail --lines="$SHOWN_OF_FAILURE" "$tmp/$name.log"
done

echo
echo "=== summary"
printf '%s\n' "${summary[@]}"
((${#failures[@]} == 0))
