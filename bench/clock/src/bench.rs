//! `cargo bench --bench reads`: the studies with the flags of chronoscope-bench, such as `--against-rev`.

fn main() {
    chronoscope_bench::main(bench_clock::studies::all());
}
