//! The claims on a page for browsers: ours over what was published, article by article.

use chronoscope_harness::quantity::RATIO;
use chronoscope_render::Width;
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Entry, Figure, Hue, InKey, Mark, Row, Rows, Shape};
use chronoscope_render::text::Mood;

use super::report::{ClaimState, JudgedClaim, Literature};
use super::view::{articles, mood, page, summary};
use crate::screen::browser::told::sentence;

/// One figure: the articles are its headings, and the page for terminals its numbers.
pub fn figures(literature: &Literature) -> Vec<Figure> {
    let mut entries = Vec::new();
    for article in articles(literature) {
        let of_article = literature.claims.iter().filter(|claim| claim.article == *article);
        let rows: Vec<Entry> = of_article.filter_map(row).map(Entry::Row).collect();
        if !rows.is_empty() {
            entries.push(Entry::Heading(article.clone()));
            entries.extend(rows);
        }
    }
    let word = |ratio| RATIO.value(ratio);
    let axis_name = "this machine over the published figure".to_owned();
    vec![Figure {
        id: "literature",
        short: "literature",
        title: "The literature, and this machine".to_owned(),
        says: vec![(Mood::Plain, sentence(&summary(&literature.claims)))],
        charts: vec![Chart::Rows(Rows { entries, scale: Scale::Log, word, axis_name, reference: Some(1.0) })],
        key: key(literature),
        how: "Dashed: as published. A mark is the figure of this machine over the published one, thick its interval. Claims without a \
              published figure of theirs are in the numbers alone."
            .to_owned(),
        numbers: page(literature, Width::default()),
    }]
}

/// The colour and the shape of a state, and whether it is hollow.
const fn drawn_as(state: ClaimState) -> (Hue, Shape, bool) {
    match state {
        ClaimState::Agreed => (Hue::Green, Shape::Circle, false),
        ClaimState::Differs => (Hue::Orange, Shape::Square, false),
        _ => (Hue::Ink, Shape::Circle, true),
    }
}

/// The states that are drawn.
fn key(literature: &Literature) -> Vec<InKey> {
    let is_drawn =
        |state: &ClaimState| literature.claims.iter().any(|claim| claim.state == *state && claim.ratio.is_some());
    let entry = |state: ClaimState| {
        let (hue, shape, is_hollow) = drawn_as(state);
        (hue, Some((shape, is_hollow)), state.word().to_owned())
    };
    ClaimState::ALL.into_iter().filter(is_drawn).map(entry).collect()
}

fn row(claim: &JudgedClaim) -> Option<Row> {
    let ratio = claim.ratio?;
    let (hue, shape, is_hollow) = drawn_as(claim.state);
    let interval = ratio.interval().map(|(from, to)| Mark::Interval { from, to });
    let marks = interval.into_iter().chain([Mark::Point { at: ratio.estimate, shape, is_hollow }]).collect();
    Some(Row {
        name: format!("{} {}", claim.id, claim.says),
        hue,
        marks,
        value: format!("{} {}", claim.ours_said.clone().unwrap_or_default(), claim.state.word()),
        mood: mood(claim.state),
        more: claim.published.first().map_or_else(String::new, |figure| format!("published: {figure}")),
        ..Row::default()
    })
}
