//! A process that links no library of clocks: what the others are compared with.

#[path = "../first_call.rs"]
mod first_call;

fn main() {
    first_call::report(|| ());
}
