# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # `root`, `tmp` and `reason_file` come from whoever sources this; what is set here goes there
# What steps share: where things are built, and how to get or do without what a machine lacks.

# shellcheck source=scripts/toolchain.sh
source scripts/toolchain.sh

# One folder for all workspaces; those that build with flags of their own at the same time have one below it.
target=${CARGO_TARGET_DIR:-$root/target}
[[ $target == /* ]] || target=$root/$target
export CARGO_TARGET_DIR=$target CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
# What is built once gains nothing from it.
export CARGO_INCREMENTAL=0
# Nothing of this belongs into the history of whoever runs it.
export CHRONOSCOPE_NO_HISTORY=1

# shellcheck source=scripts/build.sh
source scripts/build.sh
# shellcheck source=scripts/lists.sh
source scripts/lists.sh

readonly SKIPPED=77
# Where .NET lies once the step `toolchains` has put it there; last, so that one of the machine's own comes first.
dotnet_folder=$target/ci-tools/dotnet
export PATH=$PATH:$dotnet_folder/dotnetcore2/bin

# Ends a step that cannot be done here.
skip() {
    printf '%s\n' "$*" >"$reason_file"
    echo "skipped: $*"
    exit "$SKIPPED"
}

# skip_or_fail COMMAND…: a program whose own exit code 77, with the reason behind `skipped: `, says that it cannot be done here.
skip_or_fail() {
    local rc=0
    "$@" >"$tmp/said.txt" || rc=$?
    cat "$tmp/said.txt"
    ((rc != SKIPPED)) || skip "$(sed -n 's/^skipped: //p' "$tmp/said.txt")"
    return "$rc"
}

# install_packages PACKAGE…: only on a CI machine; elsewhere it is for the developer to decide.
install_packages() {
    if [[ ${CI:-} != true ]]; then
        echo "not installing $* (CI is not true)"
        return 1
    fi
    toolchain_tried=()
    apt_install "$@" || {
        printf '%s\n' "${toolchain_tried[@]}"
        return 1
    }
}

# need_component NAME PACKAGE…: a part of the toolchain that its minimal profile and Debian's rustc leave out.
need_component() {
    local name=$1 command=${1#rust}
    shift
    cargo "$command" --version >/dev/null 2>&1 && return
    if command -v rustup >/dev/null && rustup component add "$name"; then
        return
    fi
    install_packages "$@" || true
    cargo "$command" --version >/dev/null 2>&1 || skip "cargo $command is not there and could not be installed"
}

# need_target TRIPLE: the standard library for another machine.
need_target() {
    [[ -d $(rustc --print target-libdir --target "$1") ]] && return
    command -v rustup >/dev/null || skip "no standard library for $1, and no rustup to get it"
    rustup target add "$1" || skip "rustup target add $1 failed"
}

# need_nightly TOOL: sets `nightly` to a toolchain that TOOL can use.
need_nightly() {
    command -v rustup >/dev/null || skip "no rustup, so no nightly toolchain for $1"
    nightly=$(rustup toolchain list | sed -n 's/^\(nightly[^ ]*\).*/\1/p' | tail -n 1)
    [[ -n $nightly ]] || skip "no nightly toolchain for $1"
    rust_is_new_enough rustup run "$nightly" || skip "$nightly is older than Rust $rust_needed"
}

# need_release: sets nothing, but builds what the step `release` builds, where that has not run; with it, next to nothing.
need_release() {
    build_release
    # It checks a file: no release build for that. With the features of all packages, so that what tests built serves.
    cargo build --quiet --workspace --example validate_record --locked
}

validate() { "$target/debug/examples/validate_record" "$1"; }
