//! Writes trees as text, similar to the reference's `formatQuery`. Parsing the text gives an equal
//! tree, which a property test over all test queries checks.

mod alter;
mod backup;
mod create;
mod dictionary;
mod expr;
mod literal;
mod name;
mod query;
mod refresh;
mod statement;

use crate::ast::{Expr, Ident, Literal, Query, Statement, Storage, TableName, TypeName};

pub use literal::{format_literal, format_string};
pub use name::column_name;

/// How text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct FormatOptions {
    /// Everything on one line.
    pub one_line: bool,
    /// Whether operators are written as calls of their functions, and implicit parts are written
    /// out: the table that a SELECT without FROM reads, and the strictness of a join.
    pub explicit: bool,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self { one_line: true, explicit: false }
    }
}

/// The text of a statement, without `;` and without the data of an INSERT.
pub fn format_statement(statement: &Statement, options: FormatOptions) -> String {
    let mut writer = Writer::new(options);
    writer.statement(statement);
    writer.out
}

/// The text of a query.
pub fn format_query(query: &Query, options: FormatOptions) -> String {
    let mut writer = Writer::new(options);
    writer.query(query);
    writer.out
}

/// The text of the query of a projection, on one line.
pub fn format_projection(query: &Query) -> String {
    let mut writer = Writer::new(FormatOptions { one_line: true, ..FormatOptions::default() });
    writer.in_projection = true;
    writer.query(query);
    writer.out
}

/// The text of an expression with its alias, on one line. Definitions store expressions in this
/// form.
pub fn format_expr(expr: &Expr) -> String {
    let mut writer = Writer::new(FormatOptions::default());
    writer.item(expr);
    writer.out
}

/// The engine of a table and the clauses that follow it, on one line: `Log SETTINGS a = 1`.
pub fn format_engine(storage: &Storage) -> String {
    let mut writer = Writer::new(FormatOptions::default());
    writer.engine_full(storage);
    writer.out
}

/// The text of a data type.
pub fn format_type(data_type: &TypeName) -> String {
    let mut writer = Writer::new(FormatOptions::default());
    writer.type_name(data_type);
    writer.out
}

/// The text of a data type as DESCRIBE shows it: elements of named tuples on lines of their own.
pub fn format_type_lines(data_type: &TypeName) -> String {
    let mut writer = Writer::new(FormatOptions::default());
    writer.tuples = Tuples::NamedElements;
    writer.type_name(data_type);
    writer.out
}

/// A name, in backticks where it needs them.
pub fn format_ident(name: &str) -> String {
    let mut writer = Writer::new(FormatOptions::default());
    writer.name(name);
    writer.out
}

/// Text under construction.
struct Writer {
    out: String,
    one_line: bool,
    explicit: bool,
    tuples: Tuples,
    /// Whether this is the query of a projection, whose keys stand without ASC.
    in_projection: bool,
    indent: usize,
}

/// Which tuple types have each element on a line of its own.
#[derive(Clone, Copy)]
enum Tuples {
    Inline,
    SeveralElements,
    NamedElements,
}

impl Writer {
    fn new(options: FormatOptions) -> Self {
        let tuples = if options.one_line { Tuples::Inline } else { Tuples::SeveralElements };
        let FormatOptions { one_line, explicit } = options;
        Self { out: String::new(), one_line, explicit, tuples, in_projection: false, indent: 0 }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Pushes `text` if `condition` holds.
    fn flag(&mut self, condition: bool, text: &str) {
        if condition {
            self.out.push_str(text);
        }
    }

    /// A blank, or a new line.
    fn line(&mut self) {
        if self.one_line {
            self.out.push(' ');
        } else {
            self.new_line();
        }
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }

    /// `a, b` on this line.
    fn inline<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        for (i, it) in items.iter().enumerate() {
            self.flag(i > 0, ", ");
            item(self, it);
        }
    }

    /// Writes ` a, b`. If the text has several lines and there are several items, each is on a line
    /// of its own.
    fn clause_list<T>(&mut self, items: &[T], item: impl FnMut(&mut Self, &T)) {
        if items.len() == 1 {
            self.out.push(' ');
            self.inline(items, item);
        } else {
            self.clause_lines(items, item);
        }
    }

