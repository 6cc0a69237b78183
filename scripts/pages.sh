#!/usr/bin/env bash
# Writes everything that a build says of known documents: a restructured tree must say the same.
# usage: scripts/pages.sh BINARY FOLDER; compare two folders with `diff -r`, or their hashes.txt.
set -euo pipefail

(($# == 2)) || { echo "usage: $0 BINARY FOLDER" >&2; exit 2; }
binary=$(realpath -- "$1")
mkdir -p -- "$2"
folder=$(realpath -- "$2")
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
export CHRONOSCOPE_NO_HISTORY=1 NO_COLOR=1 TZ=UTC
rm -rf -- "${folder:?}"/*

# said NAME COMMAND…: standard output, what is wrong, and the exit code.
said() {
    local name=$1 rc=0
    shift
    "$@" >"$folder/$name" 2>&1 </dev/null || rc=$?
    ((rc == 0)) || echo "exit code $rc" >>"$folder/$name"
}

views=$("$binary" show --help | tr '\n' ' ' | sed -n 's/.*\[possible values: \(check[^]]*\)\].*/\1/p' | tr -d ',')
[[ -n $views ]] || { echo "$0: show --help lists no views" >&2; exit 1; }
for document in $(git ls-files 'docs/shown/*.json' 'crates/chronoscope/tests/fixtures/*.json'); do
    name=${document//\//.}
    said "$name.round-trip" "$binary" show --format json "$document"
    for width in 60 80 118; do
        export COLUMNS=$width
        said "$name.$width.first" "$binary" show "$document"
        said "$name.$width.full" "$binary" show --full "$document"
        for view in $views; do
            said "$name.$width.$view" "$binary" show --view "$view" "$document"
        done
    done
done
export COLUMNS=100
said schema "$binary" schema
said findings "$binary" findings
said findings.json "$binary" findings --format json
said help "$binary" --help
commands=$("$binary" --help | sed -n '/^Commands:/,/^[A-Z].*:$/s/^  \([a-z][a-z-]*\) .*/\1/p')
for command in $commands; do
    said "help.$command" "$binary" "$command" --help
done
for command in $("$binary" history --help | sed -n '/^Commands:/,/^[A-Z].*:$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    said "help.history.$command" "$binary" history "$command" --help
done
# shellcheck disable=SC2094 # it leaves its own output out
(cd "$folder" && find . -type f ! -name hashes.txt -print0 | sort -z | xargs -0 sha256sum >hashes.txt)
wc -l <"$folder/hashes.txt"
