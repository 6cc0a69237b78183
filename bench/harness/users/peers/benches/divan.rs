fn main() {
    divan::main();
}

#[divan::bench]
fn add() -> i32 {
    1 + 1
}
