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

# of_packages EXPRESSION: what it gives of each package `p` of the workspace, as cargo knows it: a list, an item a line.
of_packages() {
    cargo metadata --locked --no-deps --format-version 1 --manifest-path "$root/Cargo.toml" |
        python3 -c "import json, sys
print(*(item for p in json.load(sys.stdin)['packages'] for item in ($1)), sep='\n')"
}

# clock_features: the clock library's features but `default`.
clock_features() { of_packages "sorted(p['features'].keys() - {'default'}) if p['name'] == 'chronoscope-clock' else []"; }

# clock_packages: the clock library, and the sources of time that only a program which studies clocks needs.
clock_packages() { of_packages "[p['name']] if p['name'] in ('chronoscope-clock', 'chronoscope-sources') else []"; }

# unpublished_packages: those with `publish = false`.
unpublished_packages() { of_packages "[p['name']] if p['publish'] == [] else []"; }

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
