use clap::ValueEnum;

/// As it is written on a command line.
pub fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
