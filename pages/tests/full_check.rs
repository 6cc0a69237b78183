//! What the page of a full check shows: the numbers of its document, where they belong.

use chronoscope_pages::{Axis, Browser, Document, Media, Plot, Result, Row, Shown, Tab, Telling, Tick, Tip, every};
use serde_json::Value;

/// Places are written to a tenth of a pixel.
const DRAWN_TO: f64 = 0.02;

fn document(name: &str) -> Result<&'static Document> {
    Ok(every()?.iter().find(|document| document.name == name).ok_or(format!("no document {name}"))?)
}

/// Each clock that can be read here, and one of its fields that is not null.
fn measured<'a>(document: &'a Document, field: &str) -> Vec<(&'a str, &'a Value)> {
    let clocks = document.json["content"]["sections"]["clocks"]["report"]["clocks"].as_array().into_iter().flatten();
    let available = clocks.filter(|clock| clock["available"] == true && !clock[field].is_null());
    available.map(|clock| (clock["name"].as_str().unwrap_or_default(), &clock[field])).collect()
}

fn number(of: &Value) -> Result<f64> {
    Ok(of.as_f64().ok_or(format!("{of} is no number"))?)
}

/// The shortest lengths that trials confirm, each with the error that it is confirmed for.
fn confirmed(timed: &Value) -> Vec<(f64, f64)> {
    let trials = || timed["trials"].as_array().into_iter().flatten();
    let is_tried = |percent: f64| trials().any(|trial| trial["tolerance_pct"].as_f64() == Some(percent));
    let of =
        |(field, percent)| Some((timed["direct_interval_ns"][field].as_f64().filter(|_| is_tried(percent))?, percent));
    [("within_1pct", 1.0), ("within_10pct", 10.0)].into_iter().filter_map(of).collect()
}

fn is_at(axis: Axis, place: f64, value: f64) -> bool {
    (axis.value(place) / value - 1.0).abs() < DRAWN_TO
}

#[tokio::test]
async fn every_clock_has_its_cost_in_words_and_on_the_axis() -> Result<()> {
    let browser = Browser::start().await?;
    for name in ["docs/shown/check", "crates/chronoscope/tests/fixtures/zen4/check"] {
        let document = document(name)?;
        let tab = browser.open(&document.page).await?;
        let rows: Vec<Row> = tab.ask("rows('latency')").await?;
        let ticks: Vec<Tick> = tab.ask("ticks('#latency .row.ax')").await?;
        let axis = Axis::of(&ticks, |tick| Some(tick.x)).ok_or(format!("no axis: {ticks:?}"))?;
        let clocks = measured(document, "latency_ns");
        assert!(clocks.len() > 10 && rows.len() == clocks.len(), "{name}: {rows:#?}");
        for (clock, latency) in clocks {
            let row = rows.iter().find(|row| row.name == clock).ok_or(format!("no row of {clock}"))?;
            let cost = number(&latency["estimate"])?;
            assert_eq!(row.shown, clock);
            assert!(Shown::read(&row.value).is_some_and(|shown| shown.is_of(cost)), "{clock}: {cost} {row:?}");
            assert!(row.marks.iter().any(|mark| is_at(axis, mark.x, cost)), "{clock}: {cost} {axis:?} {row:?}");
        }
    }
    browser.close().await
}

#[tokio::test]
async fn every_trial_is_a_point_at_its_length_and_its_error() -> Result<()> {
    let browser = Browser::start().await?;
    for name in ["docs/shown/check", "crates/chronoscope/tests/fixtures/zen4/check"] {
        let document = document(name)?;
        let tab = browser.open(&document.page).await?;
        let plots: Vec<Plot> = tab.ask("plots('intervals')").await?;
        let clocks = measured(document, "intervals");
        assert_eq!(plots.len(), clocks.len().min(4), "{name}");
        for plot in &plots {
            let (_, timed) = clocks.iter().find(|(clock, _)| *clock == plot.title).ok_or(plot.title.clone())?;
            let trials = timed["trials"].as_array().ok_or("no trials")?;
            let mut points = confirmed(timed);
            for trial in trials {
                points.push((number(&trial["truth_ns"])?, number(&trial["error_pct_abs_p95"])?));
            }
            assert_eq!(plot.points.len(), points.len(), "{name}: {}", plot.title);
            let x = Axis::of(&plot.ticks, |tick| (!tick.is_of_y).then_some(tick.x)).ok_or("no axis of lengths")?;
            let y = Axis::of(&plot.ticks, |tick| tick.is_of_y.then_some(tick.y)).ok_or("no axis of errors")?;
            for (length, error) in points {
                let is_its = |at: &&chronoscope_pages::Place| is_at(x, at.x, length) && is_at(y, at.y, error);
                assert!(plot.points.iter().find(is_its).is_some(), "{}: {length} ns {error} % {plot:?}", plot.title);
            }
        }
    }
    browser.close().await
}

#[tokio::test]
async fn the_pointer_and_the_keyboard_tell_more_until_escape() -> Result<()> {
    let browser = Browser::start().await?;
    let document = document("docs/shown/check")?;
    for width in [320, 1100] {
        let tab = browser.open(&document.page).await?;
        tab.set_width(width).await?;
        assert!(tab.ask::<Tip>("tip()").await?.is_hidden);

        let at: Telling = tab.ask("telling()").await?;
        tab.point_at(at.x, at.y).await?;
        is_told(&tab, &at.text).await?;
        let lit: Vec<String> = tab.ask("lit()").await?;
        let name = at.name.ok_or("what has more to say is a clock")?;
        assert!(lit.len() > 1 && lit.iter().all(|clock| *clock == name), "{name} in every chart: {lit:?}");
        tab.press("Escape", 27).await?;
        assert!(tab.ask::<Tip>("tip()").await?.is_hidden, "Escape");
        tab.point_at(at.x, at.y + 1.0).await?;
        is_told(&tab, &at.text).await?;
        tab.point_at(1.0, 1.0).await?;
        assert!(tab.ask::<Tip>("tip()").await?.is_hidden, "the pointer is elsewhere");

        let mut focused: Option<String> = None;
        for _ in 0..50 {
            tab.press("Tab", 9).await?;
            focused = tab.ask("focused()").await?;
            if focused.is_some() {
                break;
            }
        }
        is_told(&tab, &focused.ok_or("the keyboard reaches nothing that has more to say")?).await?;
        tab.press("Escape", 27).await?;
        assert!(tab.ask::<Tip>("tip()").await?.is_hidden, "Escape after focus");
        tab.close().await?;
    }
    browser.close().await
}

async fn is_told(tab: &Tab, text: &str) -> Result<()> {
    let tip: Tip = tab.ask("tip()").await?;
    assert!(!tip.is_hidden && tip.is_inside && tip.text == text, "{text}: {tip:?}");
    for media in [Media::Light, Media::Dark] {
        tab.set_media(media).await?;
        let faults: Vec<String> = tab.ask("contrast(false)").await?;
        assert!(faults.is_empty(), "{media:?}: {faults:#?}");
    }
    Ok(())
}
