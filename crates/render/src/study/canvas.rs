//! A drawing of characters.

use std::convert::Infallible;

use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind};

/// The opacity from which a character is set: a sloping line is drawn half here, half in the next row.
const OPAQUE: f64 = 0.5;
const INK: BackendColor = BackendColor { alpha: 1.0, rgb: (0, 0, 0) };

/// Rows of characters on which plotters draws lines; what is drawn later covers what is there.
pub(super) struct Canvas {
    rows: Vec<Vec<char>>,
    columns: usize,
    /// What a line consists of.
    sign: char,
}

impl Canvas {
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        Self { rows: vec![vec![' '; columns]; rows], columns, sign: ' ' }
    }

    /// The cell at a place of the unit square, from its lower left corner.
    fn cell(&self, (right, up): (f64, f64)) -> BackendCoord {
        let step = |part: f64, count: usize| (part * count.saturating_sub(1) as f64).round() as i32;
        (step(right, self.columns), step(1.0 - up, self.rows.len()))
    }

    /// Sets a character.
    pub(super) fn point(&mut self, at: (f64, f64), sign: char) {
        let (column, row) = self.cell(at);
        let [column, row] = [column, row].map(|place| usize::try_from(place).unwrap_or(usize::MAX));
        if let Some(cell) = self.rows.get_mut(row).and_then(|row| row.get_mut(column)) {
            *cell = sign;
        }
    }

    /// Draws lines from each point to the next.
    pub(super) fn path(&mut self, path: &[(f64, f64)], sign: char) {
        self.sign = sign;
        for ends in path.windows(2) {
            let [from, to] = [ends[0], ends[1]].map(|end| self.cell(end));
            // Nothing on this canvas fails.
            let _ = self.draw_line(from, to, &INK);
        }
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[char]> {
        self.rows.iter().map(Vec::as_slice)
    }
}

impl DrawingBackend for Canvas {
    type ErrorType = Infallible;

    /// Wider than it is, for plotters ends a sloping line short of the last column.
    fn get_size(&self) -> (u32, u32) {
        let side = |cells: usize| u32::try_from(cells).unwrap_or(u32::MAX).saturating_add(2);
        (side(self.columns), side(self.rows.len()))
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, ink: BackendColor) -> Result<(), DrawingErrorKind<Infallible>> {
        let (Ok(column), Ok(row)) = (usize::try_from(at.0), usize::try_from(at.1)) else { return Ok(()) };
        if let Some(cell) = self.rows.get_mut(row).and_then(|row| row.get_mut(column)).filter(|_| ink.alpha >= OPAQUE) {
            *cell = self.sign;
        }
        Ok(())
    }

    /// Nothing: only a line wider than one cell is a polygon, and that it is provided here keeps plotters' own from being compiled.
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        _corners: I,
        _style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(columns: usize, rows: usize, path: &[(f64, f64)]) -> Vec<String> {
        let mut canvas = Canvas::new(columns, rows);
        canvas.path(path, '·');
        canvas.point(path[0], 'o');
        canvas.rows().map(|row| row.iter().collect()).collect()
    }

    #[test]
    fn lines_run_from_point_to_point() {
        assert_eq!(drawn(5, 3, &[(0.0, 1.0), (1.0, 1.0)]), ["o····", "     ", "     "]);
        assert_eq!(drawn(3, 3, &[(0.5, 0.0), (0.5, 1.0)]), [" · ", " · ", " o "]);
        for slope in [[(0.0, 0.0), (1.0, 1.0)], [(0.0, 1.0), (1.0, 0.0)], [(1.0, 0.3), (0.0, 0.9)]] {
            let rows = drawn(40, 9, &slope);
            let filled = (0..40).filter(|x| rows.iter().any(|row| row.chars().nth(*x) != Some(' '))).count();
            // The end has a point of its own.
            assert!(filled >= 37, "{rows:#?}");
        }
    }

    #[test]
    fn no_size_panics() {
        for (columns, rows) in [(0, 0), (1, 1), (2, 1), (1, 40)] {
            drawn(columns, rows, &[(0.0, 0.0), (1.0, 1.0), (0.5, 0.2)]);
        }
    }
}
