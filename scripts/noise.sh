#!/usr/bin/env bash
# noise.sh BINARY [COUNT]: makes COUNT checks (18) of this machine, which should do nothing else, and says in how many pairs of them a
# comparison without a history finds a regression, and which figures it is.
set -euo pipefail

if [[ $# -lt 1 || $# -gt 2 || ! -x $1 ]]; then
    echo "usage: $0 BINARY [COUNT]" >&2
    exit 2
fi
binary=$(realpath -- "$1")
count=${2:-18}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for ((run = 0; run < count; run++)); do
    "$binary" check --no-history --quiet --format json >"$tmp/$run.json"
done

pairs=0 regressions=0
for ((base = 0; base < count; base++)); do
    for ((this = base + 1; this < count; this++)); do
        rc=0
        "$binary" compare "$tmp/$base.json" "$tmp/$this.json" --format json --fail-on regression >"$tmp/compared" || rc=$?
        ((rc < 2)) || exit "$rc"
        ((pairs += 1, regressions += rc, 1))
        python3 - "$tmp/compared" >>"$tmp/figures" <<'END'
import json, sys
run = json.load(open(sys.argv[1]))["content"]["comparison"]["runs"][0]
for figure in run["figures"]:
    if figure["verdict"] == "regression":
        print(figure["kind"], figure["subject"], sep=": ")
END
    done
done
echo "$regressions of $pairs pairs have a regression"
sort "$tmp/figures" | uniq --count | sort --numeric-sort --reverse
