//! A process that links no library of clocks: what the others are compared with.

#[path = "../child/first_call.rs"]
mod first_call;

fn main() {
    first_call::report(|| ());
}
