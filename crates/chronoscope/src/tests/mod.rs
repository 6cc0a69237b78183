//! Requirements on every page, document and rule, over whole records.

mod advice;
mod card;
mod documents;
mod faults;
mod findings;
mod first_screen;
mod gallery;
mod golden;
pub mod golden_file;
mod hostile;
mod literature;
mod mutation;
mod own_markup;
mod page_size;
mod schema;
mod study_golden;
mod study_hostile;
mod width;
