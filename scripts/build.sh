# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # `root` and `target` come from whoever sources this, `binary` goes there
# Sourced after toolchain.sh by ./run and CI, with `root` and `target` (absolute) set. Says where the release
# binary is, and builds it.
#
# The binary is linked statically where that is possible: one file that runs on any Linux of its architecture. A dynamic
# one cannot even be loaded where a process may not read the CPU's counter, since glibc's loader reads it.

# The same bytes come out wherever it is built: panics name the files of crates by their path in cargo's folder, whatever that is here.
portable=--remap-path-prefix=${CARGO_HOME:-${HOME:-/root}/.cargo}=/cargo

host=$(rustc -vV | sed -n 's/^host: //p')
binary=$target/$host/release/chronoscope

# build_static TRIPLE [PROFILE]: a target named in words keeps the flag away from what is built for the host, such as macros.
build_static() {
    (cd "$root" && CARGO_ENCODED_RUSTFLAGS=-Ctarget-feature=+crt-static$'\x1f'$portable CARGO_TARGET_DIR=$target \
        cargo build --profile "${2:-release}" --locked -p chronoscope --target "$1")
}

can_link_statically() {
    echo 'int main(void) { return 0; }' | cc -static -x c -o /dev/null - 2>/dev/null
}

build_release() {
    if can_link_statically; then
        build_static "$host"
    else
        echo "chronoscope: no static C library here (Debian: libc6-dev), so the binary is linked dynamically" >&2
        binary=$target/release/chronoscope
        (cd "$root" && CARGO_ENCODED_RUSTFLAGS=$portable CARGO_TARGET_DIR=$target cargo build --release --locked -p chronoscope)
    fi
}
