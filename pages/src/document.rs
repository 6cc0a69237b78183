use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::schema::Schema;
use crate::{Result, crowded};

/// Where the tool is that makes pages.
const TOOL: &str = "CHRONOSCOPE_BINARY";

/// A document and its page.
pub struct Document {
    pub name: String,
    /// Null where the page is of several.
    pub json: Value,
    pub page: PathBuf,
}

/// All whose pages are looked at: documents shown in the docs, those kept for tests, those made as bad as can be, and what is drawn of
/// several.
pub fn every() -> Result<&'static [Document]> {
    static ALL: OnceLock<std::result::Result<Vec<Document>, String>> = OnceLock::new();
    let all = ALL.get_or_init(|| made().map_err(|error| error.to_string()));
    all.as_ref().map(Vec::as_slice).map_err(|error| error.as_str().into())
}

fn made() -> Result<Vec<Document>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in ["docs/shown", "crates/chronoscope/tests/fixtures", "crates/chronoscope/tests/fixtures/zen4"] {
        let mut files: Vec<PathBuf> = fs::read_dir(root.join(folder))?.flatten().map(|file| file.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "json")) {
            let name = format!("{folder}/{}", file.file_stem().unwrap_or_default().display());
            found.push((name, read(file)?));
        }
    }
    let check = read(&root.join("docs/shown/check.json"))?;
    let schema = Schema::new(read(&root.join("schema/chronoscope.v2.schema.json"))?);
    found.extend([
        ("made/nothing".to_owned(), crowded::of_nothing(&check)),
        ("made/plans".to_owned(), crowded::of_plans(&check)),
        ("made/nulls".to_owned(), crowded::of_nulls(&check, &schema, 1)),
        ("made/some nulls".to_owned(), crowded::of_nulls(&check, &schema, 3)),
        ("made/hostile texts".to_owned(), crowded::of_hostile_texts(&check, &schema)),
        ("made/many CPUs".to_owned(), crowded::of_many_cpus(&check)),
        ("made/many clocks".to_owned(), crowded::of_many_clocks(&check)),
    ]);
    let folder = own_folder()?;
    let mut documents =
        found.into_iter().map(|(name, json)| Document::drawn(name, json, &folder)).collect::<Result<Vec<_>>>()?;
    documents.extend(of_several(&folder)?);
    Ok(documents)
}

/// An empty folder next to this program; it is kept, so that you can see what failed.
fn own_folder() -> Result<PathBuf> {
    let folder = std::env::current_exe()?.with_extension("pages");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir(&folder)?;
    Ok(folder)
}

/// Pages of several documents, all of which are in the folder.
fn of_several(folder: &Path) -> Result<[Document; 3]> {
    let records = ["docs/shown/check", "crates/chronoscope/tests/fixtures/zen4/check", "made/hostile texts"];
    let [shown, other, hostile] = records.map(|name| file_of(name, folder).with_extension("json").into_os_string());
    let by = |name: &str, arguments: &[&OsStr]| Document::by(name.to_owned(), Value::Null, folder, arguments);
    Ok([
        by("compare", &["compare".as_ref(), &shown, &other])?,
        by("compare hostile", &["compare".as_ref(), &hostile, &shown])?,
        by("gallery", &["gallery".as_ref(), folder.as_os_str()])?,
    ])
}

fn read(file: &Path) -> Result<Value> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?)
}

impl Document {
    fn drawn(name: String, json: Value, folder: &Path) -> Result<Self> {
        let record = file_of(&name, folder).with_extension("json");
        fs::write(&record, serde_json::to_vec(&json)?)?;
        Self::by(name, json, folder, &[OsStr::new("show"), record.as_os_str()])
    }

    /// What a command draws with these arguments.
    fn by(name: String, json: Value, folder: &Path, arguments: &[&OsStr]) -> Result<Self> {
        let tool =
            std::env::var_os(TOOL).ok_or(format!("{TOOL} is not set; `.ci/full pages` builds the tool and sets it"))?;
        let page = file_of(&name, folder).with_extension("html");
        let output = Command::new(&tool).args(arguments).arg("--html").arg(&page).output();
        let output = output.map_err(|error| format!("{}: {error}", tool.display()))?;
        if !output.status.success() {
            return Err(format!("no page of {name}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(Self { name, json, page })
    }
}

fn file_of(name: &str, folder: &Path) -> PathBuf {
    folder.join(name.replace(['/', ' '], "-"))
}
