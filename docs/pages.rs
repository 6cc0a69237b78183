//! Compiles the Rust examples of every page of this repository, and checks the pages themselves: none is forgotten, every
//! link leads somewhere, and the README stays short.
#![forbid(unsafe_code)]

/// `page!(NAME FILE)…`: a module for each page, whose examples are its doctests; and their list.
macro_rules! pages {
    ($($name:ident $file:literal)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../", $file))]
            mod $name {}
        )*

        #[cfg(test)]
        const PAGES: &[&str] = &[$($file),*];
    };
}

pages! {
    readme "README.md"
    changelog "CHANGELOG.md"
    compare "COMPARE.md"
    design "DESIGN.md"
    platform "PLATFORM.md"
    advise "docs/advise.md"
    check "docs/check.md"
    choosing "docs/choosing.md"
    clock "docs/clock.md"
    commands "docs/commands.md"
    findings "docs/findings.md"
    gate "docs/gate.md"
    hiccups "docs/hiccups.md"
    history "docs/history.md"
    lab "docs/lab.md"
    literature "docs/literature.md"
    measuring "docs/measuring.md"
    pacing "docs/pacing.md"
    pages "docs/pages.md"
    record "docs/record.md"
    runtimes "docs/runtimes.md"
    studies "docs/studies.md"
    sync "docs/sync.md"
    watch "docs/watch.md"
}

#[cfg(test)]
mod tests;
