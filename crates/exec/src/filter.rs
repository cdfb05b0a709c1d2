//! Filter, projection, and both in one step, so that columns that only the predicate reads are not
//! copied.

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::Chunk;
use entasis_expr::{ColumnId, Expr, Predicate, Program};
use entasis_pipeline::{Flow, Operator, OperatorState, Output, QueryContext};

use crate::coalesce::Coalescer;

/// Passes the rows for which the predicate is true, with some of the input's columns.
pub struct Filter {
    predicate: Predicate,
    /// Positions of the columns that come out; `None` means all.
    columns: Option<Vec<usize>>,
    /// Expressions that are computed over those columns, after the filter.
    project: Option<Arc<Program>>,
    max_block_size: usize,
    ordered: bool,
}

/// What a filter outputs.
pub enum Select<'a> {
    /// All columns of the input.
    All,
    /// The values of these expressions.
    Exprs(&'a [Expr]),
}

impl Filter {
    pub fn create(
        predicates: &[Expr],
        input: &[ColumnId],
        select: Select<'_>,
        context: &QueryContext,
        ordered: bool,
    ) -> Result<Arc<dyn Operator>> {
        let predicate = Predicate::new(predicates, input)?;
        let (mut columns, mut project) = (None, None);
        if let Select::Exprs(exprs) = select {
            let mut needed = Vec::new();
            for e in exprs {
                e.columns(&mut needed);
            }
            project = Some(Arc::new(Program::new(exprs, &needed)?));
            let position = |id: &ColumnId| input.iter().position(|i| i == id);
            columns = Some(needed.iter().filter_map(position).collect());
        }
        let max_block_size = context.max_block_size;
        Ok(Arc::new(Self { predicate, columns, project, max_block_size, ordered }))
    }
}

impl Operator for Filter {
    fn name(&self) -> String {
        "Filter".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(FilterState {
            predicate: self.predicate.clone(),
            columns: self.columns.clone(),
            project: self.project.clone(),
            coalescer: Coalescer::new(self.max_block_size, self.ordered),
        }))
    }
}

struct FilterState {
    predicate: Predicate,
    columns: Option<Vec<usize>>,
    project: Option<Arc<Program>>,
    coalescer: Coalescer,
}

impl OperatorState for FilterState {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let mask = self.predicate.mask(&chunk)?;
        let rows = mask.count_ones();
        events::add(Event::FilterTransformRows, chunk.rows as u64);
        events::add(Event::FilterTransformPassedRows, rows as u64);
        if rows == 0 {
            return Ok(Flow::More);
        }
        let chunk = match &self.columns {
            Some(positions) => {
                let columns = positions.iter().map(|p| chunk.columns[*p].filter(&mask)).collect();
                Chunk::new(columns, rows)
            }
            None => chunk.filter(&mask),
        };
        let mut project = Project { program: self.project.clone() };
        // Small chunks are held back before the program runs, as it is fastest on whole blocks.
        self.coalescer.push(chunk, &mut Through { state: &mut project, out })
    }

    fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        let mut project = Project { program: self.project.clone() };
        self.coalescer.flush(&mut Through { state: &mut project, out })
    }

    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        let mut project = Project { program: self.project.clone() };
        self.coalescer.finish(&mut Through { state: &mut project, out })
    }
}

struct Through<'a> {
    state: &'a mut Project,
    out: &'a mut dyn Output,
}

impl Output for Through<'_> {
    fn push(&mut self, chunk: Chunk) -> Result<Flow> {
        self.state.push(chunk, self.out)
    }
}

/// Computes expressions; without a program, passes chunks on unchanged.
struct Project {
    program: Option<Arc<Program>>,
}

impl OperatorState for Project {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        match &self.program {
            Some(program) => out.push(Chunk::new(program.run(&chunk)?, chunk.rows)),
            None => out.push(chunk),
        }
    }
}

/// Outputs the values of expressions over each chunk.
pub struct Compute(Arc<Program>);

impl Compute {
    pub fn create(exprs: &[Expr], input: &[ColumnId]) -> Result<Arc<dyn Operator>> {
        Ok(Arc::new(Self(Arc::new(Program::new(exprs, input)?))))
    }
}

impl Operator for Compute {
    fn name(&self) -> String {
        "Project".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(Project { program: Some(Arc::clone(&self.0)) }))
    }
}

/// Outputs the columns at these positions, in this order.
pub struct SelectColumns(pub Vec<usize>);

impl Operator for SelectColumns {
    fn name(&self) -> String {
        "Pick".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(Self(self.0.clone())))
    }
}

impl OperatorState for SelectColumns {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let columns = self.0.iter().map(|p| chunk.columns[*p].clone()).collect();
        out.push(Chunk::new(columns, chunk.rows))
    }
}
