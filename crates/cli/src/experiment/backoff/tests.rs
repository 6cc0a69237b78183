use chronoscope_measure::record::study::{CostModel, CostShape, Difference, StudyRecord};

use super::super::reading::Reading;
use super::super::show::terminal;
use super::super::synthetic::{cell, comparison, interval, record};
use super::naive::{Kind, absurdities};
use super::*;

/// Volatile costs 8 ns that go down by 1 per token to 0.1; the baselines differ by 1 ns.
fn made_up() -> StudyRecord {
    let tokens = [0, 5, 10, 20, 40];
    let mut made = record(&tokens, &[1, 2]);
    let mut points = Vec::new();
    let mut shared = Vec::new();
    for k in tokens {
        let work = 2.0 * k as f64;
        let cost = (8.0 - k as f64).max(0.1);
        for threads in [1, 2] {
            let at = |ns: f64| [ns, ns + 0.01, ns - 0.01, ns];
            made.cells.push(cell(CONSUME, k, threads, at(1.0 + work)));
            made.cells.push(cell(RETURN_42, k, threads, at(2.0 + work)));
            made.cells.push(cell(RETURN_FIELD, k, threads, at(1.5 + work)));
            made.cells.push(cell(PLAIN, k, threads, at(1.6 + work)));
            made.cells.push(cell(VOLATILE, k, threads, at(1.6 + work + cost)));
            made.cells.push(cell(PLAIN_SHARED, k, threads, at(20.0 + work)));
            made.cells.push(cell(VOLATILE_SHARED, k, threads, at(50.0 + 2.0 * work)));
        }
        points.push((k, interval(cost, 0.05), if k < 10 { Difference::Slower } else { Difference::Same }));
        shared.push((k, interval(30.0 + work, 1.0), Difference::Slower));
    }
    for threads in [1, 2] {
        let mut own = comparison(VOLATILE, PLAIN, threads, &points);
        own.model = Some(CostModel {
            shape: CostShape::Hidden,
            exposed_ns: interval(8.0, 0.05),
            residual_ns: interval(0.1, 0.05),
            hidden_past_tokens: Some(interval(8.0, 1.0)),
            hidden_past_ns: Some(interval(16.0, 2.0)),
            negligible_from_tokens: Some(10),
        });
        made.comparisons.push(own);
        made.comparisons.push(comparison(VOLATILE_SHARED, PLAIN_SHARED, threads, &shared));
    }
    made
}

#[test]
fn negative_and_contradictory_costs_are_found_where_they_are() {
    let made = made_up();
    let found = absurdities(Reading(&made), 1);
    // Plain less "return 42" is −0.4 ns at every backoff, and surely so.
    let negative = |absurdity: &&super::naive::Absurdity| {
        absurdity.case == PLAIN && matches!(absurdity.kind, Kind::Negative { baseline: RETURN_42, is_sure: true, .. })
    };
    assert_eq!(found.iter().filter(negative).count(), 5, "{found:?}");
    assert!(found.iter().any(|absurdity| matches!(absurdity.kind, Kind::Contradiction { .. })));
    assert!(!found.iter().any(|absurdity| absurdity.case == VOLATILE
        && absurdity.tokens == 0
        && matches!(absurdity.kind, Kind::Negative { .. })));
}

#[test]
fn baselines_that_agree_are_not_called_absurd() {
    let mut made = made_up();
    for cell in &mut made.cells {
        if BASELINES.contains(&cell.case.as_str()) {
            for fork in &mut cell.forks {
                fork.time_ns = Some(2.0 * cell.backoff_tokens as f64 + 1.0 + 0.01 * f64::from(fork.fork));
            }
        }
    }
    assert_eq!(absurdities(Reading(&made), 1), []);
    assert!(conclude(&made).naive.text().contains("no subtraction gave a negative or contradictory cost"));
}

#[test]
fn a_cost_is_amortised_from_where_it_stays_small() {
    let made = made_up();
    let found = model::amortised(Reading(&made), VOLATILE, PLAIN, 1);
    assert_eq!((found.below_share_from, found.below_noise_from), (Some(10), Some(10)));
    let mut relapsed = made_up();
    relapsed.comparisons[0].points[3].difference_ns = interval(9.0, 0.1);
    relapsed.comparisons[0].points[3].verdict = Difference::Slower;
    let found = model::amortised(Reading(&relapsed), VOLATILE, PLAIN, 1);
    assert_eq!((found.below_share_from, found.below_noise_from), (Some(40), Some(40)), "it must stay small");
    let found = model::amortised(Reading(&made), VOLATILE_SHARED, PLAIN_SHARED, 2);
    assert_eq!(found, model::Amortised::default());
}

#[test]
fn the_sentences_say_what_the_data_shows() {
    let made = made_up();
    let conclusions = conclude(&made);
    let naive = conclusions.naive.text();
    assert!(
        naive.contains("it depends on which baseline is asked") && naive.contains("less than nothing, and surely so"),
        "{naive}"
    );
    let said = conclusions.model.text();
    assert!(said.contains("from 10 tokens (20.0 ns of work) on it is below 5 %"), "{said}");
    assert!(
        said.contains("+8.00 ns (+7.95 … +8.05) exposed") && said.contains("16.0 ns (14.0 … 18.0) of work"),
        "{said}"
    );
    assert!(said.contains("on one line it is not amortised, it grows: +30.0 ns"), "{said}");
    assert!(conclusions.published.text().contains("ours: below 5 % from 10 tokens, 20.0 ns"));
    let text = terminal(&conclusions, &made);
    for title in ["WHAT A NAIVE READER WOULD CONCLUDE", "WHAT THE MODEL SAYS", "THE ARTICLE'S FIGURES BESIDE OURS"] {
        assert!(text.contains(title));
    }
}

#[test]
fn a_record_of_nothing_is_no_reason_to_panic() {
    let empty = record(&[], &[]);
    let text = terminal(&conclude(&empty), &empty);
    assert!(text.contains("not measured"), "{text}");
}

#[test]
fn the_study_makes_sense() {
    assert_eq!(study().cells().len(), TOKENS.len() * 2 * 7);
}
