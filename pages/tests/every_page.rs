//! What holds of the page of every document.

use chronoscope_pages::{Browser, Document, Media, Result, Tab, every};

/// Widths of a phone, of half a screen, and of one.
const WIDTHS: [u32; 3] = [320, 500, 1100];
/// A4 between margins of 12 mm, in CSS pixels.
const PAPER: u32 = 703;

/// Faults that are told.
const SHOWN: usize = 200;

/// Looks at the page of each document, and fails with all that was found.
async fn look(judge: impl AsyncFn(&mut Tab, &Document) -> Result<Vec<String>>) -> Result<()> {
    let browser = Browser::start().await?;
    let mut faults = Vec::new();
    for document in every()? {
        let mut tab = browser.open(&document.page).await?;
        let found = judge(&mut tab, document).await?;
        faults.extend(found.into_iter().map(|fault| format!("{}: {fault}", document.name)));
        tab.close().await?;
    }
    browser.close().await?;
    let first: Vec<&str> = faults.iter().take(SHOWN).map(String::as_str).collect();
    assert!(faults.is_empty(), "{} faults, such as:\n{}", faults.len(), first.join("\n"));
    Ok(())
}

#[tokio::test]
async fn a_page_asks_for_nothing_and_nothing_of_it_fails() -> Result<()> {
    look(async |tab, document| tab.misdeeds(&document.page).await).await
}

#[tokio::test]
async fn a_page_fits_its_window_and_no_texts_overlap() -> Result<()> {
    look(async |tab, _| {
        let mut faults = Vec::new();
        for width in WIDTHS {
            tab.set_width(width).await?;
            for is_open in [false, true] {
                tab.ask::<()>(&format!("open({is_open})")).await?;
                let mut found: Vec<String> = tab.ask("overflow(false)").await?;
                found.extend(tab.ask::<Vec<String>>("overlaps()").await?);
                faults.extend(found.iter().map(|fault| format!("at {width} px: {fault}")));
            }
        }
        Ok(faults)
    })
    .await
}

#[tokio::test]
async fn every_text_and_mark_is_told_from_its_background() -> Result<()> {
    look(async |tab, _| {
        let mut faults = Vec::new();
        tab.ask::<()>("open(true)").await?;
        for media in [Media::Light, Media::Dark, Media::Paper] {
            tab.set_media(media).await?;
            for is_lit in [false, true] {
                tab.ask::<()>(&format!("light({is_lit})")).await?;
                let found: Vec<String> = tab.ask(&format!("contrast({})", media == Media::Paper)).await?;
                faults.extend(found.iter().map(|fault| format!("{media:?}: {fault}")));
            }
        }
        Ok(faults)
    })
    .await
}

#[tokio::test]
async fn on_paper_nothing_is_cut() -> Result<()> {
    look(async |tab, _| {
        tab.set_width(PAPER).await?;
        tab.set_media(Media::Paper).await?;
        let mut faults: Vec<String> = tab.ask("overflow(true)").await?;
        tab.ask::<()>("open(true)").await?;
        faults.extend(tab.ask::<Vec<String>>("overflow(true)").await?);
        faults.extend(tab.ask::<Vec<String>>("overlaps()").await?);
        Ok(faults)
    })
    .await
}

#[tokio::test]
async fn links_lead_somewhere_drawings_have_words_and_texts_make_no_markup() -> Result<()> {
    look(async |tab, _| tab.ask("structure()").await).await
}

#[tokio::test]
async fn without_the_script_nothing_is_missing() -> Result<()> {
    let browser = Browser::start().await?;
    for document in every()? {
        let (with, without) = (browser.open(&document.page).await?, browser.open_without_script(&document.page).await?);
        let (said, left): (String, String) = (with.ask("read()").await?, without.ask("read()").await?);
        assert!(said.len() > 100, "{}: {said}", document.name);
        assert_eq!(said, left, "{}", document.name);
        with.close().await?;
        without.close().await?;
    }
    browser.close().await
}

/// Pictures for people, where `PAGES_PICTURES` names a folder.
#[tokio::test]
async fn pictures_for_people() -> Result<()> {
    let Some(folder) = std::env::var_os("PAGES_PICTURES").map(std::path::PathBuf::from) else { return Ok(()) };
    std::fs::create_dir_all(&folder)?;
    look(async |tab, document| {
        let name = document.name.replace(['/', ' '], "-");
        let views = [
            ("light", Media::Light, 1100),
            ("dark", Media::Dark, 1100),
            ("phone", Media::Light, 360),
            ("paper", Media::Paper, PAPER),
        ];
        for (view, media, width) in views {
            tab.set_width(width).await?;
            tab.set_media(media).await?;
            std::fs::write(folder.join(format!("{name}-{view}.png")), tab.picture().await?)?;
        }
        Ok(Vec::new())
    })
    .await
}
