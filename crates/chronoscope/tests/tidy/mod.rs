//! The house is built as DESIGN.md says.

mod circles;
mod functions;
mod packages;
mod public_items;
mod renderers;
mod tree;
