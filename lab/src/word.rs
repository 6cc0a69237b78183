use clap::ValueEnum;

/// As it is written on a command line.
pub fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::word;
    use crate::plant::Plant;
    use crate::size::Size;
    use clap::ValueEnum;

    #[test]
    fn the_command_line_reads_what_was_written() {
        for plant in Plant::value_variants() {
            assert_eq!(Plant::from_str(&word(*plant), false), Ok(*plant));
        }
        assert_eq!(word(Size::Quick), "quick");
    }
}
