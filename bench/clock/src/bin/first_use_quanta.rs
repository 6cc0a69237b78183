//! The first use of quanta.

#[path = "../first_call.rs"]
mod first_call;

fn main() {
    first_call::report(quanta::Instant::now);
}
