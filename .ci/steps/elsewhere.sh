# shellcheck shell=bash
# shellcheck disable=SC2154 # `tmp`, `target` and their like come from .ci/runner.sh and what it sources
# Steps that build and run the program for other machines.

readonly WINE_WALL_LIMIT_S=60

# shellcheck source=scripts/wine.sh
source scripts/wine.sh

step_arm_build() {
    local arm
    arm=$(targets workspace)
    need_target "$arm"
    if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
        install_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross || skip "no gcc for aarch64"
    fi
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc build_static "$arm" dev
}

# An emulator has no counter worth measuring and refuses system calls: the tool may say that it cannot, but must not
# fall over.
step_arm_smoke() {
    local emulator arm arm_binary rc=0
    arm=$(targets workspace)
    arm_binary=$target/$arm/debug/chronoscope
    [[ -x $arm_binary ]] || skip "no aarch64 build"
    if ! command -v qemu-aarch64-static qemu-aarch64 >/dev/null; then
        install_packages qemu-user-static || skip "no qemu-aarch64"
    fi
    emulator=$(type -P qemu-aarch64-static || type -P qemu-aarch64) || skip "no qemu-aarch64"
    timeout --kill-after=5 120 "$emulator" "$arm_binary" check --quick --format json \
        >"$tmp/arm.json" 2>"$tmp/arm.txt" || rc=$?
    echo "exit code $rc"
    tail -n 20 "$tmp/arm.txt"
    if grep -q 'panicked at' "$tmp/arm.txt"; then
        echo "panicked"
        return 1
    fi
    need_release
    case $rc in
    0) validate "$tmp/arm.json" ;;
    1) [[ -s $tmp/arm.txt ]] || { echo "exit code 1 without a word on stderr"; return 1; } ;;
    *) return 1 ;;
    esac
}

# The clock crate's unit tests and the program on Windows' interfaces, as far as Wine has them.
step_wine() {
    local rc=0 windows packages
    packages=$(clock_packages)
    mapfile -t packages <<<"$packages"
    windows=$(targets wine)
    need_target "$windows"
    if ! command -v x86_64-w64-mingw32-gcc >/dev/null || ! command -v wine >/dev/null; then
        install_packages gcc-mingw-w64-x86-64 wine64 wine || skip "no gcc for Windows or no wine"
    fi
    need_release
    prepare_wine "$tmp"
    CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine timeout --kill-after=5 300 \
        cargo test "${packages[@]/#/--package=}" --all-features --lib --target "$windows" --locked || rc=$?
    ((rc != 0)) || wine_program "$windows" || rc=$?
    # It lives on for a while, in a folder that is about to go.
    wineserver --kill --wait || true
    return "$rc"
}

# Under Wine the counter has 10 MHz, as on Windows 10 and later, and its steps are seen.
wine_program() {
    local command rc
    cargo build --quiet --locked -p chronoscope --target "$1" || return 1
    for command in clocks check; do
        rc=0
        timeout --kill-after=5 "$WINE_WALL_LIMIT_S" wine "$target/$1/debug/chronoscope.exe" "$command" --quick --format json \
            >"$tmp/wine.json" 2>"$tmp/wine.txt" || rc=$?
        echo "exit code $rc: chronoscope $command --quick"
        if ((rc != 0)) || grep -q 'panicked at' "$tmp/wine.txt"; then
            tail -n 20 "$tmp/wine.txt"
            return 1
        fi
        validate "$tmp/wine.json" || return 1
    done
}
