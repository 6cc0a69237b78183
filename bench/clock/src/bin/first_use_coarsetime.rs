#[path = "../first_call.rs"]
mod first_call;

fn main() {
    first_call::report(coarsetime::Instant::now);
}
