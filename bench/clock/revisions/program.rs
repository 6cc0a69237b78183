//! The program that `bench/clock/against` builds: `here` and `there` are the clock crate of this tree and that of the
//! other revision.

fn main() -> std::process::ExitCode {
    let (here, there) = (bench_clock_revisions::reads!(here), bench_clock_revisions::reads!(there));
    bench_clock_revisions::run(env!("BENCH_CLOCK_REVISION"), here, there)
}
