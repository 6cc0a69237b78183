# shellcheck shell=bash
# shellcheck disable=SC2154 # `tmp`, `target` and their like come from .ci/runner.sh and what it sources
# Steps that judge what others wrote and we build.

# Licences, crates that are there twice, and where they come from.
step_dependencies() {
    need_cargo_deny
    deny_all licenses bans sources
}

# Known vulnerabilities. Without today's database there is no answer, neither good nor bad.
step_advisories() {
    local said
    need_cargo_deny
    said=$(cargo deny --config .ci/deny/every.toml fetch db 2>&1) ||
        skip "not checked: RustSec's advisory database could not be had: $(grep -m1 '^fatal: ' <<<"$said" || tail -n 1 <<<"$said")"
    deny_all advisories
}

need_cargo_deny() {
    export CARGO_TARGET_DIR=$target/deny PATH=$target/ci-tools/bin:$PATH
    mkdir -p "$target"
    # Both steps start at once; the second waits for what the first installs. As cargo-fuzz; kept for the next run, since it takes minutes.
    {
        flock 9
        command -v cargo-deny >/dev/null || CARGO_PROFILE_DEV_DEBUG=false timeout 1500 \
            cargo install cargo-deny --locked --quiet --debug --root "$target/ci-tools" || skip "cargo-deny could not be installed"
    } 9>"$target/deny.lock"
}

# deny_all CHECK…: in every workspace, that is wherever a lock file is; .ci/deny has a file for all and one for each that is allowed
# more. A warning is a failure too: an exception that nothing needs any more is one.
deny_all() {
    local lock folder allowed bad=0 config=$tmp/deny-$1.toml
    while read -r lock <&3; do
        folder=$(dirname -- "$lock")
        allowed=.ci/deny/${folder/#./main}.toml
        cat .ci/deny/every.toml "$([[ -e $allowed ]] && echo "$allowed" || echo /dev/null)" >"$config"
        echo "== $folder"
        cargo deny --workspace --manifest-path "$folder/Cargo.toml" --locked --config "$config" check --deny warnings "$@" || bad=1
    done 3< <(git ls-files 'Cargo.lock' '*/Cargo.lock')
    return "$bad"
}
