//! Queries as text.

use super::Writer;
use crate::ast::{
    Distinct, Expr, Fill, FromClause, FromStep, GroupBy, Ident, Interpolate, Join, JoinConstraint,
    JoinKind, JoinLocality, JoinStrictness, OrderByItem, OutFile, Output, Query, Ratio, Select,
    SetOperation, SetOperator, SetQuantifier, SettingChange, TableExpr, TableExprKind, WithItem,
};

impl Writer {
    pub(super) fn query(&mut self, query: &Query) {
        match query {
            Query::Select(select) => self.select(select),
            Query::SetOperation(operation) => self.set_operation(operation),
        }
    }

    fn set_operation(&mut self, operation: &SetOperation) {
        for (i, branch) in operation.branches.iter().enumerate() {
            if i > 0 {
                self.line();
                self.push(match operation.operator {
                    SetOperator::Union => "UNION",
                    SetOperator::Intersect => "INTERSECT",
                    SetOperator::Except => "EXCEPT",
                });
                self.push(match operation.quantifier {
                    SetQuantifier::Default => "",
                    SetQuantifier::All => " ALL",
                    SetQuantifier::Distinct => " DISTINCT",
                });
                self.line();
            }
            // If a SELECT before EXCEPT ends with an asterisk, EXCEPT would belong to the asterisk.
            let parens = match branch {
                Query::Select(_) => operation.operator == SetOperator::Except,
                Query::SetOperation(_) => true,
            };
            if parens { self.block(|w| w.query(branch)) } else { self.query(branch) }
        }
    }

    /// A clause on a line of its own: its word, then ` expr`.
    fn clause(&mut self, word: &str) {
        self.line();
        self.push(word);
    }

    fn select(&mut self, select: &Select) {
        if let Some(with) = &select.with {
            self.push("WITH");
            self.flag(with.recursive, " RECURSIVE");
            self.clause_lines(&with.items, Self::with_item);
            self.line();
        }
        self.push("SELECT");
        match &select.distinct {
            None => {}
            Some(Distinct::All) => self.push(" DISTINCT"),
            Some(Distinct::On(keys)) => {
                self.push(" DISTINCT ON (");
                self.items(keys);
                self.push(")");
            }
        }
        self.clause_list(&select.projection, Self::item);
        if let Some(from) = &select.from {
            self.clause("FROM");
            self.tables_clause(from);
        } else if self.explicit {
            self.clause("FROM system.one");
        }
        for (word, expr) in [("PREWHERE ", &select.prewhere), ("WHERE ", &select.where_clause)] {
            if let Some(expr) = expr {
                self.clause(word);
                self.item(expr);
            }
        }
        self.group_by(select);
        if let Some(having) = &select.having {
            self.clause("HAVING ");
            self.item(having);
        }
        if !select.windows.is_empty() {
            self.clause("WINDOW");
            self.clause_list(&select.windows, |w, (name, spec)| {
                w.ident(name);
                w.push(" AS ");
                w.window(spec);
            });
        }
        if let Some(qualify) = &select.qualify {
            self.clause("QUALIFY ");
            self.item(qualify);
        }
        self.order_by(select);
        self.limits(select);
        if !select.settings.is_empty() {
            self.clause("SETTINGS ");
            self.settings(&select.settings);
        }
    }

    fn with_item(&mut self, item: &WithItem) {
        match item {
            WithItem::Expr(expr) => self.item(expr),
            WithItem::Cte { name, columns, materialized, query } => {
                self.ident(name);
                if !columns.is_empty() {
                    self.push("(");
                    self.names(columns);
                    self.push(")");
                }
                self.push(" AS");
                self.flag(*materialized, " MATERIALIZED");
                self.line();
                self.block(|w| w.query(query));
            }
        }
    }

    pub(super) fn tables_clause(&mut self, from: &FromClause) {
        self.table_expr(&from.table);
        for step in &from.steps {
            match step {
                FromStep::Join(join) => self.join(join),
                FromStep::ArrayJoin { left, exprs } => {
                    self.clause(if *left { "LEFT ARRAY JOIN" } else { "ARRAY JOIN" });
                    self.clause_list(exprs, Self::item);
                }
            }
        }
    }

