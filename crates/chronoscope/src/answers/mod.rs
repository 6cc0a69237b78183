//! What users ask of documents: advice, comparisons, gates, how small a difference can be told, and what changed since the last check.

pub mod advice;
pub mod compare;
pub mod gate;
pub mod literature;
pub mod noise_floor;
pub mod since;
