//! The graph as a certificate of the count: see docs/FORMATS.md.

use std::io::{self, Write};

use super::CountGraph;
use super::nodes::{Child, PRODUCT};
use quadrille_model::bits::bits_of;

/// The name and version in the first line.
const HEADER: &str = "quadrille-certificate 1";

impl CountGraph {
    /// Writes the graph as a certificate of the count.
    ///
    /// # Errors
    /// Returns an error if writing fails, or reading a temporary file.
    pub fn write_certificate(&self, out: &mut dyn Write) -> io::Result<()> {
        // Options without a primary item have no number: readers of problems leave them out.
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

/// Writes the number of a node, 0 for the empty rest, or `-` for a rest in which an item has no option.
fn write_child(out: &mut dyn Write, child: Child) -> io::Result<()> {
    match child {
        Child::STARVED => write!(out, "-"),
        Child(node) => write!(out, "{node}"),
    }
}
