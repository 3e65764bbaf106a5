//! The room's workbook. Formulas are only calculated when a caller asks for values: sessions
//! calculate for themselves, and a room that is never read over REST spends neither time nor memory
//! on formulas.

use quadrille_document::Document;
use quadrille_operation::Transaction;
use quadrille_protocol::TimeAndSeed;
use quadrille_workbook::Workbook;

pub(crate) enum Content {
    Plain { workbook: Workbook, time_and_seed: TimeAndSeed },
    Calculated(Box<Document>),
}

impl Content {
    /// `time_and_seed` is the evaluation context of the last transaction in `workbook`.
    pub fn new(workbook: Workbook, time_and_seed: TimeAndSeed) -> Content {
        Content::Plain { workbook, time_and_seed }
    }

    /// The current workbook.
    pub fn workbook(&self) -> &Workbook {
        match self {
            Content::Plain { workbook, .. } => workbook,
            Content::Calculated(document) => document.workbook(),
        }
    }

    /// Applies the transaction, with `now` as the time and seed of its volatile functions.
    pub fn apply(&mut self, transaction: &Transaction, now: TimeAndSeed) {
        match self {
            Content::Plain { workbook, time_and_seed } => {
                *time_and_seed = now;
                quadrille_operation::apply(workbook, transaction);
            }
            Content::Calculated(document) => {
                document.apply(transaction, evaluation_context(now));
            }
        }
    }

    /// Returns the calculating document; the first call creates it.
    pub fn document(&mut self) -> &mut Document {
        if let Content::Plain { workbook, time_and_seed } = self {
            let mut document = Document::from_workbook(workbook.clone());
            document.apply(&Transaction::default(), evaluation_context(*time_and_seed));
            *self = Content::Calculated(Box::new(document));
        }
        match self {
            Content::Calculated(document) => document,
            Content::Plain { .. } => unreachable!("created above"),
        }
    }

    /// Drops all calculated values.
    pub fn discard_values(&mut self, time_and_seed: TimeAndSeed) {
        if let Content::Calculated(document) = self {
            *self = Content::new(document.snapshot(), time_and_seed);
        }
    }
}

fn evaluation_context(time_and_seed: TimeAndSeed) -> quadrille_document::EvaluationContext {
    quadrille_document::EvaluationContext { time_ms: time_and_seed.time_ms, seed: time_and_seed.seed }
}
