use std::path::{Path, PathBuf};

use chronoscope_render::study::{Detail, html, json, parse, terminal};

use super::arguments::Arguments;
use super::{Failure, Format, Interrupt, OutputFile, StudyProgress, page_width, print, saved};
use chronoscope_harness::record::Tool;
use chronoscope_harness::record::study::{StudyCompared, StudyRecord};
use chronoscope_harness::{Study, StudyOptions, compare_studies};

/// The studies to run, and the destinations of their results.
pub(super) struct Jobs<'a> {
    jobs: Vec<Job<'a>>,
    arguments: &'a Arguments,
}

struct Job<'a> {
    study: &'a Study,
    options: StudyOptions,
    earlier: Option<(PathBuf, StudyRecord)>,
    /// Files that receive the record.
    records: Vec<OutputFile>,
    page: Option<OutputFile>,
}

impl<'a> Jobs<'a> {
    /// Checks that every file can be read or written before anything is measured.
    pub(super) fn prepare(chosen: Vec<(&'a Study, StudyOptions)>, arguments: &'a Arguments) -> Result<Self, Failure> {
        if chosen.len() > 1 {
            for (flag, is_set) in [("--output", arguments.output.is_some()), ("--html", arguments.html.is_some())] {
                if is_set {
                    return Err(Failure::usage(format!(
                        "{flag} takes one study, but {} are selected; choose one by name, or use --save",
                        chosen.len()
                    )));
                }
            }
        }
        let jobs = chosen.into_iter().map(|(study, options)| Job::prepare(study, options, arguments));
        Ok(Self { jobs: jobs.collect::<Result<_, _>>()?, arguments })
    }

    /// Runs them; false if something failed, was stopped or became slower.
    pub(super) fn run(self, interrupt: Interrupt) -> Result<bool, Failure> {
        let count = self.jobs.len() as f64;
        let mut is_well = true;
        for (i, job) in self.jobs.into_iter().enumerate() {
            if interrupt.happened() {
                is_well = false;
                break;
            }
            let mut progress = StudyProgress::new(self.arguments.quiet, interrupt.clone());
            progress.enters(i as f64 / count, (i + 1) as f64 / count);
            let record = job.study.run(&job.options, tool(), &mut progress);
            progress.finish();
            let record = record.map_err(|error| Failure::run(error.to_string()))?;
            is_well &= job.conclude(record, self.arguments)?;
        }
        Ok(is_well)
    }
}

impl<'a> Job<'a> {
    fn prepare(study: &'a Study, options: StudyOptions, arguments: &Arguments) -> Result<Self, Failure> {
        let earlier = match &arguments.compare {
            Some(name_or_file) => {
                let path = saved::find(study.name(), name_or_file)?;
                let record = read(&path, study.name())?;
                Some((path, record))
            }
            None => None,
        };
        let mut records = Vec::new();
        if let Some(path) = &arguments.output {
            records.push(OutputFile::prepare("the record", path)?);
        }
        if let Some(name) = &arguments.save {
            let path = saved::path(study.name(), name)?;
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(|error| {
                    Failure::usage(format!("cannot save a record in {}: {error}", folder.display()))
                })?;
            }
            records.push(OutputFile::prepare("the record", &path)?);
        }
        let page = arguments.html.as_deref().map(|path| OutputFile::prepare("the page", path)).transpose()?;
        Ok(Self { study, options, earlier, records, page })
    }

    /// Prints and saves; false if something failed, was stopped or became slower.
    fn conclude(self, mut record: StudyRecord, arguments: &Arguments) -> Result<bool, Failure> {
        let compared = self.earlier.map(|(path, earlier)| compare_studies(&earlier, &record, &path.to_string_lossy()));
        record.compared = compared;
        let text = json(&record).map_err(|error| Failure::run(error.to_string()))?;
        let detail = if arguments.verbose { Detail::Full } else { Detail::Usual };
        // Try every output, so that a full disk or a closed pipe loses no results.
        let mut outcome = match arguments.format {
            Format::Human => print(&terminal(&record, detail, page_width())),
            Format::Json => print(&text),
        };
        for file in self.records {
            let path = file.path().to_owned();
            let saved = file.write(&text);
            if saved.is_ok() && arguments.save.is_some() && arguments.format == Format::Human {
                outcome = outcome.and(print(&format!("saved to {}\n", path.display())));
            }
            outcome = outcome.and(saved);
        }
        if let Some(file) = self.page {
            outcome = outcome.and(file.write(&html(&record)));
        }
        outcome?;
        Ok(is_well(&record, arguments.strict))
    }
}

/// The harness, which did the measuring and estimating.
fn tool() -> Tool {
    Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}

/// An earlier record of the study.
fn read(path: &Path, study: &str) -> Result<StudyRecord, Failure> {
    let cannot = |why: String| Failure::usage(format!("cannot compare {study} with {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| cannot(error.to_string()))?;
    let record = parse(&text).map_err(|error| cannot(error.to_string()))?;
    if record.study.name != study {
        return Err(cannot(format!("it is a record of study {}", record.study.name)));
    }
    Ok(record)
}

fn is_well(record: &StudyRecord, strict: bool) -> bool {
    let is_slower = record.compared.as_ref().is_some_and(StudyCompared::has_regression);
    record.is_whole() && !is_slower && !(strict && record.has_warning())
}
