//! Keys of records as columns, for programs that compare records themselves.

use std::io;
use std::sync::Arc;

use arrow_array::builder::Int64Builder;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use quadrille::Status;
use quadrille::batch::compare::{FilterTail, KeyMark, Keys, RowFilter};
use quadrille::engine::Control;

/// Names of the key columns: two 64-bit halves per key.
const NAMES: [[&str; 2]; 3] =
    [["q_key_1_high", "q_key_1_low"], ["q_key_2_high", "q_key_2_low"], ["q_key_3_high", "q_key_3_low"]];

/// Passes on all rows, and stores the keys and verdicts of their records.
#[derive(Default)]
pub(crate) struct KeyColumns {
    records: Vec<(Keys, Status)>,
}

impl RowFilter for KeyColumns {
    fn take(&mut self, mark: &KeyMark, rows: &[u8], out: &mut Vec<u8>) -> quadrille::Result<u64> {
        if rows.is_empty() {
            return Ok(0);
        }
        self.records.push((mark.keys, mark.status));
        out.extend_from_slice(rows);
        Ok(1)
    }

    fn finish(
        &mut self,
        _: &Arc<Control>,
        _: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> quadrille::Result<FilterTail> {
        Ok(FilterTail { rows: 0, is_cut: false })
    }
}

impl KeyColumns {
    /// Appends the columns `q_status`, `q_key_1_high`, `q_key_1_low` and so on to the rows.
    ///
    /// Keys that a record does not have are null.
    pub(crate) fn behind(
        self,
        (schema, batches): (SchemaRef, Vec<RecordBatch>),
    ) -> Result<(SchemaRef, Vec<RecordBatch>), arrow_schema::ArrowError> {
        let ours = std::iter::once(Field::new("q_status", DataType::Utf8, true));
        let ours = ours.chain(NAMES.iter().flatten().map(|name| Field::new(*name, DataType::Int64, true)));
        let fields = schema.fields().iter().map(|field| (**field).clone()).chain(ours);
        let schema =
            Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()));
        let mut records = self.records.iter();
        let with_keys = |batch: RecordBatch| {
            let records: Vec<_> = records.by_ref().take(batch.num_rows()).collect();
            let words = records.iter().map(|(_, status)| status.word());
            let mut columns = batch.columns().to_vec();
            columns.push(Arc::new(StringArray::from_iter_values(words)));
            for kind in 0..NAMES.len() {
                let [mut high, mut low] = [(); 2].map(|()| Int64Builder::with_capacity(records.len()));
                for (keys, _) in &records {
                    high.append_option(keys[kind].map(|key| (key >> 64) as i64));
                    low.append_option(keys[kind].map(|key| key as i64));
                }
                columns.extend([high, low].map(|mut half| -> ArrayRef { Arc::new(half.finish()) }));
            }
            RecordBatch::try_new(Arc::clone(&schema), columns)
        };
        let batches = batches.into_iter().map(with_keys).collect::<Result<_, _>>()?;
        Ok((schema, batches))
    }
}
