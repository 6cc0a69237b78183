//! A judge that finds nothing must first show that it would.

use chronoscope_pages::{Browser, Media, Result};

const PLANTED: &str = include_str!("planted.html");

/// Whether each of the words is in one of the faults.
fn all_found(faults: &[String], planted: &[&str]) {
    for word in planted {
        assert!(faults.iter().any(|fault| fault.contains(word)), "{word} was not found, but {faults:#?}");
    }
}

#[tokio::test]
async fn every_planted_fault_is_found() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let page = folder.path().join("planted.html");
    std::fs::write(&page, PLANTED)?;
    let browser = Browser::start().await?;
    let mut tab = browser.open(&page).await?;
    tab.set_width(500).await?;

    all_found(
        &tab.misdeeds(&page).await?,
        &["asked for https://planted.invalid/", "console: [Some(String(\"planted error\"))]", "exception: Uncaught"],
    );
    all_found(
        &tab.ask::<Vec<String>>("overflow(true)").await?,
        &["the page is 2000 px wide", "cut: p.left", "cut on paper: div.scroll"],
    );
    all_found(&tab.ask::<Vec<String>>("overlaps()").await?, &["\"over\" and \"under\" overlap in one"]);
    all_found(
        &tab.ask::<Vec<String>>("structure()").await?,
        &[
            "two elements have the id twice",
            "a leads to \"#nowhere\"",
            "section one has no heading",
            "svg says nothing",
            "there is a img",
            "img has src",
            "p has onclick",
            "p has style",
            "scripts",
            "the text has U+202e",
        ],
    );
    tab.set_media(Media::Light).await?;
    all_found(&tab.ask::<Vec<String>>("contrast(false)").await?, &["of p.pale", "of text.pale", "of circle.m"]);
    all_found(&tab.ask::<Vec<String>>("contrast(true)").await?, &["of p.on-black"]);

    let without = browser.open_without_script(&page).await?;
    let (with, left): (String, String) = (tab.ask("read()").await?, without.ask("read()").await?);
    assert!(with.contains("only by script") && !left.contains("only by script"), "{left}");
    browser.close().await
}
