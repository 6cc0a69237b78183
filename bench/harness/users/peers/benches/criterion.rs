use criterion::{Criterion, criterion_group, criterion_main};

fn add(c: &mut Criterion) {
    c.bench_function("add", |b| b.iter(|| 1 + 1));
}

criterion_group!(benches, add);
criterion_main!(benches);