    fn join(&mut self, join: &Join) {
        if join.kind == JoinKind::Comma {
            self.push(",");
            self.table_expr(&join.table);
            return;
        }
        self.line();
        self.push(match join.locality {
            JoinLocality::Unspecified => "",
            JoinLocality::Global => "GLOBAL ",
            JoinLocality::Local => "LOCAL ",
        });
        self.flag(join.constraint == JoinConstraint::Natural, "NATURAL ");
        self.push(match join.strictness {
            JoinStrictness::Unspecified if self.explicit && has_strictness(join.kind) => "ALL ",
            JoinStrictness::Unspecified => "",
            JoinStrictness::All => "ALL ",
            JoinStrictness::Any => "ANY ",
            JoinStrictness::Asof => "ASOF ",
            JoinStrictness::Semi => "SEMI ",
            JoinStrictness::Anti => "ANTI ",
        });
        self.push(match join.kind {
            JoinKind::Inner | JoinKind::Comma => "INNER JOIN",
            JoinKind::Left => "LEFT JOIN",
            JoinKind::Right => "RIGHT JOIN",
            JoinKind::Full => "FULL OUTER JOIN",
            JoinKind::Cross => "CROSS JOIN",
            JoinKind::Paste => "PASTE JOIN",
        });
        self.table_expr(&join.table);
        match &join.constraint {
            JoinConstraint::None | JoinConstraint::Natural => {}
            JoinConstraint::On(condition) => {
                self.push(" ON ");
                self.item(condition);
            }
            JoinConstraint::Using(columns) => {
                self.push(" USING (");
                self.items(columns);
                self.push(")");
            }
        }
    }

    /// A table with the blank or line before it.
    pub(super) fn table_expr(&mut self, table: &TableExpr) {
        match &table.kind {
            TableExprKind::Table(name) => {
                self.push(" ");
                self.table_name(name);
            }
            TableExprKind::Function(function) => {
                self.push(" ");
                self.call(function);
            }
            TableExprKind::Lateral(query) => {
                self.push(" LATERAL");
                self.line();
                self.block(|w| w.query(query));
            }
            TableExprKind::Subquery(query) => {
                self.line();
                self.block(|w| w.query(query));
            }
            TableExprKind::Nested(from) => {
                self.line();
                self.block(|w| {
                    let start = w.out.len();
                    w.tables_clause(from);
                    if w.out[start..].starts_with(' ') {
                        w.out.remove(start);
                    }
                });
            }
        }
        if let Some(alias) = &table.alias {
            self.push(" AS ");
            self.ident(alias);
        }
        if !table.column_aliases.is_empty() {
            self.push("(");
            self.names(&table.column_aliases);
            self.push(")");
        }
        self.flag(table.is_final, " FINAL");
        if let Some(sample) = &table.sample {
            self.push(" SAMPLE ");
            self.ratio(sample.size);
            if let Some(offset) = sample.offset {
                self.push(" OFFSET ");
                self.ratio(offset);
            }
        }
    }

    fn ratio(&mut self, ratio: Ratio) {
        self.push(&ratio.numerator.to_string());
        if ratio.denominator != 1 {
            self.push(" / ");
            self.push(&ratio.denominator.to_string());
        }
    }

    fn group_by(&mut self, select: &Select) {
        match &select.group_by {
            None => {}
            Some(GroupBy::All) => self.clause("GROUP BY ALL"),
            Some(GroupBy::Exprs(keys)) => {
                self.clause("GROUP BY");
                self.clause_list(keys, Self::item);
            }
            Some(GroupBy::Rollup(keys)) => self.group_with("ROLLUP", keys),
            Some(GroupBy::Cube(keys)) => self.group_with("CUBE", keys),
            Some(GroupBy::GroupingSets(sets)) => {
                self.clause("GROUP BY GROUPING SETS (");
                self.inline(sets, |w, set| {
                    w.push("(");
                    w.items(set);
                    w.push(")");
                });
                self.push(")");
            }
        }
        if select.with_totals {
            self.clause("WITH TOTALS");
        }
    }

    fn group_with(&mut self, modifier: &str, keys: &[Expr]) {
        self.clause("GROUP BY");
        if keys.is_empty() {
            self.push(&format!(" {modifier}()"));
            return;
        }
        self.clause_list(keys, Self::item);
        self.line();
        self.push("WITH ");
        self.push(modifier);
    }

