//! Rules of turned or reflected grids.

use std::fmt::Write;

use super::{Item, RuleError, Rules, Shape, cell_of, compile, items, kinds, name_of};

impl Rules {
    /// Returns true if the rules stay valid when the digits are relabelled.
    pub fn are_without_values(&self) -> bool {
        let is_without_values = |item: &Item<'_>| kinds::find(item.name).is_some_and(|kind| !kind.has_values);
        items(self.text()).is_ok_and(|items| items.iter().all(is_without_values))
    }

    /// Returns the rules after each cell `c` has moved to `to[c]`, or `None` if no rule is left.
    ///
    /// The moves together must turn or reflect the grid. The result has no givens, because they are already
    /// candidates of the grid. Items that name a direction, such as `.LittleKiller`, become sums.
    ///
    /// # Errors
    /// Returns an error if the rules cannot be turned. This happens with `.Windoku` in a grid whose boxes are
    /// not square.
    pub fn turned(&self, to: &[u16]) -> Result<Option<Rules>, RuleError> {
        let mut out = String::new();
        for item in items(self.text())? {
            write_turned(&item, self.shape(), to, &mut out)?;
        }
        if out.is_empty() { Ok(None) } else { compile(&out, self.shape()).map(Some) }
    }
}

fn write_turned(item: &Item<'_>, shape: Shape, to: &[u16], out: &mut String) -> Result<(), RuleError> {
    let side = shape.side();
    let name = |cell: usize| name_of(to[cell].into(), side);
    let written = match item.name {
        "" | "Shape" => Ok(()),
        "Windoku" if shape.box_rows != shape.box_columns => {
            return Err(item.invalid("its windows are not symmetric"));
        }
        "Jigsaw" => {
            let mut letters = vec![' '; to.len()];
            for (letter, &cell) in item.arguments.iter().flat_map(|word| word.chars()).zip(to) {
                letters[usize::from(cell)] = letter;
            }
            write!(out, ".Jigsaw~{}", letters.iter().collect::<String>())
        }
        "Diagonal" => {
            // The top left corner is on the falling diagonal. If this corner moves to the rising diagonal,
            // the two diagonals are exchanged.
            let corner = usize::from(to[0]);
            let is_exchanged = corner != 0 && corner != to.len() - 1;
            let is_rising = (item.arguments == ["1"]) != is_exchanged;
            out.write_str(if is_rising { ".Diagonal~1" } else { ".Diagonal~-1" })
        }
        "LittleKiller" | "PillArrow" => {
            for sum in compile(item.text, shape)?.sums() {
                let by: String = sum.terms.iter().map(|(_, by)| format!("_{by}")).collect();
                let cells: String =
                    sum.terms.iter().map(|(cell, _)| format!("~{}", name((*cell).into()))).collect();
                out.push_str(&format!(".Sum~{}_={by}{cells}", sum.target));
            }
            Ok(())
        }
        "Quad" => {
            let corner = item.arguments.first().and_then(|word| cell_of(word, side)).unwrap_or_default();
            let four = [corner, corner + 1, corner + side, corner + side + 1];
            let top_left = four.iter().filter_map(|&cell| to.get(cell)).min().copied().unwrap_or_default();
            write!(out, ".Quad~{}~{}", name_of(top_left.into(), side), item.arguments[1..].join("~"))
        }
        kind => {
            out.push_str(&format!(".{kind}"));
            item.arguments.iter().try_for_each(|word| match cell_of(word, side) {
                Some(cell) => write!(out, "~{}", name(cell)),
                None => write!(out, "~{word}"),
            })
        }
    };
    written.map_err(|_| item.invalid("it cannot be written"))
}
