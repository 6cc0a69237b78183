use maud::{Markup, html};

use crate::axis::Axis;

/// A colour of the page, in the reader's light or dark scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Hue {
    /// The first series; reads of the counter.
    #[default]
    Blue,
    /// Reads through the vDSO.
    Green,
    /// The second series; system calls, and what went wrong.
    Orange,
    /// What exits to the hypervisor, and pauses.
    Purple,
    /// A fifth series.
    Ochre,
    /// The colour of text.
    Ink,
}

/// The shape of a point, by which it is known without its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// The usual one.
    #[default]
    Circle,
    /// A square on its corner.
    Diamond,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A triangle that points down.
    Down,
    /// An upright cross.
    Plus,
    /// Two triangles that meet at a point.
    Hourglass,
    /// A star of four points.
    Star,
}

/// What is drawn at values of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// A value; hollow where it is not measured here, or without an interval.
    Point {
        /// The value.
        at: f64,
        /// The shape of its mark.
        shape: Shape,
        /// Whether only its outline is drawn.
        is_hollow: bool,
    },
    /// An interval of a value.
    Interval {
        /// Its lower end.
        from: f64,
        /// Its upper end.
        to: f64,
    },
    /// A range of values: a thin line, to a tick at its end.
    Reach {
        /// Its lower end.
        from: f64,
        /// Its upper end.
        to: f64,
    },
    /// All values between two.
    Band {
        /// Its lower end.
        from: f64,
        /// Its upper end.
        to: f64,
    },
    /// The truth lies below this.
    Below {
        /// The value.
        at: f64,
    },
    /// The most extreme value.
    Extreme {
        /// The value.
        at: f64,
    },
}

impl Hue {
    /// Hues in the order in which series get them.
    pub const SERIES: [Self; 5] = [Self::Blue, Self::Orange, Self::Green, Self::Purple, Self::Ochre];

    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Blue => "k0",
            Self::Green => "k1",
            Self::Orange => "k2",
            Self::Purple => "k3",
            Self::Ochre => "k4",
            Self::Ink => "ink",
        }
    }
}

impl Shape {
    /// Shapes in the order in which series get them: as many as can be told apart.
    pub const SERIES: [Self; 8] = [
        Self::Circle,
        Self::Square,
        Self::Diamond,
        Self::Triangle,
        Self::Down,
        Self::Plus,
        Self::Hourglass,
        Self::Star,
    ];

    /// Its outline around the origin; None for a circle.
    const fn outline(self) -> Option<&'static str> {
        match self {
            Self::Circle => None,
            Self::Diamond => Some("M0-5.6 5.6 0 0 5.6-5.6 0Z"),
            Self::Square => Some("M-4.3-4.3H4.3V4.3H-4.3Z"),
            Self::Triangle => Some("M0-5.4 5.2 4.2H-5.2Z"),
            Self::Down => Some("M0 5.4 5.2-4.2H-5.2Z"),
            Self::Plus => Some("M-1.7-5.2H1.7V-1.7H5.2V1.7H1.7V5.2H-1.7V1.7H-5.2V-1.7H-1.7Z"),
            Self::Hourglass => Some("M-4.6-5H4.6L-4.6 5H4.6Z"),
            Self::Star => Some("M0-6.4 1.7-1.7 6.4 0 1.7 1.7 0 6.4-1.7 1.7-6.4 0-1.7-1.7Z"),
        }
    }
}

/// A place in per cent of the width.
pub(super) fn part(place: f64) -> String {
    format!("{:.2}%", 100.0 * place)
}

/// A point, at a place in per cent and a height in pixels.
pub(super) fn point(place: f64, y: f64, shape: Shape, is_hollow: bool) -> Markup {
    let class = if is_hollow { "m o" } else { "m" };
    let y = format!("{y:.1}");
    html! {
        @match shape.outline() {
            None => { circle class=(class) cx=(part(place)) cy=(y) r="4.6" {} }
            Some(outline) => { svg x=(part(place)) y=(y) overflow="visible" { path class=(class) d=(outline) {} } }
        }
    }
}

