//! An option's value as the command line spells it.

use clap::ValueEnum;

pub fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
