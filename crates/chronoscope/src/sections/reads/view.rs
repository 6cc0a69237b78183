use std::time::Duration;

use crate::document::Record;
use crate::sections::reads::lost::reason_hidden;
use crate::sections::reads::plan::READS;
use crate::sections::reads::report::Reads;
use crate::shared_findings::NEGATIVE_ELAPSED;
use chronoscope_harness::estimators::reads::{DifferenceCount, GAP_THRESHOLDS_NS, READINGS_PER_GAP};

use crate::screen::findings;
use chronoscope_harness::quantity::{count, length, ns, share};
use chronoscope_render::bars::{SCALE, bars};
use chronoscope_render::disturbance;
use chronoscope_render::line::Line;
use chronoscope_render::page::{Page, wrapped};
use chronoscope_render::palette::{DIM, PLAIN, TITLE};
use chronoscope_render::words::counted;

/// Clocks on the page of a check, and the rows of their histograms.
const CHECK_CLOCKS: usize = 2;
const CHECK_ROWS: usize = 5;
const ROWS: usize = 12;
/// Maximum modes named.
const MODES: usize = 3;
/// Maximum differences named with their counts.
const FREQUENT: usize = 6;

/// The first clocks, side by side.
pub fn show_in_check(page: &mut Page, record: &Record) {
    if !begin(page, record, CHECK_CLOCKS) {
        return;
    }
    let column = page.column();
    let mut drawn = record.content.reads().iter().take(CHECK_CLOCKS).map(|reads| {
        let mut lines = title(record, reads, column);
        lines.extend(bars(&reads.histogram, CHECK_ROWS, column));
        for fact in facts(reads).into_iter().chain(gaps(reads)) {
            lines.extend(wrapped(&fact, column).iter().map(|piece| Line::plain(piece)));
        }
        lines
    });
    page.side_by_side(drawn.next().unwrap_or_default(), drawn.next().unwrap_or_default());
}

/// Every clock, one below the other.
pub fn show(page: &mut Page, record: &Record) {
    if !begin(page, record, usize::MAX) {
        return;
    }
    for (i, reads) in record.content.reads().iter().enumerate() {
        if i > 0 {
            page.line(Line::new());
        }
        page.lines(title(record, reads, page.width()));
        page.drawing(bars(&reads.histogram, ROWS, page.width()));
        for fact in facts(reads) {
            page.paragraph(Line::plain("  "), PLAIN, &fact);
        }
        for gaps in reads.shown_gaps() {
            let text = format!(
                "gaps over {}: {}, {} of the time",
                threshold(gaps.above_ns),
                count(gaps.count),
                share(gaps.share_of_time)
            );
            page.paragraph(Line::plain("  "), PLAIN, &text);
        }
        if reads.moves_in_steps() && reads.shown_gaps().next().is_some() {
            let text = format!("a gap is a difference less a step of the clock, {}", ns(reads.step_ns()));
            page.paragraph(Line::plain("  "), PLAIN, &text);
        }
        if let Some(text) = hidden(reads) {
            page.paragraph(Line::plain("  "), PLAIN, &text);
        }
        if let Some(text) = most_frequent(reads) {
            page.paragraph(Line::plain("  "), PLAIN, &text);
        }
        let smallest = reads.minimum_ns.map_or_else(|| "none".to_owned(), ns);
        let by = if reads.moves_in_steps() { ", by its own steps" } else { "" };
        let text = format!("smallest difference {smallest}; read for {} in all{by}", ns(reads.span_ns));
        page.paragraph(Line::plain("  "), PLAIN, &text);
        page.paragraph(Line::plain("  "), PLAIN, &disturbance::said(&reads.disturbance));
    }
}

