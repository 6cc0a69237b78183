# shellcheck shell=bash
# Sourced by ./run, ./test and .ci/run. Leaves a cargo that is new enough and a C linker on PATH, or says what was
# tried and exits 1. Prints to stderr only: stdout belongs to the program. Never changes rustup's default toolchain
# or its settings.

# The manifest is the one place that says which Rust is needed.
rust_needed=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' "$(dirname -- "${BASH_SOURCE[0]}")/../Cargo.toml")
toolchain_tried=()

toolchain_say() {
    printf 'chronoscope: %s\n' "$*" >&2
}

note_tried() {
    toolchain_tried+=("$*")
}

# version_at_least HAVE NEED
version_at_least() {
    printf '%s\n%s\n' "$2" "$1" | sort -V -C
}

# Prints the version of a Rust program, `1.97.0` for `rustc 1.97.0-nightly (…)`; fails if it does not start.
rust_version() {
    local line
    line=$("$@" --version 2>/dev/null) || return 1
    line=${line#* }
    printf '%s\n' "${line%%[!0-9.]*}"
}

# Runs "$@" before each program name: nothing for PATH, `rustup run stable` for a toolchain.
rust_is_new_enough() {
    local program have
    for program in rustc cargo; do
        have=$(rust_version "$@" "$program") && version_at_least "$have" "$rust_needed" || return 1
    done
}

# PATH first, then where rustup and Debian's packages put their programs: a shell may not have those on its PATH, or
# may have an old Rust before them.
find_rust() {
    local dir
    rust_is_new_enough && return
    for dir in "${CARGO_HOME:-${HOME:-/root}/.cargo}/bin" /usr/bin /usr/lib/rust-*/bin; do
        if [[ -x $dir/cargo && -x $dir/rustc ]] && PATH=$dir:$PATH rust_is_new_enough; then
            export PATH=$dir:$PATH
            return
        fi
    done
    return 1
}

# Runs a command in silence; shows what it said if it fails.
quietly() {
    local log
    log=$("$@" 2>&1 </dev/null) || {
        printf '%s\n' "$log" >&2
        return 1
    }
}

use_rustup() {
    local name=stable default_before
    if ! command -v rustup >/dev/null; then
        note_tried "rustup: not on PATH"
        return 1
    fi
    # An older `stable` is the user's, and is left as it is; the exact version is put beside it.
    if [[ $'\n'$(rustup toolchain list 2>/dev/null || true) == *$'\nstable'* ]]; then
        rust_is_new_enough rustup run stable || name=$rust_needed
    fi
    if ! rust_is_new_enough rustup run "$name"; then
        default_before=$(rustup default 2>/dev/null || true)
        toolchain_say "installing Rust toolchain $name with rustup"
        if ! quietly rustup toolchain install "$name" --profile minimal --no-self-update; then
            note_tried "rustup toolchain install $name: failed, see above"
            return 1
        fi
        # rustup makes the first toolchain installed the default.
        [[ -n $default_before ]] || quietly rustup default none
        if ! rust_is_new_enough rustup run "$name"; then
            note_tried "rustup toolchain install $name: gives Rust $(rust_version rustup run "$name" rustc || echo unknown)"
            return 1
        fi
    fi
    export RUSTUP_TOOLCHAIN=$name
    # rustup from a package has its cargo elsewhere than rustup from its own installer.
    rust_is_new_enough || PATH=$(dirname -- "$(rustup which cargo)"):$PATH
    export PATH
}

# Prints the version that apt would install of a package.
apt_candidate() {
    apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: \([0-9]*:\)\{0,1\}\([0-9.]*\).*/\2/p'
}

# Sets `as_root`, or fails if nobody can become root without being asked for a password.
find_root() {
    if [[ $(id -u) == 0 ]]; then
        as_root=(env)
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=(sudo -n env)
    else
        return 1
    fi
    as_root+=(DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=120)
}

# Fails, with the reason in toolchain_tried, where apt cannot be used at all.
prepare_apt() {
    if ! command -v apt-get >/dev/null; then
        note_tried "apt-get: not on PATH"
        return 1
    fi
    if ! find_root; then
        note_tried "apt-get: not root, and sudo is missing or asks for a password"
        return 1
    fi
    # Images come without package lists or with old ones. A source that fails need not be the one that is needed.
    [[ -n ${apt_updated:-} ]] || "${as_root[@]}" update >/dev/null 2>&1 </dev/null || true
    apt_updated=yes
}

# apt_install PACKAGE…: installs, and takes away nothing but an older Rust from the same distribution.
apt_install() {
    local plan lost
    prepare_apt || return 1
    if ! plan=$(apt-get -s install --no-install-recommends "$@" 2>&1); then
        note_tried "apt-get install $*: $(grep -m1 '^E:' <<<"$plan" || tail -n1 <<<"$plan")"
        return 1
    fi
    lost=$(awk '/^Remv/ { print $2 }' <<<"$plan" | xargs)
    if [[ -n $lost ]] && grep -qvE '^(rustc|cargo|rustfmt|rust-clippy|rust-(gdb|lldb|src)|libstd-rust-.*)$' <<<"${lost// /$'\n'}"; then
        note_tried "apt-get install $*: would remove $lost"
        return 1
    fi
    toolchain_say "installing with apt-get: $*${lost:+ (replaces: $lost)}"
    if ! quietly "${as_root[@]}" install --no-install-recommends "$@"; then
        note_tried "apt-get install $*: failed, see above"
        return 1
    fi
}

use_apt() {
    local suffix have
    prepare_apt || return 1
    # Debian: rustc, and rustc-web, which follows the browsers' needs in stable releases. Ubuntu: rustc-1.NN as well.
    for suffix in "" -web $(apt-cache search --names-only '^cargo-1\.[0-9]+$' | sed -n 's/^cargo\(-[0-9.]*\) .*/\1/p' | sort -rV); do
        have=$(apt_candidate "rustc$suffix")
        if [[ -z $have ]] || ! version_at_least "$have" "$rust_needed"; then
            [[ $suffix == -1* ]] || note_tried "apt-get install rustc$suffix: ${have:+is Rust }${have:-not in the package lists}"
            continue
        fi
        # Without certificates cargo cannot fetch crates; a bare image has none.
        apt_install "rustc$suffix" "cargo$suffix" ca-certificates || continue
        hash -r
        find_rust && return
        note_tried "apt-get install rustc$suffix cargo$suffix: went well, but its cargo was not found"
    done
    return 1
}

# A compiler without the C library's start files cannot link either.
can_link() {
    command -v cc >/dev/null && [[ $(cc -print-file-name=crt1.o 2>/dev/null) == */* || $(uname -s) != Linux ]]
}

toolchain_fail() {
    local line
    toolchain_say "$1"
    for line in "${toolchain_tried[@]}"; do
        printf '  tried  %s\n' "$line" >&2
    done
    printf '  to do  %s\n' "$2" >&2
    exit 1
}

if ! find_rust; then
    note_tried "rustc on PATH: $(rust_version rustc || echo "not there")"
    use_rustup || use_apt || toolchain_fail "Rust $rust_needed or newer is needed and could not be had." \
        "install Rust $rust_needed or newer (https://rustup.rs, or your distribution's packages), then run this again"
fi
if ! can_link; then
    toolchain_tried=("cc on PATH: $(command -v cc >/dev/null && echo "cannot find the C library's crt1.o" || echo "not there")")
    { apt_install gcc libc6-dev && hash -r && can_link; } || toolchain_fail "A C linker is needed and could not be had." \
        "install gcc and the C library's development files (Debian: apt-get install gcc libc6-dev), then run this again"
fi
