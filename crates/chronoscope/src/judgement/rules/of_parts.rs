use chronoscope_harness::rule::Rule;

use crate::document::Record;
use crate::part::Part;

/// A rule, and the parts of a run that it looks at: only when all were done does it tell something that it found nothing.
pub type RuleOfParts = (&'static [Part], Rule<Record>);
