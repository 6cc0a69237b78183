//! The table of many checks: sorted by any column, and chosen from by some.

use chronoscope_pages::{Browser, Column, Result, Tab, every};

/// A usual screen, and that of a small laptop.
const SCREENS: [u32; 2] = [1200, 1024];
/// More presses of the tabulator than the page has stops.
const STOPS: usize = 100;
/// Keys, by their names and codes.
const TABULATOR: (&str, i64) = ("Tab", 9);
const SPACE: (&str, i64) = (" ", 32);
const DOWN: (&str, i64) = ("ArrowDown", 40);

#[tokio::test]
async fn rows_are_sorted_and_chosen() -> Result<()> {
    let browser = Browser::start().await?;
    let gallery = every()?.iter().find(|document| document.name == "gallery").ok_or("no gallery")?;
    let tab = browser.open(&gallery.page).await?;
    let all: Column = tab.ask("column('one read')").await?;
    let count = all.texts.len();
    assert!(count > 5 && all.values.len() > 3, "{all:?}");
    assert_eq!(all.told, format!("{count} of {count}"));

    for (sorted, is_in_order) in
        [("ascending", (|a, b| a <= b) as fn(&f64, &f64) -> bool), ("descending", |a: &f64, b: &f64| a >= b)]
    {
        tab.ask::<()>("sort('one read')").await?;
        let column: Column = tab.ask("column('one read')").await?;
        assert_eq!(column.sorted.as_deref(), Some(sorted));
        assert!(column.values.is_sorted_by(is_in_order), "{sorted}: {column:?}");
        assert_eq!((column.texts.len(), column.values.len()), (count, all.values.len()), "none is lost");
    }
    assert!(all.values.iter().any(|value| *value != all.values[0]), "any order would do: {all:?}");

    tab.ask::<()>("choose('state', 'GOOD')").await?;
    let good: Column = tab.ask("column('state')").await?;
    assert!(!good.texts.is_empty() && good.texts.len() < count, "{good:?}");
    assert!(good.texts.iter().all(|text| text == "GOOD"), "{good:?}");
    assert_eq!(good.told, format!("{} of {count}", good.texts.len()));
    tab.ask::<()>("choose('state', 'any')").await?;
    assert_eq!(tab.ask::<Column>("column('state')").await?.texts.len(), count);
    browser.close().await
}

/// Moves to where the keyboard acts on `what`.
async fn reach(tab: &Tab, what: &str) -> Result<()> {
    for _ in 0..STOPS {
        if tab.ask::<Option<String>>("reached()").await?.as_deref() == Some(what) {
            return Ok(());
        }
        tab.press(TABULATOR.0, TABULATOR.1).await?;
    }
    Err(format!("the tabulator does not reach {what}").into())
}

#[tokio::test]
async fn a_keyboard_sorts_and_chooses() -> Result<()> {
    let browser = Browser::start().await?;
    let gallery = every()?.iter().find(|document| document.name == "gallery").ok_or("no gallery")?;
    let tab = browser.open(&gallery.page).await?;
    let count = tab.ask::<Column>("column('clocksource')").await?.texts.len();
    for column in ["CPU", "in", "clocksource"] {
        reach(&tab, &format!("choose {column}")).await?;
        tab.press(DOWN.0, DOWN.1).await?;
        let chosen: Column = tab.ask(&format!("column('{column}')")).await?;
        assert!(!chosen.texts.is_empty(), "{column}: {chosen:?}");
        assert!(chosen.texts.iter().all(|text| *text == chosen.texts[0]), "{column}: {chosen:?}");
        tab.ask::<()>(&format!("choose('{column}', 'any')")).await?;
    }
    for column in ["CPU", "in", "clocksource"] {
        reach(&tab, &format!("sort {column}")).await?;
        tab.press(SPACE.0, SPACE.1).await?;
        let sorted: Column = tab.ask(&format!("column('{column}')")).await?;
        assert_eq!((sorted.sorted.as_deref(), sorted.texts.len()), (Some("ascending"), count), "{column}");
    }
    browser.close().await
}

#[tokio::test]
async fn a_screen_has_room_for_the_whole_table() -> Result<()> {
    let browser = Browser::start().await?;
    let gallery = every()?.iter().find(|document| document.name == "gallery").ok_or("no gallery")?;
    let tab = browser.open(&gallery.page).await?;
    // Of machines: names that somebody made up to be long take what room they need.
    tab.ask::<()>("choose('in', 'KVM')").await?;
    for width in SCREENS {
        tab.set_width(width).await?;
        assert_eq!(tab.ask::<i64>("hidden()").await?, 0, "at {width} px");
    }
    browser.close().await
}
