fn main() {
    let study = chronoscope_bench::Study::new("sum").case("add", |b| b.iter(|| 1 + 1));
    chronoscope_bench::main([study]);
}