    fn order_by(&mut self, select: &Select) {
        if !select.order_by.items.is_empty() {
            self.clause("ORDER BY");
            if select.order_by.all {
                self.push(" ALL");
                self.inline(&select.order_by.items, |w, item| w.order_modifiers(item));
            } else {
                self.clause_list(&select.order_by.items, Self::order_by_item);
            }
        }
        if let Some(items) = &select.interpolate {
            self.clause("INTERPOLATE");
            if !items.is_empty() {
                self.push(" (");
                self.inline(items, Self::interpolate);
                self.push(")");
            }
        }
    }

    fn interpolate(&mut self, item: &Interpolate) {
        self.plain(&item.column);
        if let Some(expr) = &item.expr {
            self.push(" AS ");
            self.plain(expr);
        }
    }

    pub(super) fn order_by_item(&mut self, item: &OrderByItem) {
        self.item(&item.expr);
        self.order_modifiers(item);
    }

    fn order_modifiers(&mut self, item: &OrderByItem) {
        if item.descending {
            self.push(" DESC");
        } else if !self.in_projection {
            self.push(" ASC");
        }
        match item.nulls_first {
            None => {}
            Some(true) => self.push(" NULLS FIRST"),
            Some(false) => self.push(" NULLS LAST"),
        }
        if let Some(collate) = &item.collate {
            self.push(" COLLATE ");
            self.string(collate);
        }
        if let Some(fill) = &item.fill {
            self.push(" WITH FILL");
            self.fill(fill);
        }
    }

    fn fill(&mut self, fill: &Fill) {
        for (word, expr) in [
            (" FROM ", &fill.from),
            (" TO ", &fill.to),
            (" STEP ", &fill.step),
            (" STALENESS ", &fill.staleness),
        ] {
            if let Some(expr) = expr {
                self.push(word);
                self.plain(expr);
            }
        }
    }

    fn limits(&mut self, select: &Select) {
        if let Some(by) = &select.limit_by {
            self.clause("LIMIT ");
            if let Some(offset) = &by.offset {
                self.plain(offset);
                self.push(", ");
            }
            self.plain(&by.limit);
            self.push(" BY");
            if by.all { self.push(" ALL") } else { self.clause_list(&by.by, Self::item) }
        }
        match (&select.limit, &select.offset) {
            (Some(limit), offset) => {
                self.clause("LIMIT ");
                if let Some(offset) = offset {
                    self.plain(offset);
                    self.push(", ");
                }
                self.plain(limit);
                self.flag(select.limit_with_ties, " WITH TIES");
            }
            (None, Some(offset)) => {
                self.clause("OFFSET ");
                self.plain(offset);
            }
            (None, None) => {}
        }
    }

    pub(super) fn settings(&mut self, settings: &[SettingChange]) {
        self.inline(settings, |w, change| {
            w.setting_name(&change.name);
            w.push(" = ");
            match &change.value {
                None => w.push("DEFAULT"),
                Some(value) => w.plain(value),
            }
        });
    }

    pub(super) fn setting_name(&mut self, name: &str) {
        let plain = name.split('.').all(|part| !super::needs_quotes(part));
        if plain { self.push(name) } else { self.quoted_name(name) }
    }

    pub(super) fn output(&mut self, output: &Output) {
        if let Some(file) = &output.outfile {
            self.clause("INTO OUTFILE ");
            self.outfile(file);
        }
        if let Some(format) = &output.format {
            self.clause("FORMAT ");
            self.format_name(format);
        }
        if !output.settings.is_empty() {
            self.clause("SETTINGS ");
            self.settings(&output.settings);
        }
    }

    /// No keyword is possible where the name of a format stands, so `Values` needs no quotes.
    pub(super) fn format_name(&mut self, format: &Ident) {
        let plain = !format.parameter && format.name.bytes().all(|b| b.is_ascii_alphanumeric());
        if plain { self.push(&format.name) } else { self.ident(format) }
    }

    fn outfile(&mut self, file: &OutFile) {
        self.string(&file.path);
        self.flag(file.append, " APPEND");
        self.flag(file.truncate, " TRUNCATE");
        self.flag(file.and_stdout, " AND STDOUT");
        if let Some(compression) = &file.compression {
            self.push(" COMPRESSION ");
            self.string(compression);
        }
        if let Some(level) = file.level {
            self.push(&format!(" LEVEL {level}"));
        }
    }
}

/// Whether a join of this kind may give one match or all.
fn has_strictness(kind: JoinKind) -> bool {
    !matches!(kind, JoinKind::Cross | JoinKind::Comma | JoinKind::Paste)
}
