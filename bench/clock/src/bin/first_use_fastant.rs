//! The first use of fastant.

#[path = "../child/first_call.rs"]
mod first_call;

fn main() {
    first_call::report(fastant::Instant::now);
}
