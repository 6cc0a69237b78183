//! What is done to a machine while its clock is read, one file each.

pub mod disturbed;
pub mod forks;
pub mod hogs;
pub mod readings;
pub mod signals;
pub mod slews;
pub mod stops;
pub mod switch;
pub mod timens;
