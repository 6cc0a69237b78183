/// The columns that a page is laid out for: those of a terminal, or [`USUAL`](Self::USUAL) where there is none.
///
/// # Guarantees
/// No line of a page is wider. Sentences and drawings take [`USUAL`](Self::USUAL) columns at most, for longer lines
/// are hard to read; only a table that needs more takes what a wider terminal has. A page for fewer than
/// [`LEAST`](Self::LEAST) columns is laid out for those.
///
/// # Examples
/// ```
/// use chronoscope_render::Width;
///
/// assert_eq!(Width::default().columns(), 118);
/// assert_eq!(Width::of_columns(80).columns(), 80);
/// assert_eq!(Width::of_columns(7).columns(), Width::LEAST);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Width(usize);

impl Width {
    /// The fewest columns that a page is laid out for.
    pub const LEAST: usize = 60;
    /// The columns of a page for no terminal, and of sentences in a wider one.
    pub const USUAL: usize = 118;

    /// A page for a terminal of so many columns.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_render::Width::of_columns(100).columns(), 100);
    /// ```
    pub const fn of_columns(columns: usize) -> Self {
        Self(if columns < Self::LEAST { Self::LEAST } else { columns })
    }

    /// The columns that a table may take.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_render::Width::of_columns(200).columns(), 200);
    /// ```
    pub const fn columns(self) -> usize {
        self.0
    }

    /// The columns that sentences and drawings may take.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_render::Width::of_columns(200).of_prose(), 118);
    /// assert_eq!(chronoscope_render::Width::of_columns(80).of_prose(), 80);
    /// ```
    pub const fn of_prose(self) -> usize {
        if self.0 > Self::USUAL { Self::USUAL } else { self.0 }
    }
}

impl Default for Width {
    fn default() -> Self {
        Self(Self::USUAL)
    }
}
