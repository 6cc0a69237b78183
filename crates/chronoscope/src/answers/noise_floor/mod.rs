//! How small a difference a benchmark on this machine could tell: identical operations, compared with each other. Pure, from the
//! study that measured them.

pub mod measured;
pub mod report;
pub mod size;
pub mod view;

#[cfg(test)]
pub mod tests;
