//! Writes the graph as a certificate, which proves the number of solutions. docs/FORMATS.md describes the
//! format.

use std::io::{self, Write};

use super::CountGraph;
use super::nodes::{Child, PRODUCT};
use quadrille_model::bits::bits_of;

/// Format name and version, which are in the first line.
const HEADER: &str = "quadrille-certificate 1";

impl CountGraph {
    /// Writes the graph as a certificate of the number of solutions.
    ///
    /// # Errors
    /// Returns an error if writing fails, or if a temporary file cannot be read.
    pub fn write_certificate(&self, out: &mut dyn Write) -> io::Result<()> {
        // Options without a primary item get no number, because programs that read problems leave them out.
        let mut numbers = vec![0u32; self.options];
        let mut options = 0;
        for option in bits_of(self.tables.all.iter().copied()) {
            options += 1;
            numbers[option] = options;
        }
        let (primary, entries) = (self.tables.primary, self.tables.item_of.len());
        writeln!(out, "{HEADER}\nproblem {primary} {entries} {options}")?;
        let (mut before, mut buffer) = (vec![0; self.tables.entry_words], Vec::new());
        for place in self.nodes.numbers() {
            let node = self.nodes.node(place, &mut buffer)?;
            for entry in bits_of(node.rest.iter().zip(&before).map(|(rest, before)| rest ^ before)) {
                write!(out, "{} ", entry + 1)?;
            }
            before.copy_from_slice(node.rest);
            match node.item {
                PRODUCT => write!(out, "*")?,
                item => write!(out, "| {}", item + 1)?,
            }
            for edge in node.edges() {
                write!(out, " ")?;
                if edge.option != PRODUCT {
                    write!(out, "{}:", numbers[edge.option as usize])?;
                }
                write_child(out, edge.child)?;
            }
            writeln!(out, " = {}", node.count())?;
        }
        write!(out, "root ")?;
        write_child(out, self.root)?;
        writeln!(out, " = {}", self.count())
    }
}

/// Writes a child of a node.
///
/// Writes the number of the child's node, 0 if nothing is left to cover, or `-` if some item has no option
/// left.
fn write_child(out: &mut dyn Write, child: Child) -> io::Result<()> {
    match child {
        Child::STARVED => write!(out, "-"),
        Child(node) => write!(out, "{node}"),
    }
}
