# shellcheck shell=bash
# shellcheck disable=SC2154 # `root` comes from whoever sources this
# Sourced with `root` set. Reads lists where they are kept, so that no script keeps a copy.

# list_rows FILE…: their lines without comments, one space between words; fails if a file has none.
list_rows() {
    local file
    for file; do
        awk '!/^#/ && NF { $1 = $1; print; found = 1 } END { exit !found }' "$root/$file" ||
            { echo "$root/$file has no rows" >&2; return 1; }
    done
}

# targets USE: the targets of that use, as scripts/targets.txt has them.
targets() {
    local rows
    rows=$(list_rows scripts/targets.txt) || return 1
    awk -v use="$1" '{ for (i = 2; i <= NF; i++) if ($i == use) { print $1; found = 1 } } END { exit !found }' <<<"$rows" ||
        { echo "scripts/targets.txt has no target for $1" >&2; return 1; }
}

# runtimes: `kind programs source…` of every language runtime, as the folder of its probe has it.
# programs: separated by commas; the first runs the probe, the others compile it.
# source: Debian packages; or pip:PACKAGE, from the Python registry.
runtimes() { (cd "$root" && list_rows probes/*/install.txt); }

# clock_features: the clock library's features but `default`, as its manifest declares them.
clock_features() {
    sed -n '/^\[features\]/,/^\[/s/^\([a-z][a-z0-9_-]*\) *=.*/\1/p' "$root/crates/clock/Cargo.toml" | grep -vx default ||
        { echo "no features found in $root/crates/clock/Cargo.toml" >&2; return 1; }
}

# example_programs: the programs in examples.
example_programs() {
    (cd "$root/examples/src/bin" && printf '%s\n' *.rs | sed 's/\.rs$//')
}

# absent PROGRAM,…: those of the programs that are not on the path, separated by spaces; fails if all are there.
absent() {
    local program lacking=
    for program in ${1//,/ }; do
        command -v "$program" >/dev/null || lacking+=${lacking:+ }$program
    done
    [[ -n $lacking ]] && echo "$lacking"
}
