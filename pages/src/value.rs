use crate::tab::Tick;

/// A number as a page writes it, such as `18.7 ns`: in nanoseconds, or in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    pub value: f64,
    /// Half a unit of its last digit.
    pub half_step: f64,
}

impl Shown {
    pub fn read(text: &str) -> Option<Self> {
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let digits = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit = match unit {
            "ns" | "%" | "" => 1.0,
            "ps" => 1e-3,
            "µs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            _ => return None,
        };
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Some(Self { value: number.parse::<f64>().ok()? * unit, half_step: 0.5 * unit / 10_f64.powi(decimals as i32) })
    }

    /// Whether this is what a value is written as.
    pub fn is_of(self, value: f64) -> bool {
        (self.value - value).abs() <= self.half_step * (1.0 + 1e-9)
    }
}

/// A logarithmic axis, read from two of its labels.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    from: (f64, f64),
    to: (f64, f64),
}

impl Axis {
    /// The axis of the labels that `of` gives a place; None where it has fewer than two.
    pub fn of(ticks: &[Tick], of: impl Fn(&Tick) -> Option<f64>) -> Option<Self> {
        let mut read = ticks.iter().filter_map(|tick| Some((of(tick)?, Shown::read(&tick.text)?.value)));
        let from = read.next()?;
        Some(Self { from, to: read.last()? })
    }

    /// What a place on it stands for.
    pub fn value(self, place: f64) -> f64 {
        let share = (place - self.from.0) / (self.to.0 - self.from.0);
        self.from.1 * (self.to.1 / self.from.1).powf(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_with_its_unit_and_its_last_digit() {
        let read = Shown::read("1.25\u{a0}µs").unwrap();
        assert_eq!(read, Shown { value: 1250.0, half_step: 5.0 });
        assert!(read.is_of(1254.9));
        assert!(!read.is_of(1255.1));
        assert!(Shown::read("100 ns").unwrap().is_of(100.4));
        assert_eq!(Shown::read("not seen"), None);
    }

    #[test]
    fn a_place_between_two_labels_is_read_in_equal_ratios() {
        let tick = |x: f64, text: &str| Tick { x, y: 0.0, text: text.to_owned(), is_of_y: false };
        let axis = Axis::of(&[tick(0.0, "1 ns"), tick(50.0, "1 µs")], |tick| Some(tick.x)).unwrap();
        assert!((axis.value(100.0) / 1e6 - 1.0).abs() < 1e-9);
        assert!(Axis::of(&[tick(0.0, "1 ns")], |tick| Some(tick.x)).is_none());
    }
}
