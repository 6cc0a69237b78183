//! Emulated machines in which chronoscope and its clock are put to the test.
//!
//! A scenario says what is done in a machine, and what must be seen. The program `lab` boots the machine and judges what
//! its guest tells; the program `guest` runs inside, carries out the steps and prints what comes of them.

pub mod answer;
pub mod bracket;
pub mod campaign;
pub mod check;
pub mod checks;
pub mod child;
pub mod clocksource;
pub mod crew;
pub mod disturber;
pub mod event;
pub mod expectation;
pub mod fault;
pub mod helper;
pub mod images;
pub mod launcher;
pub mod line;
pub mod machine;
pub mod monitor;
pub mod overlay;
pub mod peer;
/// Places in a document, as the program itself looks them up.
#[path = "../../crates/chronoscope/src/answers/literature/place.rs"]
pub mod place;
pub mod plant;
pub mod reader;
pub mod row;
pub mod run;
pub mod scenario;
pub mod schedule;
pub mod self_test;
pub mod size;
pub mod steps;
pub mod stop;
pub mod sys;
pub mod table;
pub mod tally;
pub mod verdict;
pub mod word;
