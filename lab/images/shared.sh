# shellcheck shell=bash
# shellcheck disable=SC2034 # what is set here is for whoever sources this
# Sourced by the scripts in lab/images, each of which is called with two paths: where to leave the initramfs, and where to
# leave the kernel. Standard output says why an image cannot be built here, with exit code 77.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
initramfs=$1
kernel=$2
lab=$(dirname -- "$initramfs")
target=$(dirname -- "$lab")
readonly SKIPPED=77
readonly TRIPLE=x86_64-unknown-linux-gnu
# The release of Debian that scenarios were seen on, for what the system's own apt does not know.
readonly SUITE=bookworm
readonly MIRROR=http://deb.debian.org/debian
readonly KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# shellcheck source=scripts/toolchain.sh
source "$root/scripts/toolchain.sh"
# shellcheck source=scripts/build.sh
source "$root/scripts/build.sh"

say() { printf 'lab: %s\n' "$*" >&2; }

skip() {
    echo "$*"
    exit "$SKIPPED"
}

# Whether missing packages and targets are installed; `lab/run --no-install` leaves that to the developer.
may_install() { [[ ${CHRONOSCOPE_LAB_INSTALL:-yes} == yes ]]; }

# need PROGRAM PACKAGE
need() {
    command -v "$1" >/dev/null && return
    may_install || skip "no $1 (Debian: apt-get install $2)"
    toolchain_tried=()
    apt_install "$2" >&2 && hash -r && command -v "$1" >/dev/null && return
    skip "no $1 (Debian: apt-get install $2${toolchain_tried[0]:+; tried ${toolchain_tried[0]}})"
}

# need_target TRIPLE: the standard library for it.
need_target() {
    [[ ! -d $(rustc --print target-libdir --target "$1") ]] || return 0
    if ! may_install || ! command -v rustup >/dev/null; then
        skip "no standard library for $1 (rustup target add $1)"
    fi
    rustup target add "$1" >&2 || skip "rustup target add $1 failed"
}

# fetch_package PACKAGE FOLDER: unpacks a Debian package there and installs nothing; once it is there, it stays.
fetch_package() {
    local package=$1 folder=$2
    [[ ! -e $folder/.unpacked ]] || return 0
    type -P apt-get dpkg-deb >/dev/null || skip "no apt-get to get $package with"
    ! may_install || prepare_apt >&2 || true
    say "getting $package with apt-get download"
    rm -rf "$folder"
    mkdir -p "$folder"
    (cd "$folder" && apt-get -qq download "$package" >&2 && dpkg-deb -x ./*.deb . && rm -f ./*.deb) ||
        skip "apt-get download $package failed"
    touch "$folder/.unpacked"
}

# begin_apt FOLDER TYPE ARCHITECTURE: an apt that leaves the system's own lists and settings alone, for whoever sets
# APT_CONFIG to FOLDER/apt.conf. TYPE is deb or deb-src.
begin_apt() {
    local apt=$1 type=$2 architecture=$3
    [[ -r $KEYRING ]] || skip "no $KEYRING to check Debian's packages by (Debian: apt-get install debian-archive-keyring)"
    rm -rf "$apt"
    mkdir -p "$apt"/{state/lists/partial,cache/archives/partial}
    : >"$apt/state/status"
    echo "$type [arch=$architecture signed-by=$KEYRING] $MIRROR $SUITE main" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<TEXT
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "";
Acquire::Languages "none";
Dir::State "$apt/state";
Dir::State::status "$apt/state/status";
Dir::Cache "$apt/cache";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "-";
TEXT
}

# Sets `vmlinuz`: Debian's kernel for clouds, which has what QEMU emulates.
find_kernel() {
    local package
    ! may_install || prepare_apt >&2 || true
    package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p') || true
    if [[ -n $package ]]; then
        fetch_package "$package" "$lab/kernel"
        vmlinuz=$(echo "$lab"/kernel/boot/vmlinuz-*-amd64)
    else
        vmlinuz=$(find /boot -maxdepth 1 -name 'vmlinuz-*-amd64' -readable 2>/dev/null | head -n 1) || true
    fi
    [[ -n $vmlinuz && -r $vmlinuz ]] || skip "no kernel at /boot/vmlinuz-*-amd64, and apt knows no linux-image-cloud-amd64"
}

need_machine_tools() {
    [[ $(uname -m) == x86_64 ]] || skip "the guests are x86-64, and nothing here builds for that"
    need qemu-system-x86_64 qemu-system-x86
    need qemu-img qemu-utils
    need busybox busybox-static
    need cpio cpio
    need gzip gzip
    busybox=$(type -P busybox)
    ! ldd "$busybox" >/dev/null 2>&1 || skip "$busybox is not linked statically (Debian: apt-get install busybox-static)"
    can_link_statically || skip "no static C library (Debian: apt-get install libc6-dev)"
}

# Sets `guest` and `tool`: what every image has in /bin.
build_programs() {
    say "building the guest program and the tool"
    (cd "$root" && RUSTFLAGS="-C target-feature=+crt-static" CARGO_TARGET_DIR=$target \
        cargo build --quiet --release --locked --manifest-path lab/Cargo.toml --target "$TRIPLE" --bin guest) >&2
    guest=$target/$TRIPLE/release/guest
    build_static "$TRIPLE" >&2
    tool=$target/$TRIPLE/release/chronoscope
}

# is_newer FILE INPUT…: whether FILE is there and no input is newer.
is_newer() {
    local file=$1 input
    shift
    [[ -f $file ]] || return 1
    for input in "$@"; do
        [[ ! $input -nt $file ]] || return 1
    done
}

# begin_folder FOLDER [PROGRAM…]: an empty one with what every guest starts with.
begin_folder() {
    local folder=$1 name
    shift
    rm -rf "$folder"
    mkdir -p "$folder"/{bin,proc,sys,dev,tmp}
    cp "$busybox" "$guest" "$tool" "$@" "$folder/bin/"
    for name in sh mount cat dmesg echo sleep date devmem insmod grep sed ls mkdir kill poweroff; do
        ln -s busybox "$folder/bin/$name"
    done
    cp "$root/lab/init" "$folder/init"
}

# pack FOLDER FILE: whole or not at all; an interrupted run leaves nothing that the next would take for an image.
pack() {
    (cd "$1" && find . -print0 | cpio --null -o -H newc --quiet | gzip -1) >"$2.part"
    mv "$2.part" "$2"
}
