//! Every command that measures, one line each: the sections, from which the subcommand, the document field, schema, worker
//! dispatch, budget and view are derived, and the commands outside a check, from which the subcommand, the kinds of finding and
//! the page are.

use std::time::Duration;

use chronoscope_harness::finding::{Finding, Kind};
use chronoscope_harness::record::Machine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::session::Session;
use crate::engine::stages::{StageError, StageResult};
use crate::engine::task::Served;
use crate::part::{Part, PartRow};
use crate::plan::{Frame, Plan, PlanError};
use crate::section::rule::{RuleInput, SectionRule};
use crate::section::{Entry, EntryOf, Section};
use crate::sections;

/// Sections by a second name.
pub const ALIASES: [(&str, &str); 1] = [("pause", "pauses")];

/// Hands the list of sections to the macro `$derived`.
macro_rules! each_section {
    ($derived:ident) => {
        $derived! {
            /// Clocks in depth: path, latency, granularity, shortest intervals
            clocks: sections::clocks::Clocks;
            /// Consecutive reads: differences and gaps of every clock on the common timeline
            reads: sections::reads::Reads;
            /// Causality in depth: offsets between CPUs and the one-way litmus
            causality: sections::causality::Causality;
            /// Actual length and CPU cost of pauses: every way to wait, 1 µs to 10 ms
            #[command(alias = crate::registry::ALIASES[0].0)]
            pauses: sections::pauses::Pauses;
            #[command(about = format!("Clocks as this machine's language runtimes read them: {}", chronoscope_probes::RuntimeKind::titles()))]
            #[command(mut_arg("cpus", |arg| arg.help("Native code runs on the last of these; runtimes use as many threads, unbound")))]
            runtimes: sections::runtimes::Runtimes;
            /// Whether the wall clock is disciplined and by what, its maximum error, and the slew of CLOCK_MONOTONIC
            sync: sections::sync::Sync;
            /// Per-CPU stalls that an idle or a spinning thread sees, like jHiccup
            #[command(mut_arg("cpus", |arg| arg.help("Watch only these CPUs, e.g. 0-3,6; PROGRAM is not bound to them")))]
            hiccups: sections::hiccups::Hiccups;
        }
    };
}
pub(crate) use each_section;

/// Hands the list of commands that measure outside a check to the macro `$derived`, each with its options.
macro_rules! each_standalone {
    ($derived:ident) => {
        $derived! {
            /// Generate events at a fixed rate; report lateness, response against service time, and causes
            Pace: crate::sections::pace::plan::Options;
            /// Follow a running machine: clock steps, slews, clocksource changes, skew, stolen time, suspend, as they happen
            Watch: crate::watch::options::Options;
            /// Run an experiment from the literature: naive conclusion, model, published figures (not part of check)
            Experiment: crate::experiment::options::ExperimentOptions;
            /// Calls by one thread and by many released together, against an empty control (not part of check)
            #[command(alias = "latch")]
            ThreadRelease: crate::experiment::options::ThreadReleaseOptions;
            /// Cost of causal clocks on many threads: throughput and scaling by granularity (not part of check)
            #[command(alias = "monotime")]
            Contention: crate::experiment::options::ContentionOptions;
            /// Test the harness on operations of known cost: exit code 1 if it cannot be trusted here and now
            #[command(mut_arg("strict", |arg| arg.help("No effect: the exit code is always the verdict")))]
            Selftest: crate::run_options::RunOptions;
            /// How reads scale: cost by work between reads and thread count, and where each clock starts to scale
            #[command(mut_arg("thorough", |arg| arg.help("Measure the full grid: about ten minutes")))]
            Scaling: crate::sections::scaling::options::Options;
        }
    };
}
pub(crate) use each_standalone;

