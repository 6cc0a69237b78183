#!/usr/bin/env bash
# history.sh BINARY [COUNT]: fills a history of its own with COUNT checks (10 000), and says how long list, trend and compare take.
set -euo pipefail

if [[ $# -lt 1 || $# -gt 2 || ! -x $1 ]]; then
    echo "usage: $0 BINARY [COUNT]" >&2
    exit 2
fi
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
binary=$(realpath -- "$1")
count=${2:-10000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export CHRONOSCOPE_HISTORY=$tmp/history.db

# One record, an hour apart each time.
python3 - "$here/crates/chronoscope/tests/fixtures/record.json" "$tmp" "$count" <<'END'
import datetime, json, sys
record, folder, count = json.load(open(sys.argv[1])), sys.argv[2], int(sys.argv[3])
text = json.dumps(record)
start = datetime.datetime(2025, 1, 1)
for i in range(count):
    began = (start + datetime.timedelta(hours=i)).strftime("%Y-%m-%dT%H:%M:%SZ")
    with open(f"{folder}/{i:06}.json", "w") as file:
        file.write(text.replace(record["started_at"], began, 1))
END

# timed NAME COMMAND…: its wall time.
timed() {
    local name=$1 begin=${EPOCHREALTIME/[.,]/}
    shift
    "$@" >"$tmp/out"
    echo "$name: $(((${EPOCHREALTIME/[.,]/} - begin) / 1000)) ms, $(wc -l <"$tmp/out") lines"
}

import_all() { find "$tmp" -name "*.json" -print0 | sort -z | xargs -0 -n 500 "$binary" history import; }

timed "import of $count" import_all
echo "size: $(($(stat -c %s "$CHRONOSCOPE_HISTORY") / 1000000)) MB"
timed "list" "$binary" history list
timed "list --all" "$binary" history list --all
timed "list --all --format json" "$binary" history list --all --format json
timed "trend" "$binary" history trend CLOCK_MONOTONIC
timed "compare" "$binary" history compare
timed "export --format csv" "$binary" history export --format csv