    /// Writes ` a, b`. If the text has several lines, each item is on a line of its own.
    fn clause_lines<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        if self.one_line {
            self.out.push(' ');
            self.inline(items, item);
            return;
        }
        self.indent += 1;
        for (i, it) in items.iter().enumerate() {
            self.flag(i > 0, ",");
            self.new_line();
            item(self, it);
        }
        self.indent -= 1;
    }

    /// `(text)`, with the text on lines of its own.
    fn block(&mut self, inside: impl FnOnce(&mut Self)) {
        self.out.push('(');
        self.indent += 1;
        if !self.one_line {
            self.new_line();
        }
        inside(self);
        self.indent -= 1;
        if !self.one_line {
            self.new_line();
        }
        self.out.push(')');
    }

    fn ident(&mut self, ident: &Ident) {
        if ident.parameter {
            self.out.push('{');
            self.push(&ident.name);
            self.push(":Identifier}");
        } else {
            self.name(&ident.name);
        }
    }

    fn name(&mut self, name: &str) {
        if needs_quotes(name) { self.quoted_name(name) } else { self.push(name) }
    }

    /// Names of functions may be words that are not allowed as names of columns.
    fn push_function_name(&mut self, name: &str) {
        use crate::keyword::Kw;
        let word = !name.is_empty()
            && !name.as_bytes()[0].is_ascii_digit()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let special = matches!(
            Kw::of(name.as_bytes()),
            Kw::NOT
                | Kw::CASE
                | Kw::INTERVAL
                | Kw::NULL
                | Kw::TRUE
                | Kw::FALSE
                | Kw::ALL
                | Kw::DISTINCT
                | Kw::TOP
                | Kw::SELECT
                | Kw::FROM
                | Kw::VALUES
                | Kw::COLUMNS
                | Kw::TRIM
                | Kw::LTRIM
                | Kw::WHERE
                | Kw::AS
                | Kw::THEN
                | Kw::ELSE
                | Kw::UNION
                | Kw::RTRIM
                | Kw::WITH
        );
        if word && !special { self.push(name) } else { self.quoted_name(name) }
    }

    fn quoted_name(&mut self, name: &str) {
        self.out.push('`');
        literal::push_escaped(&mut self.out, name.as_bytes(), b'`');
        self.out.push('`');
    }

    fn names(&mut self, names: &[Ident]) {
        self.inline(names, |w, name| w.ident(name));
    }

    fn table_name(&mut self, name: &TableName) {
        if let Some(database) = &name.database {
            self.ident(database);
            self.out.push('.');
        }
        self.ident(&name.table);
    }

    fn string(&mut self, text: &str) {
        literal::push_string(&mut self.out, text.as_bytes());
    }

    fn literal(&mut self, value: &Literal) {
        literal::push_literal(&mut self.out, value, false);
    }
}

/// Whether a name would not be read back as a name without backticks.
fn needs_quotes(name: &str) -> bool {
    use crate::keyword::Kw;
    let mut bytes = name.bytes();
    let plain = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
    !plain
        || matches!(
            Kw::of(name.as_bytes()),
            Kw::ALL | Kw::DISTINCT | Kw::FALSE | Kw::FROM | Kw::NULL | Kw::SELECT | Kw::SOME
                | Kw::TABLE | Kw::TOP | Kw::TRUE | Kw::VALUES
                // Words that are not in the reference's list, but have another meaning to the
                // parser.
                | Kw::NOT | Kw::CASE | Kw::INTERVAL | Kw::INF | Kw::NAN | Kw::AS | Kw::WHERE
                | Kw::AND | Kw::OR | Kw::THEN | Kw::ELSE | Kw::UNION | Kw::IN | Kw::LIKE
                | Kw::ILIKE | Kw::WITH | Kw::ANY | Kw::GROUP | Kw::ORDER | Kw::SETTINGS
                | Kw::FORMAT | Kw::CONSTRAINT | Kw::INDEX | Kw::PROJECTION | Kw::PRIMARY
                | Kw::PARTITION | Kw::RECURSIVE | Kw::ROWS | Kw::RANGE | Kw::GROUPS
        )
}
