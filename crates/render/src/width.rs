/// The width of a page in columns: that of the terminal, or [`USUAL`](Self::USUAL) without one.
///
/// # Guarantees
/// No line of a page is wider. Sentences and drawings use at most [`USUAL`](Self::USUAL) columns, since longer lines
/// are hard to read; only a table that needs it uses the full width of a wider terminal. Below [`LEAST`](Self::LEAST)
/// columns, the page is laid out for [`LEAST`](Self::LEAST).
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
    /// The minimum width of a page, in columns.
    pub const LEAST: usize = 60;
    /// The width, in columns, without a terminal, and of sentences on a wider one.
    pub const USUAL: usize = 118;

    /// For a terminal with this many columns.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_render::Width::of_columns(100).columns(), 100);
    /// ```
    pub const fn of_columns(columns: usize) -> Self {
        Self(if columns < Self::LEAST { Self::LEAST } else { columns })
    }

    /// The width available to a table, in columns.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_render::Width::of_columns(200).columns(), 200);
    /// ```
    pub const fn columns(self) -> usize {
        self.0
    }

    /// The width available to sentences and drawings, in columns.
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
