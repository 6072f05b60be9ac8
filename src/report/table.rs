//! Columns of plain text.

use unicode_width::UnicodeWidthStr as _;

/// Pads every cell to the widest of its column; the first column is flush left, the others flush right, the last one
/// flush left again where `last_left`. Cells are plain text: style a whole line after this, not a cell before it.
pub(super) fn align(rows: &[Vec<String>], last_left: bool) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                let padding = " ".repeat(width - cell.width());
                let left = column == 0 || (last_left && column + 1 == columns);
                if left { format!("{cell}{padding}") } else { format!("{padding}{cell}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        })
        .collect()
}

/// Fills a line up to `width` columns.
pub(super) fn pad(line: &str, width: usize) -> String {
    format!("{line}{}", " ".repeat(width.saturating_sub(line.width())))
}

/// Cuts a line to `width` columns, with `…` where something was left out.
pub(super) fn cut(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut cut = String::new();
    for character in line.chars() {
        let mut longer = cut.clone();
        longer.push(character);
        if longer.width() >= width {
            break;
        }
        cut = longer;
    }
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_under_numbers() {
        let rows = [["metric", "now", "verdict"], ["a", "100.0", "pass"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(align(&rows, true), ["metric    now  verdict", "a       100.0  pass"]);
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(cut("日本語テキスト", 5), "日本…");
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "long…");
    }
}