macro_rules! sections {
    ($($(#[$meta:meta])* $field:ident: sections::$folder:ident::$Section:ident;)*) => {
        /// Plans and measurements, by section.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct Sections {
            $(#[serde(skip_serializing_if = "Entry::is_untouched")] pub $field: EntryOf<sections::$field::$Section>,)*
        }

        /// The names of all sections, as in fields and views.
        pub const NAMES: &[&str] = &[$(stringify!($field)),*];

        /// The parts of all sections, in the order of a run.
        pub fn parts() -> impl Iterator<Item = &'static PartRow> {
            [$(<sections::$field::$Section as Section>::PARTS),*].into_iter().flatten()
        }

        /// The parts of the section `name`.
        pub fn parts_of(name: &str) -> &'static [PartRow] {
            $(if name == stringify!($field) {
                return <sections::$field::$Section as Section>::PARTS;
            })*
            &[]
        }

        /// Worker tasks of all sections.
        pub fn tasks() -> impl Iterator<Item = &'static Served> {
            [$(<sections::$field::$Section as Section>::TASKS),*].into_iter().flatten()
        }

        /// The findings of every section on its own, section by section.
        pub fn findings(machine: &Machine, sections: &Sections) -> Vec<Finding> {
            [$(found(<sections::$field::$Section as Section>::RULES, &sections.$field.seen(machine))),*].concat()
        }

        /// Every kind of finding of the sections, in their order.
        pub fn kinds() -> impl Iterator<Item = &'static Kind> {
            [$(yielded(<sections::$field::$Section as Section>::RULES)),*].into_iter().flatten()
        }

        /// The parts of each section whose rules yield findings of the kind `id`.
        pub fn parts_yielding(id: &str) -> Vec<&'static [PartRow]> {
            let sections = [$((yielded(<sections::$field::$Section as Section>::RULES), <sections::$field::$Section as Section>::PARTS)),*];
            let yields = |kinds: &[&Kind]| kinds.iter().any(|kind| kind.id == id);
            sections.into_iter().filter(|(kinds, _)| yields(kinds)).map(|(_, parts)| parts).collect()
        }

        /// Why the measured sections cannot tell that there is no finding of the kind `id`; None if they can.
        pub fn lack(id: &str, machine: &Machine, sections: &Sections) -> Option<&'static str> {
            let lacks = [$(lack_in(<sections::$field::$Section as Section>::RULES, &sections.$field.seen(machine), id)),*];
            lacks.into_iter().flatten().next()
        }

        /// Plans, with default options, every section of a check that has no plan yet.
        pub fn plan_check(sections: &mut Sections, frame: &Frame) -> Result<(), PlanError> {
            $(if is_of_check(<sections::$field::$Section as Section>::PARTS) && sections.$field.is_untouched() {
                sections.$field.plan = sections::$field::$Section::plan(&Default::default(), frame)?;
            })*
            Ok(())
        }

        /// Plans the section `name` with default options, and its time alone.
        ///
        /// # Errors
        /// If there is no such section, or the options of `run` do not suit it.
        pub fn plan_alone(name: &str, sections: &mut Sections, frame: &Frame) -> Result<Plan, PlanError> {
            $(if name == stringify!($field) {
                type Alone = sections::$field::$Section;
                sections.$field.plan = Alone::plan(&Default::default(), frame)?;
                Alone::check_needs(&sections.$field.plan)?;
                return plan_section::<Alone>(None, frame);
            })*
            Err(PlanError::new(format!("there is no section {name}")))
        }

        /// Begins the report of every section.
        pub fn begin(session: &Session<'_>, sections: &mut Sections) {
            $(sections.$field.report = sections::$field::$Section::begin(session);)*
        }

        /// Runs `part`, whichever section it belongs to.
        pub fn measure(part: Part, session: &mut Session<'_>, sections: &mut Sections) -> StageResult {
            $(if has(<sections::$field::$Section as Section>::PARTS, part) {
                let Entry { plan, report } = &mut sections.$field;
                let (after, ended) = sections::$field::$Section::measure(part, session, plan, report.clone())?;
                *report = after;
                return ended;
            })*
            Err(StageError::Skipped("no section of this build does it".to_owned()))
        }

        /// Lets every section repeat measurements spoiled by a busy moment.
        pub fn finish(session: &mut Session<'_>, sections: &mut Sections) {
            let steps = [$(sections::$field::$Section::steps(&sections.$field.report)),*].concat();
            $(let Entry { plan, report } = &mut sections.$field;
            *report = sections::$field::$Section::finish(session, plan, &steps, std::mem::take(report));)*
        }
    };
}

each_section!(sections);

impl Part {
    /// What the part determines, in a few words.
    pub fn title(self) -> &'static str {
        parts().find(|row| row.part == self).map_or("", |row| row.title)
    }
}

/// A part measured alone gets this multiple of its share of a check.
const ALONE_FACTOR: u32 = 3;

/// The common plan of a check.
///
/// # Errors
/// [`PlanError`] for an out-of-range time.
pub fn plan_of_check(duration: Option<Duration>, frame: &Frame) -> Result<Plan, PlanError> {
    let rows: Vec<&PartRow> = parts().filter(|row| row.is_of_check).collect();
    Plan::of(&rows, duration, frame.depth.budget(), frame)
}

/// The common plan of a run of the section `S` alone.
///
/// # Errors
/// [`PlanError`] for an out-of-range time.
pub fn plan_section<S: Section>(duration: Option<Duration>, frame: &Frame) -> Result<Plan, PlanError> {
    let rows = S::PARTS.iter().collect::<Vec<_>>();
    let whole: u64 = parts().filter(|row| row.is_of_check).map(|row| row.weight).sum();
    let wanted: u64 = rows.iter().map(|row| row.weight).sum();
    let share = || frame.depth.budget().mul_f64(wanted as f64 / whole as f64) * ALONE_FACTOR;
    Plan::of(&rows, duration, S::time_alone(frame.depth).unwrap_or_else(share), frame)
}

fn found<P, R>(rules: &[&[SectionRule<P, R>]], seen: &RuleInput<'_, P, R>) -> Vec<Finding> {
    rules.iter().copied().flatten().flat_map(|rule| rule.found(seen)).collect()
}

fn yielded<P, R>(rules: &'static [&'static [SectionRule<P, R>]]) -> Vec<&'static Kind> {
    rules.iter().copied().flatten().flat_map(|rule| rule.yields).collect()
}

fn lack_in<P, R>(rules: &[&[SectionRule<P, R>]], seen: &RuleInput<'_, P, R>, id: &str) -> Option<&'static str> {
    let mut yielding = rules.iter().copied().flatten().filter(|rule| rule.yields.iter().any(|kind| kind.id == id));
    yielding.find_map(|rule| (rule.lack)(seen))
}

fn is_of_check(parts: &[PartRow]) -> bool {
    parts.iter().any(|row| row.is_of_check)
}

fn has(parts: &[PartRow], part: Part) -> bool {
    parts.iter().any(|row| row.part == part)
}
