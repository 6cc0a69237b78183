//! The claims as a page for a terminal.

use chronoscope_harness::quantity::count;
use chronoscope_render::Width;
use chronoscope_render::page::Page;
use chronoscope_render::text::{Column, Mood, Text};

use super::report::{ClaimState, JudgedClaim, Literature};

const NONE: &str = "–";

/// Article by article, a line for each claim.
pub fn page(literature: &Literature, width: Width) -> Page {
    let mut text = Text::with_width(width);
    text.section("LITERATURE: what was published, and what this machine says of it");
    text.sentence(Mood::Plain, "·", &summary(&literature.claims));
    for run in &literature.runs {
        if let Some(reason) = &run.reason_failed {
            text.sentence(Mood::Warning, "!", &format!("`chronoscope {}`: {reason}", run.command));
        }
    }
    for article in articles(literature) {
        text.section(article);
        let of_article = literature.claims.iter().filter(|claim| claim.article == *article);
        text.table_with_moods(&columns(), of_article.map(|claim| (mood(claim.state), row(claim))));
    }
    text.sentence(
        Mood::Quiet,
        " ",
        "agreed, differs: the test of the claim (`predicate` in the document) holds or fails for the whole interval; other machines than the article's may differ \
         rightly. Shown: measured or drawn, with nothing to test. Needs: what this machine lacks. Missing: no command looks",
    );
    text.into_page()
}

/// How many claims came out how.
pub fn summary(claims: &[JudgedClaim]) -> String {
    let counted = |state: ClaimState| {
        let found = claims.iter().filter(|claim| claim.state == state).count();
        (found > 0).then(|| state.counted(found))
    };
    let all: Vec<String> = ClaimState::ALL.into_iter().filter_map(counted).collect();
    format!("of {} claims: {}", count(claims.len() as u64), all.join(", "))
}

/// The articles, each once.
pub fn articles(literature: &Literature) -> Vec<&String> {
    let mut found: Vec<&String> = Vec::new();
    for claim in &literature.claims {
        if !found.contains(&&claim.article) {
            found.push(&claim.article);
        }
    }
    found
}

fn columns() -> [Column; 5] {
    [
        Column::left("claim").naming(),
        Column::right("published"),
        Column::right("here"),
        Column::left("state"),
        Column::left("what it says, and why it may differ"),
    ]
}

fn row(claim: &JudgedClaim) -> Vec<String> {
    let published = match claim.published.as_slice() {
        [] => NONE.to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first}, {} more", rest.len()),
    };
    let before = if claim.state == ClaimState::Needs { ": needs " } else { ": " };
    let reason = claim.reason.as_ref().map_or_else(String::new, |reason| format!("{before}{reason}"));
    vec![
        claim.id.clone(),
        published,
        claim.ours_said.clone().unwrap_or_else(|| NONE.to_owned()),
        claim.state.word().to_owned(),
        format!("{}{reason}", claim.says),
    ]
}

/// How a state is coloured.
pub const fn mood(state: ClaimState) -> Mood {
    match state {
        ClaimState::Agreed => Mood::Good,
        ClaimState::Differs => Mood::Warning,
        ClaimState::Shown | ClaimState::Inconclusive | ClaimState::Unknown | ClaimState::NotRun => Mood::Plain,
        ClaimState::Needs | ClaimState::Missing => Mood::Quiet,
    }
}
