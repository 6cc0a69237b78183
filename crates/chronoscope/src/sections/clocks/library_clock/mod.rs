//! What the library's own clock says of itself.

pub mod estimate;
pub mod measure;
pub mod report;
pub mod task;
pub mod view;
