pub mod intervals;
pub mod latency;
pub mod pauses;
pub mod reads;
pub mod steps;
pub mod tick;
