#[path = "../first_call.rs"]
mod first_call;

fn main() {
    first_call::report(|| chronoscope_clock::Clock::or_system().now());
}
