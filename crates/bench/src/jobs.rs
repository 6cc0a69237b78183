use std::path::Path;
use std::time::Duration;

use chronoscope_render::study::{Detail, json, surroundings, terminal};

use super::arguments::Arguments;
use super::fail_on::has_compared;
use super::page::Page;
use super::revision::{Revision, Source};
use super::{Failure, Format, Interrupt, OutputFile, StudyProgress, each_tried, keep_apart, page_width, print};
use chronoscope_harness::record::Tool;
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::{Study, StudyOptions};

/// The studies to run, and the destinations of their results.
pub(super) struct Jobs<'a> {
    jobs: Vec<Job<'a>>,
    arguments: &'a Arguments,
    /// This program's name.
    program: &'a str,
    /// The revision that is compared with; its worktree is there as long as anything is measured.
    _revision: Option<Revision>,
}

struct Job<'a> {
    study: &'a Study,
    options: StudyOptions,
    /// The file that receives the record.
    record: Option<OutputFile>,
    page: Option<Page>,
}

impl<'a> Jobs<'a> {
    /// Checks that every file can be read or written, and that another build has the same studies, before anything is measured.
    pub(super) fn prepare(
        chosen: Vec<(&'a Study, StudyOptions)>,
        arguments: &'a Arguments,
        program: &'a str,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        if chosen.len() > 1 {
            for (flag, is_set) in [("--output", arguments.output.is_some()), ("--html", arguments.html.is_some())] {
                if is_set {
                    return Err(Failure::usage(format!(
                        "{flag} takes one study, but {} are selected; choose one by name",
                        chosen.len()
                    )));
                }
            }
        }
        keep_apart(
            &[("--output", arguments.output.as_deref()), ("--html", arguments.html.as_deref())],
            &[("the other build", arguments.against.as_deref())],
        )?;
        let jobs = chosen.into_iter().map(|(study, options)| Job::prepare(study, options, arguments));
        let mut jobs: Vec<Job<'a>> = jobs.collect::<Result<_, _>>()?;
        let with = arguments.against_args.clone().unwrap_or_default();
        let build = |revision| {
            let built = Revision::build(revision, &with, &Source::of_this_program(program)?, interrupt);
            built.map_err(|failure| if interrupt.happened() { Failure::run("interrupted") } else { failure })
        };
        let revision = arguments.against_rev.as_deref().map(build).transpose()?;
        let other = match (&revision, &arguments.against) {
            (Some(revision), _) => Some((revision.executable(), revision.name().to_owned())),
            (None, Some(path)) => Some((path.as_path(), path.display().to_string())),
            (None, None) => None,
        };
        if let Some((executable, name)) = other {
            for job in &mut jobs {
                job.compare_with(executable, &name, interrupt)?;
            }
        }
        Ok(Self { jobs, arguments, program, _revision: revision })
    }

    /// Runs them; false if something failed, was stopped or became slower.
    pub(super) fn run(self, interrupt: Interrupt) -> Result<bool, Failure> {
        let budgets: Vec<Duration> = self.jobs.iter().map(Job::budget).collect();
        let whole: Duration = budgets.iter().sum();
        let share = |studies: usize| budgets[..studies].iter().sum::<Duration>().div_duration_f64(whole);
        let mut progress = StudyProgress::new(self.arguments.quiet, interrupt.clone());
        progress.expects(whole);
        let mut is_well = true;
        for (i, job) in self.jobs.into_iter().enumerate() {
            if interrupt.happened() {
                is_well = false;
                break;
            }
            progress.enters(share(i), share(i + 1));
            let record = job.study.run(&job.options, tool(), &mut progress);
            progress.clear();
            let record = record.map_err(|error| Failure::run(error.to_string()))?;
            if i == 0 && self.arguments.verbose && self.arguments.page_format() == Format::Human {
                // The same for all of them.
                print(&surroundings(&record, page_width()))?;
            }
            if i > 0 && self.arguments.page_format() == Format::Human {
                print("\n")?;
            }
            is_well &= job.conclude(record, self.arguments, self.program)?;
        }
        Ok(is_well)
    }
}

impl<'a> Job<'a> {
    fn prepare(study: &'a Study, options: StudyOptions, arguments: &Arguments) -> Result<Self, Failure> {
        let record = arguments.output.as_deref().map(|path| OutputFile::prepare("the record", path)).transpose()?;
        let page = arguments.html.as_deref().map(Page::prepare).transpose()?;
        Ok(Self { study, options, record, page })
    }

    /// How long it takes, about; never nothing.
    fn budget(&self) -> Duration {
        let options = StudyOptions { cpus: None, ..self.options.clone() };
        let budget_ms = self.study.plan(&options, &[0]).map_or(1, |plan| plan.budget_ms.max(1));
        Duration::from_millis(budget_ms)
    }

    /// Has the processes of another build take turns with this one's.
    fn compare_with(&mut self, executable: &Path, name: &str, interrupt: &Interrupt) -> Result<(), Failure> {
        let other = self.study.other_build(executable, name, &|| interrupt.happened());
        let what_to_do =
            "--against takes the executable of another build of this benchmark; cargo bench --no-run names it";
        self.options.against = Some(other.map_err(|error| Failure::usage(format!("{error} ({what_to_do})")))?);
        Ok(())
    }

    /// Prints and saves; false if something failed, was stopped or became slower.
    fn conclude(self, record: StudyRecord, arguments: &Arguments, program: &str) -> Result<bool, Failure> {
        let text = json(&record).map_err(|error| Failure::run(error.to_string()));
        let detail = if arguments.verbose { Detail::Full } else { Detail::Usual };
        let printed = match (arguments.page_format(), &text) {
            (Format::Human, _) => print(&terminal(&record, detail, page_width())),
            (Format::Json, Ok(text)) => print(text),
            // Told once, as what cannot be saved.
            (Format::Json, Err(_)) => Ok(()),
        };
        let saved = text.and_then(|text| self.record.map_or(Ok(()), |file| file.write(&text)));
        let drawn = self.page.map_or(Ok(()), |page| page.write(&record));
        each_tried(program, [saved, drawn, printed])?;
        let is_failure = arguments.fail_on.unwrap_or_default().is_met(&record);
        // A gate that compares with nothing is open.
        Ok(record.is_whole() && has_compared(&record) && !is_failure && !(arguments.strict && record.has_warning()))
    }
}

/// The harness, which did the measuring and estimating.
fn tool() -> Tool {
    Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}