fn extreme(place: f64, y: f64) -> Markup {
    let y = format!("{y:.1}");
    html! {
        svg x=(part(place)) y=(y) overflow="visible" { path."w1" d="M-3.5-3.5 3.5 3.5M-3.5 3.5 3.5-3.5" {} }
    }
}

impl Mark {
    /// The mark on a line of this axis, in the middle of `height` pixels; nothing where a value has no place.
    pub(super) fn on(&self, axis: &Axis, height: f64) -> Option<Markup> {
        let (y, middle) = (height / 2.0, format!("{:.1}", height / 2.0));
        let place = |value: f64| axis.place(value);
        Some(match *self {
            Self::Point { at, shape, is_hollow } => point(place(at)?, y, shape, is_hollow),
            Self::Interval { from, to } => html! {
                line.w x1=(part(place(from)?)) x2=(part(place(to)?)) y1=(middle) y2=(middle) {}
            },
            Self::Reach { from, to } => html! {
                line."w1" x1=(part(place(from)?)) x2=(part(place(to)?)) y1=(middle) y2=(middle) {}
                line."w1" x1=(part(place(to)?)) x2=(part(place(to)?)) y1=(format!("{:.1}", y - 4.0)) y2=(format!("{:.1}", y + 4.0)) {}
            },
            Self::Band { from, to } => {
                let (from, to) = (place(from)?, place(to)?);
                html! {
                    rect.fill x=(part(from.min(to))) width=(part((to - from).abs())) y=(format!("{:.1}", y - 6.0)) height="12" {}
                }
            }
            Self::Below { at } => html! {
                svg x=(part(place(at)?)) y=(middle) overflow="visible" { path."m o" d="M0-4.5 0 4.5M0 0H-16M-11-4-16 0-11 4" {} }
            },
            Self::Extreme { at } => extreme(place(at)?, y),
        })
    }

    /// The mark upright at a place of the width, each value being so many pixels `down`; nothing where one has no place.
    pub(super) fn upright(&self, at_place: f64, down: impl Fn(f64) -> Option<f64>) -> Option<Markup> {
        let x = part(at_place);
        let pixels = |y: f64| format!("{y:.1}");
        Some(match *self {
            Self::Point { at, shape, is_hollow } => point(at_place, down(at)?, shape, is_hollow),
            Self::Interval { from, to } => html! {
                line.w x1=(x) x2=(x) y1=(pixels(down(from)?)) y2=(pixels(down(to)?)) {}
            },
            Self::Reach { from, to } => {
                let end = down(to)?;
                html! {
                    line."w1" x1=(x) x2=(x) y1=(pixels(down(from)?)) y2=(pixels(end)) {}
                    svg x=(x) y=(pixels(end)) overflow="visible" { path."w1" d="M-4 0H4" {} }
                }
            }
            Self::Band { from, to } => {
                let (from, to) = (down(from)?, down(to)?);
                let height = pixels((to - from).abs());
                html! {
                    svg x=(x) y=(pixels(from.min(to))) overflow="visible" { rect.fill x="-6" width="12" height=(height) {} }
                }
            }
            Self::Below { at } => html! {
                svg x=(x) y=(pixels(down(at)?)) overflow="visible" { path."m o" d="M-4.5 0H4.5M0 0V16M-4 11 0 16 4 11" {} }
            },
            Self::Extreme { at } => extreme(at_place, down(at)?),
        })
    }

    /// The values that it is drawn at.
    pub(super) fn values(&self) -> [f64; 2] {
        match *self {
            Self::Point { at, .. } | Self::Below { at } | Self::Extreme { at } => [at, at],
            Self::Interval { from, to } | Self::Reach { from, to } | Self::Band { from, to } => [from, to],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_series_have_shapes_of_their_own() {
        let drawn: std::collections::BTreeSet<String> =
            Shape::SERIES.into_iter().map(|shape| point(0.5, 10.0, shape, false).into_string()).collect();
        assert_eq!(drawn.len(), 8, "{drawn:?}");
    }
}
