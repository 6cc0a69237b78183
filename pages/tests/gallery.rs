//! The table of many checks: sorted by any column, and chosen from by some.

use chronoscope_pages::{Browser, Column, Result, every};

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
