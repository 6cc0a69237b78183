#!/usr/bin/env bash
# scripts/runtimes.sh DIRECTORY: installs language runtimes that this machine lacks, as far as package registries have them,
# so that every probe is run. Says of each what is there; a runtime that cannot be had is no failure. .NET is put into
# DIRECTORY, from which `runtimes_path` takes it.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"
# shellcheck source=scripts/toolchain.sh
source scripts/toolchain.sh
# shellcheck source=scripts/lists.sh
source scripts/lists.sh

directory=$1
PATH=$PATH:$directory/dotnetcore2/bin

# need PACKAGE…: Debian's packages.
need() {
    toolchain_tried=()
    apt_install "$@" || printf '%s\n' "${toolchain_tried[@]}"
}

# need_from_python PACKAGE: into a folder of its own, so that no environment of the user's is touched.
need_from_python() {
    python3 -m pip --version >/dev/null 2>&1 || need python3-pip
    quietly python3 -m pip install --quiet --no-deps --disable-pip-version-check --target "$directory" "$1" ||
        echo "the Python registry did not give $1"
    chmod -f +x "$directory/dotnetcore2/bin/dotnet" || true
}

rows=$(runtimes)
# The registry of Python needs Python first.
for registry in debian python; do
    while read -r kind programs source <&3; do
        missing=$(absent "$programs") || continue
        case $registry:$source in
        python:pip:*) need_from_python "${source#pip:}" ;;
        debian:pip:*) ;;
        debian:*)
            read -ra packages <<<"$source"
            echo "$kind lacks $missing"
            need "${packages[@]}"
            ;;
        esac
    done 3<<<"$rows"
done
hash -r

while read -r kind programs _; do
    missing=$(absent "$programs") && found="lacks $missing" || found=$(command -v "${programs%%,*}")
    printf '%-8s %s\n' "$kind" "$found"
done <<<"$rows"