/// Begins the section; explains if there are no results.
fn begin(page: &mut Page, record: &Record, shown: usize) -> bool {
    let more = match record.content.reads().len().saturating_sub(shown) {
        0 => String::new(),
        1 => "; 1 more with --view reads".to_owned(),
        more => format!("; {more} more with --view reads"),
    };
    page.section_of_drawings("SEQUENTIAL READS", &format!("{SCALE}{more}"));
    if record.content.reads().is_empty() {
        page.paragraph(Line::plain("  "), DIM, &record.content.not_tested(&[READS]));
    }
    !record.content.reads().is_empty()
}

fn title(record: &Record, reads: &Reads, width: usize) -> Vec<Line> {
    let rest = format!(" {}, {} equal", counted(reads.count, "difference", "differences"), share(reads.zero_share));
    let name = Line::styled(TITLE, &chronoscope_render::page::fitted(reads.clock.name(), 26));
    let mut lines = if name.width() + Line::plain(&rest).width() <= width {
        vec![name.and(&rest)]
    } else {
        std::iter::once(name).chain(wrapped(&rest, width).iter().map(|piece| Line::plain(piece))).collect()
    };
    if reads.backward_steps > 0 {
        let text = format!("✘ {} backward", counted(reads.backward_steps, "step", "steps"));
        let style = findings::style(record, &[NEGATIVE_ELAPSED], &reads.clock);
        lines.extend(wrapped(&text, width).iter().map(|piece| Line::styled(style, piece)));
    }
    lines
}

fn facts(reads: &Reads) -> Vec<String> {
    let modes: Vec<String> =
        reads.modes.iter().take(MODES).map(|mode| format!("{} ({})", ns(mode.at_ns), share(mode.share))).collect();
    let mut facts = vec![
        format!("clusters {}", if modes.is_empty() { "none".to_owned() } else { modes.join(", ") }),
        format!(
            "p50 {} · p99 {} · p99.9 {} · max {}",
            ns(reads.p50_ns),
            ns(reads.p99_ns),
            ns(reads.p999_ns),
            ns(reads.maximum_ns)
        ),
    ];
    facts.push(if reads.empty_intervals == 0 {
        "largest empty interval not measured".to_owned()
    } else {
        format!(
            "apart, largest of {} empty intervals {}",
            count(reads.empty_intervals),
            ns(reads.largest_empty_interval_ns)
        )
    });
    facts
}

/// The differences seen most often, in ticks, most frequent first; None where they were not kept.
fn most_frequent(reads: &Reads) -> Option<String> {
    let mut most: Vec<&DifferenceCount> = reads.most_frequent.iter().collect();
    most.sort_by_key(|one| (std::cmp::Reverse(one.count), one.ticks));
    let told = most.iter().take(FREQUENT).map(|one| {
        let ticks = if one.ticks == 1 { "1 tick".to_owned() } else { format!("{} ticks", one.ticks) };
        format!("{ticks} ({}) {} times", ns(one.ns), count(one.count))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("most frequent: {}", told.join(", ")))
}

/// All gaps in one sentence.
fn gaps(reads: &Reads) -> Option<String> {
    let gaps: Vec<String> =
        reads.shown_gaps().map(|gap| format!(">{} {}", threshold(gap.above_ns), share(gap.share_of_time))).collect();
    if gaps.is_empty() { hidden(reads) } else { Some(format!("time in gaps {}", gaps.join(", "))) }
}

/// Why shorter gaps are unknown, if the clock's steps or reads hide any that are counted elsewhere.
pub fn hidden(reads: &Reads) -> Option<String> {
    let reason = GAP_THRESHOLDS_NS.into_iter().find_map(|above_ns| reason_hidden(reads, above_ns))?;
    Some(match reads.between_readings_ns() * READINGS_PER_GAP {
        shortest if shortest.is_finite() => format!("gaps under {} are hidden: {reason}", ns(shortest)),
        _ => format!("gaps unknown: {reason}"),
    })
}

/// From which length gaps count.
pub fn threshold(above_ns: f64) -> String {
    length(Duration::from_nanos(above_ns as u64))
}
