#!/usr/bin/env bash
# scripts/runtimes.sh DIRECTORY: installs language runtimes that this machine lacks, as far as package registries have them,
# so that every probe is run. Says of each what is there; a runtime that cannot be had is no failure. .NET is put into
# DIRECTORY, from which `runtimes_path` takes it.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/toolchain.sh
source scripts/toolchain.sh

directory=$1
# The last version of .NET's runtime in the Python registry. It has no SDK: Mono's compiler makes the assembly.
readonly DOTNET=dotnetcore2==3.1.23

# need PROGRAM PACKAGE…: Debian's packages for a program that is not there.
need() {
    local program=$1
    shift
    command -v "$program" >/dev/null && return
    toolchain_tried=()
    apt_install "$@" || printf '%s\n' "${toolchain_tried[@]}"
}

need cc gcc libc6-dev
need java default-jdk-headless
need go golang-go
need node nodejs
need python3 python3
need mono mono-runtime
need mcs mono-mcs

if ! command -v dotnet >/dev/null && [[ ! -x $directory/dotnetcore2/bin/dotnet ]]; then
    python3 -m pip --version >/dev/null 2>&1 || need pip3 python3-pip
    # A folder of its own: no environment of the user's is touched.
    quietly python3 -m pip install --quiet --no-deps --disable-pip-version-check --target "$directory" "$DOTNET" ||
        echo "no .NET: the Python registry did not give $DOTNET"
    chmod -f +x "$directory/dotnetcore2/bin/dotnet" || true
fi
PATH=$PATH:$directory/dotnetcore2/bin

for program in cc java go node python3 mono mcs dotnet; do
    printf '%-8s %s\n' "$program" "$(command -v "$program" || echo 'is not there')"
done
