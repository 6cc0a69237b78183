//! What users ask of documents: advice, comparisons, gates, and what changed since the last check.

pub mod advice;
pub mod compare;
pub mod gate;
pub mod since;
