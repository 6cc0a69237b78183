#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

/// An estimate with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "Written", into = "Written")]
pub struct Estimate {
    /// The estimate.
    pub estimate: f64,
    /// Lower end of the interval. Without an interval, the estimate.
    pub low: f64,
    /// Upper end of the interval. Likewise.
    pub high: f64,
    /// Confidence of the interval, 0 to 1; 0 where there were too few samples for one.
    pub confidence: f64,
}

/// An estimate in a document.
#[derive(Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Estimate"))]
struct Written {
    /// The estimate.
    estimate: f64,
    /// Lower end of the interval; null without one.
    low: Option<f64>,
    /// Upper end of the interval; null without one.
    high: Option<f64>,
    /// Confidence of the interval, 0 to 1; 0 where there were too few samples for one.
    confidence: f64,
}

impl From<Estimate> for Written {
    fn from(of: Estimate) -> Self {
        let (low, high) = of.interval().unzip();
        Self { estimate: of.estimate, low, high, confidence: of.confidence }
    }
}

#[cfg(feature = "read")]
impl From<Written> for Estimate {
    fn from(of: Written) -> Self {
        match (of.low, of.high) {
            (Some(low), Some(high)) if of.confidence > 0.0 => {
                Self { estimate: of.estimate, low, high, confidence: of.confidence }
            }
            _ => Self::without_interval(of.estimate),
        }
    }
}

impl Estimate {
    /// No verdict follows from an interval that holds with less confidence: six processes are the fewest that reach it.
    pub const LEAST_CONFIDENCE: f64 = 0.95;

    /// An exact number, or one published without an interval: confidence 1.
    ///
    /// # Examples
    /// ```
    /// assert!(chronoscope_harness::record::Estimate::certain(15.2).holds(15.2));
    /// ```
    pub const fn certain(value: f64) -> Self {
        Self { estimate: value, low: value, high: value, confidence: 1.0 }
    }

    /// A number measured too few times for an interval: confidence 0.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_harness::record::Estimate::without_interval(15.2).confidence, 0.0);
    /// ```
    pub const fn without_interval(value: f64) -> Self {
        Self { confidence: 0.0, ..Self::certain(value) }
    }

    /// Applies an increasing function to the estimate and both ends.
    #[must_use]
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Self {
        Self { estimate: rising(self.estimate), low: rising(self.low), high: rising(self.high), ..self }
    }

    /// With the opposite sign.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::Estimate;
    ///
    /// let loss = Estimate { low: 1.0, high: 4.0, confidence: 0.95, ..Estimate::certain(2.0) };
    /// assert_eq!(loss.negated(), Estimate { estimate: -2.0, low: -4.0, high: -1.0, confidence: 0.95 });
    /// ```
    #[must_use]
    pub fn negated(self) -> Self {
        Self { estimate: -self.estimate, low: -self.high, high: -self.low, ..self }
    }

    /// Multiplied by an exact, non-negative `factor`.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_harness::record::Estimate::certain(15.2).times(2.0).high, 30.4);
    /// ```
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        self.map(|value| value * factor)
    }

    /// The ratio to `denominator`, with both intervals at their worst: wider than necessary, never too narrow. None
    /// where `denominator` may be zero, when the quotient is unknown.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::Estimate;
    ///
    /// let by = Estimate { low: 1.0, high: 3.0, confidence: 0.95, ..Estimate::certain(2.0) };
    /// let found = Estimate::certain(6.0).over(&by);
    /// assert_eq!(found, Some(Estimate { estimate: 3.0, low: 2.0, high: 6.0, confidence: 0.95 }));
    /// assert_eq!(by.over(&Estimate::certain(0.0)), None);
    /// ```
    pub fn over(&self, denominator: &Self) -> Option<Self> {
        let (estimate, confidence) =
            (self.estimate / denominator.estimate, self.confidence.min(denominator.confidence));
        let with_interval =
            Self { estimate, low: self.low / denominator.high, high: self.high / denominator.low, confidence };
        let found = if confidence > 0.0 { with_interval } else { Self::without_interval(estimate) };
        (denominator.low > 0.0).then_some(found)
    }

    /// Its interval; None where there was too little for one. Whoever writes or draws the ends asks here.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::Estimate;
    ///
    /// let found = Estimate { low: 4.9, high: 5.2, confidence: 0.75, ..Estimate::certain(5.0) };
    /// assert_eq!(found.interval(), Some((4.9, 5.2)));
    /// assert_eq!(Estimate::without_interval(5.0).interval(), None);
    /// ```
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.has_interval().then_some((self.low, self.high))
    }

    /// Whether there was enough for an interval, however little it may hold.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::Estimate;
    ///
    /// assert!(Estimate::certain(5.0).has_interval());
    /// assert!(!Estimate::without_interval(5.0).has_interval());
    /// ```
    pub fn has_interval(&self) -> bool {
        self.confidence > 0.0
    }

    /// Whether its interval holds with enough confidence for a verdict: [`LEAST_CONFIDENCE`](Self::LEAST_CONFIDENCE).
    pub fn has_confidence(&self) -> bool {
        self.confidence >= Self::LEAST_CONFIDENCE
    }

    /// Whether it is told from zero, at [`LEAST_CONFIDENCE`](Self::LEAST_CONFIDENCE) or more.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::Estimate;
    ///
    /// assert!(Estimate::certain(-0.1).is_resolved());
    /// assert!(!Estimate::without_interval(5.0).is_resolved(), "a single process tells nothing");
    /// ```
    pub fn is_resolved(&self) -> bool {
        self.has_confidence() && (self.low > 0.0 || self.high < 0.0)
    }

    /// The same with an interval no narrower than `floor` on each side of the estimate, if there is one.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::Estimate;
    ///
    /// assert_eq!(Estimate::certain(15.5).at_least(0.5).high, 16.0);
    /// ```
    #[must_use]
    pub fn at_least(self, floor: f64) -> Self {
        let Self { estimate, low, high, .. } = self;
        if !self.has_interval() {
            return self;
        }
        Self { low: low.min(estimate - floor), high: high.max(estimate + floor), ..self }
    }

    /// The same with an interval that also holds `value`, if there is one.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_harness::record::Estimate::certain(15.5).holding(17.0).high, 17.0);
    /// ```
    #[must_use]
    pub fn holding(self, value: f64) -> Self {
        let is_held = !self.has_interval() || !value.is_finite();
        if is_held { self } else { Self { low: self.low.min(value), high: self.high.max(value), ..self } }
    }

    /// Half the interval's width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether the interval contains `value`.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_interval_is_null_in_a_document() {
        let bare = Estimate::without_interval(7.5);
        let text = serde_json::to_string(&bare).unwrap();
        assert_eq!(text, r#"{"estimate":7.5,"low":null,"high":null,"confidence":0.0}"#);
        assert_eq!(serde_json::from_str::<Estimate>(&text).unwrap(), bare);
        let odd = serde_json::from_str::<Estimate>(r#"{"estimate":7.5,"low":7,"high":8,"confidence":0}"#);
        assert_eq!(odd.unwrap(), bare, "ends without confidence are none");
        let whole = Estimate { low: 7.0, confidence: 0.999, ..bare };
        assert_eq!(serde_json::from_str::<Estimate>(&serde_json::to_string(&whole).unwrap()).unwrap(), whole);
    }
}
