pub mod intervals;
pub mod latch;
pub mod latency;
pub mod modes;
pub mod pauses;
pub mod reads;
pub mod steps;
pub mod tick;
