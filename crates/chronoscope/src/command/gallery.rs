use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chronoscope_bench::{Failure, OutputFile, print};
use chronoscope_harness::record::clean;
use chronoscope_render::words::counted;
use clap::Args;

use super::output::keep_apart;
use super::saved::saved;
use crate::screen::gallery::Gallery;

/// Files that an error names; the others are counted.
const NAMED: usize = 3;

#[derive(Args, Clone, Debug)]
pub struct GalleryOptions {
    /// A folder of documents, in files that end in .json; folders in it are not read
    pub folder: PathBuf,

    /// Write the page to FILE: one file that asks for nothing
    #[arg(long, value_name = "FILE")]
    pub html: PathBuf,
}

/// Writes a page of all checks in a folder.
pub fn run(options: &GalleryOptions) -> Result<ExitCode, Failure> {
    let files = documents(&options.folder)?;
    let read: Vec<(&str, Option<&Path>)> = files.iter().map(|file| ("a document", Some(file.as_path()))).collect();
    keep_apart(&[("--html", Some(&options.html))], &read)?;
    let mut gallery = Gallery::default();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        gallery.add(&clean(&name), opened(file));
    }
    if gallery.shown() == 0 {
        return Err(nothing(&options.folder, &gallery.left_out));
    }
    let said = summary(&gallery, &options.html);
    OutputFile::prepare("the page", &options.html)?.write(&gallery.sheet().finish())?;
    print(&said)?;
    Ok(ExitCode::SUCCESS)
}

fn opened(file: &Path) -> Result<crate::document::Record, String> {
    match file.extension().is_some_and(|end| end == "gz") {
        true => Err("it is compressed; unpack it first".to_owned()),
        false => saved(file),
    }
}

/// The files of a folder that should be documents, by name.
fn documents(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let cannot = |error: std::io::Error| {
        Failure::usage(format!("{} cannot be listed: {error}; name a folder of documents", folder.display()))
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if (name.ends_with(".json") || name.ends_with(".json.gz")) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn summary(gallery: &Gallery, page: &Path) -> String {
    let mut said =
        format!("{} in {}\n", counted(gallery.shown() as u64, "check", "checks"), clean(&page.to_string_lossy()));
    for (file, why) in &gallery.left_out {
        said.push_str(&format!("left out: {file}: {}\n", clean(why)));
    }
    said
}

/// That no file could be shown, and why.
fn nothing(folder: &Path, left_out: &[(String, String)]) -> Failure {
    let folder = folder.display();
    if left_out.is_empty() {
        return Failure::usage(format!("{folder} has no file that ends in .json; save checks there with --output"));
    }
    let mut reasons: Vec<String> = left_out.iter().take(NAMED).map(|(file, why)| format!("{file}: {why}")).collect();
    let more = left_out.len().saturating_sub(NAMED);
    reasons.extend((more > 0).then(|| counted(more as u64, "more file", "more files")));
    Failure::usage(format!("{folder} has no check that can be shown: {}", reasons.join("; ")))
}
