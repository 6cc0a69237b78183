# shellcheck shell=bash
# shellcheck disable=SC2154 # `tmp`, `target` and their like come from .ci/runner.sh and what it sources
# Steps that read what is written and run none of it.

# Each workspace; what one of them built serves the next.
readonly WORKSPACES=(Cargo.toml bench/Cargo.toml lab/Cargo.toml pages/Cargo.toml)

step_fmt() {
    local manifest
    need_component rustfmt rustfmt-web
    for manifest in "${WORKSPACES[@]}"; do
        cargo fmt --all --check --manifest-path "$manifest"
    done
}

step_scripts() {
    command -v shellcheck >/dev/null || install_packages shellcheck || skip "no shellcheck"
    git grep -lzE '^(#!/usr/bin/env bash|#!/bin/sh|# shellcheck shell=bash)$' | xargs -0 shellcheck -x
}

step_clippy() {
    local manifest
    need_component clippy rust-web-clippy
    for manifest in "${WORKSPACES[@]}"; do
        cargo clippy --workspace --all-targets --locked --manifest-path "$manifest" -- -D warnings
    done
    # The lock file of what needs a nightly compiler must follow the workspace's dependencies, too.
    cargo metadata --locked --manifest-path fuzz/Cargo.toml --format-version 1 >/dev/null
}

step_doc() { RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked; }

# Every crate that is published, as it would be: whole, and nothing to warn of. What is packaged is what is committed; a tree
# with changes is packaged too, so that this step can be run before a commit.
step_package() {
    local dirty=() unpublished=() name package file missing=0
    [[ -z $(git status --porcelain) ]] || dirty=(--allow-dirty)
    for name in $(unpublished_packages); do
        unpublished+=(--exclude "$name")
    done
    cargo package --workspace "${unpublished[@]}" --locked --no-verify "${dirty[@]}" 2>&1 | tee "$tmp/package"
    # Out of its package alone, as crates.io gives it.
    cargo package -p chronoscope-clock --locked "${dirty[@]}" 2>&1 | tee -a "$tmp/package"
    if grep -q '^warning' "$tmp/package"; then
        echo "packaging warns, see above"
        return 1
    fi
    for package in "$target"/package/chronoscope*.crate; do
        tar -tzf "$package" >"$tmp/packaged"
        for file in LICENSE-MIT LICENSE-APACHE README.md; do
            grep -qx "[^/]*/$file" "$tmp/packaged" || { echo "$package lacks $file"; missing=1; }
        done
    done
    return "$missing"
}

# The clock library's API breaks nobody unawares. API_BASE=REVISION compares with another revision.
step_semver() {
    local base
    base=$(api_base)
    export CARGO_TARGET_DIR=$target/semver PATH=$target/ci-tools/bin:$PATH
    if ! command -v cargo-semver-checks >/dev/null; then
        # As cargo-fuzz; kept for the next run, since it takes minutes.
        CARGO_PROFILE_DEV_DEBUG=false timeout 1500 cargo install cargo-semver-checks --locked --quiet --debug --root "$target/ci-tools" ||
            skip "cargo-semver-checks could not be installed"
    fi
    echo "compared with $(git log -1 --format='%h of %cs, %s' "$base")"
    cargo semver-checks -p chronoscope-clock --all-features --baseline-rev "$base"
}

# api_base: the newest release, or as long as there is none the commit that last wrote down a break.
api_base() {
    [[ $(git rev-parse --is-shallow-repository) == false ]] || skip "a shallow clone has nothing to compare the API with"
    local tag
    tag=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null) || true
    git rev-parse --verify --end-of-options "${API_BASE:-${tag:-$(git log -1 --format=%H -- .ci/api-breaks.txt)}}^{commit}"
}
