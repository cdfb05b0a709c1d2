//! Resolves identifiers: first as lambda parameters, then as aliases, then as columns, then in the
//! outer scopes.

use std::sync::Arc;

use entasis_base::{Error, Position, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_sql::ast::{self, Ident};
use entasis_table_api::{ColumnDef, DefaultKind, ScanColumn, Schema};
use entasis_types::subcolumn::subcolumns;
use entasis_types::{DataType, Value};

use crate::bind;
use crate::scope::{Alias, SourceColumns};
use crate::{Analyzer, bind_default, names, tree};

/// A column of FROM: its source, its position there, and how many parts of the name were used to
/// find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub source: usize,
    pub column: usize,
    pub parts: usize,
}

impl<'a> Analyzer<'a> {
    /// Resolves a name in the current scope, or in the scopes around it.
    pub(crate) fn identifier(&mut self, parts: &'a [Ident], position: Position) -> Result<Expr> {
        if parts.iter().any(|p| p.parameter) {
            let name = dotted(parts);
            let message = format!("Substitution `{name}` is not set");
            return Err(Error::new(codes::UNKNOWN_QUERY_PARAMETER, message).at(position));
        }
        if let Some(expr) = self.local(parts)? {
            return Ok(expr);
        }
        if let Some(expr) = self.outer_name(parts, position)? {
            return Ok(expr);
        }
        if let [name] = parts
            && let Some(expr) = self.bare_function(name.as_str())?
        {
            return Ok(expr);
        }
        if let Some(expr) = self.name_of_table(parts) {
            return Ok(expr);
        }
        Err(self.unknown(parts, position))
    }

    /// Functions that may be written without parentheses if there is no column of that name.
    fn bare_function(&mut self, name: &str) -> Result<Option<Expr>> {
        const BARE: [(&str, &str); 8] = [
            ("CURRENT_DATE", "today"),
            ("TODAY", "today"),
            ("CURRENT_TIMESTAMP", "now"),
            ("LOCALTIMESTAMP", "now"),
            ("NOW", "now"),
            ("CURRENT_USER", "currentUser"),
            ("USER", "currentUser"),
            ("CURRENTDATABASE", "currentDatabase"),
        ];
        let function = BARE.iter().find(|(word, _)| word.eq_ignore_ascii_case(name));
        function.map(|(_, function)| bind::call(function, Vec::new(), self.context)).transpose()
    }

    /// Resolves a name in the current scope only.
    pub(crate) fn local(&mut self, parts: &[Ident]) -> Result<Option<Expr>> {
        let [first, rest @ ..] = parts else { return Ok(None) };
        if !self.scope().lambdas.is_empty()
            && let Some(expr) = self.lambda_name(first.as_str())?
        {
            let part = self.elements(expr, rest)?;
            return part.map_or_else(|| Err(self.unknown(parts, first.position)), |e| Ok(Some(e)));
        }
        if rest.is_empty() {
            let prefers_column = self.has_flag("prefer_column_name_to_alias");
            if !prefers_column && let Some(expr) = self.alias(first.as_str())? {
                return Ok(Some(expr));
            }
            return match self.find_part(parts)? {
                Some((found, parts)) => self.found(found, &parts),
                None => match prefers_column.then(|| self.alias(first.as_str())).transpose()? {
                    Some(Some(expr)) => Ok(Some(expr)),
                    _ => self.nested(parts),
                },
            };
        }
        if let Some((found, parts)) = self.find_part(parts)? {
            return self.found(found, &parts);
        }
        match self.alias(first.as_str())? {
            Some(expr) => self.elements(expr, rest),
            None => self.nested(parts),
        }
    }

    /// The column that was found, or the element of it; `None` if it has no such element.
    fn found(&mut self, found: Found, parts: &[Ident]) -> Result<Option<Expr>> {
        let rest = &parts[found.parts..];
        if !rest.is_empty()
            && let Some(part) = self.stored_part(found, parts)?
        {
            return Ok(Some(part));
        }
        let column = if found.parts == 1 {
            let name = parts[0].as_str();
            match self.scope().using.iter().find(|(n, _)| **n == *name) {
                Some((_, expr)) => expr.clone(),
                None => self.column(found.source, found.column)?,
            }
        } else {
            self.column(found.source, found.column)?
        };
        self.elements(column, rest)
    }

    /// A column of a source. It gets its id when it is used for the first time.
    pub(crate) fn column(&mut self, source: usize, position: usize) -> Result<Expr> {
        let expr = self.plain_column(source, position)?;
        Ok(match &expr {
            Expr::Column { id, ty } => self.seen(source, *id, ty),
            _ => expr,
        })
    }

    /// A column of a source as it looks after joins and ARRAY JOIN.
    pub(crate) fn seen(&self, source: usize, id: ColumnId, ty: &DataType) -> Expr {
        if self.scope().sources[source].nullable {
            return Expr::column(id, ty.when_missing());
        }
        match self.scope().shadowed.iter().rev().find(|(from, _, _)| *from == id) {
            Some((_, element, ty)) => Expr::column(*element, ty.clone()),
            None => Expr::column(id, ty.clone()),
        }
    }

    /// A column as its source produces it.
    fn plain_column(&mut self, source: usize, position: usize) -> Result<Expr> {
        self.tell_of_view(source, position);
        let next = self.next_id;
        let scope = self.scope_mut();
        let mut fresh = false;
        let table = scope.sources[source].table.clone();
        let expr = match &mut scope.sources[source].columns {
            SourceColumns::Derived(columns) => {
                Expr::column(columns[position].id, columns[position].ty.clone())
            }
            SourceColumns::Table { schema, ids, used, sample, .. } => {
                if let Some(known) =
                    known_virtual(&schema.columns[position], table.as_ref(), *sample)
                {
                    return Ok(known);
                }
                let schema = Arc::clone(schema);
                if ids.is_empty() {
                    ids.resize(schema.columns.len(), None);
                }
                let def = &schema.columns[position];
                match def.default_kind() {
                    Some(DefaultKind::Alias) => {
                        if let Some(id) = ids[position] {
                            return Ok(Expr::column(id, def.ty.clone()));
                        }
                        return self.alias_column(source, position, &schema);
                    }
                    Some(DefaultKind::Ephemeral) => {
                        let message =
                            format!("Column {} is EPHEMERAL: only INSERT can use it", def.name);
                        return Err(Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message));
                    }
                    _ => {}
                }
                let id = *ids[position].get_or_insert_with(|| {
                    fresh = true;
                    let column = ScanColumn::whole(ColumnId(next), position);
                    used.push((column, def.ty.clone()));
                    ColumnId(next)
                });
                Expr::column(id, def.ty.clone())
            }
        };
        if fresh {
            self.next_id += 1;
        }
        Ok(expr)
    }

    /// An ALIAS column: its expression over the other columns of the table. If the query joins, the
    /// scan computes it as a column of its own, because rows without a match have its default
    /// value.
    fn alias_column(&mut self, source: usize, position: usize, schema: &Schema) -> Result<Expr> {
        let expr = self.alias_expression(source, position, schema, 0)?;
        if !self.scope().joins {
            return Ok(expr);
        }
        let (id, ty) = (self.new_id(), expr.ty().clone());
        if let SourceColumns::Table { ids, computed, .. } =
            &mut self.scope_mut().sources[source].columns
        {
            ids[position] = Some(id);
            computed.push((id, expr));
        }
        Ok(Expr::column(id, ty))
    }

    /// The expression of an ALIAS column over stored columns.
    fn alias_expression(
        &mut self,
        source: usize,
        position: usize,
        schema: &Schema,
        depth: usize,
    ) -> Result<Expr> {
        let def = &schema.columns[position];
        if depth > schema.columns.len() {
            let message = format!("Column {} is an ALIAS of itself", def.name);
            return Err(Error::new(codes::CYCLIC_ALIASES, message));
        }
        let (expr, next_id) = bind_default(self.next_id, schema, def, self.context)?;
        self.next_id = self.next_id.max(next_id);
        let mut positions = Vec::new();
        expr.columns(&mut positions);
        let mut of: Vec<(ColumnId, Expr)> = Vec::with_capacity(positions.len());
        for id in positions {
            let position = id.0 as usize;
            let is_alias = schema.columns[position].default_kind() == Some(DefaultKind::Alias);
            let expr = match is_alias {
                true => self.alias_expression(source, position, schema, depth + 1)?,
                false => self.plain_column(source, position)?,
            };
            of.push((id, expr));
        }
        let nodes = tree::substituted_size(&expr, &|id| {
            of.iter().find(|(from, _)| *from == id).map_or(1, |(_, to)| tree::size(to))
        });
        self.grow(nodes as u64)?;
        Ok(tree::substitute(&expr, &|id| {
            of.iter().find(|(from, _)| *from == id).map(|(_, to)| to.clone())
        }))
    }

    /// Finds the column of FROM that a name means: `a`, `t.a` or `db.t.a`, possibly followed by
    /// elements of a tuple.
    pub(crate) fn find_column(&self, parts: &[Ident]) -> Result<Option<Found>> {
        let [first, ..] = parts else { return Ok(None) };
        let scope = self.scope();
        if parts.len() > 1 {
            // In `FROM t AS x JOIN t`, `t` is the second table, though it names the first as well.
            let sources = |named: bool| {
                let all = scope.sources.iter().enumerate();
                all.filter(move |(_, source)| source.is_named(first) == named)
            };
            for (i, source) in sources(true).chain(sources(false)) {
                let skip = source.qualifier(parts);
                if skip > 0
                    && skip < parts.len()
                    && let Some((column, taken)) = longest(source, &parts[skip..])
                {
                    return Ok(Some(Found { source: i, column, parts: skip + taken }));
                }
            }
        }
        let mut found: Option<Found> = None;
        let mut several = false;
        for (i, source) in scope.sources.iter().enumerate().rev() {
            if let Some((column, parts)) = longest(source, parts) {
                several |= found.is_some();
                // `ARRAY JOIN n ARRAY JOIN n.b`: then `n.b` is the element of the second one.
                let is_of_array_join = |f: Found| scope.sources[f.source].hidden && f.parts > parts;
                if !found.is_some_and(is_of_array_join) {
                    found = Some(Found { source: i, column, parts });
                }
            }
        }
        if several && scope.sources.iter().filter(|s| !s.hidden).count() > 2 {
            let merged = scope.using.iter().any(|(name, _)| **name == *first.as_str());
            if !merged {
                return Err(Error::new(
                    codes::AMBIGUOUS_IDENTIFIER,
                    format!("Identifier '{}' is ambiguous: several tables have it", dotted(parts)),
                )
                .at(first.position));
            }
        }
        Ok(found)
    }

    /// The expression of an alias. `None` if there is no such alias, or if it is being resolved:
    /// then the name means a column.
    pub(crate) fn alias(&mut self, name: &str) -> Result<Option<Expr>> {
        let scope = self.scope_mut();
        let Some(alias) = scope.aliases.get_mut(name) else { return Ok(None) };
        if alias.busy {
            scope.fell_back = true;
            return Ok(None);
        }
        if let Some(resolved) = &alias.resolved {
            let (resolved, nodes) = (resolved.clone(), alias.nodes);
            self.grow(nodes)?;
            return Ok(Some(resolved));
        }
        let before = self.expanded;
        let scope = self.scope_mut();
        let Some(alias) = scope.aliases.get_mut(name) else { return Ok(None) };
        alias.busy = true;
        let expr = alias.expr;
        let lambdas = std::mem::take(&mut scope.lambdas);
        let fell_back = std::mem::replace(&mut scope.fell_back, false);
        let result = self.expr(expr);
        let nodes = self.expanded - before;
        let scope = self.scope_mut();
        scope.lambdas = lambdas;
        let tainted = std::mem::replace(&mut scope.fell_back, fell_back);
        scope.fell_back |= tainted;
        // With Nullable keys, it means one thing inside of aggregates and another outside.
        let is_unsure = scope.grouping.as_ref().is_some_and(|g| g.nulls.is_some());
        if let Some(alias) = scope.aliases.get_mut(name) {
            alias.busy = false;
            if let (Ok(resolved), false) = (&result, tainted || is_unsure) {
                alias.resolved = Some(resolved.clone());
                alias.nodes = nodes;
            }
        }
        result.map(Some)
    }

    /// Resolves an expression that may carry an alias. The alias uses the same result.
    pub(crate) fn aliased(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        if let Some(alias) = &expr.alias
            && let Some(known) = self.scope().aliases.get(alias.as_str())
            && std::ptr::eq(known.expr, expr)
            && !known.busy
        {
            let resolved = self.alias(alias.as_str())?;
            let resolved = resolved.map(|expr| self.after_keys(expr));
            return resolved.ok_or_else(|| Error::logical("alias without expression"));
        }
        self.expr(expr)
    }

    /// Registers all aliases inside an expression.
    pub(crate) fn collect_aliases(&mut self, expr: &'a ast::Expr) -> Result<()> {
        let depth = self.settings.max_depth;
        names::walk(expr, depth, &mut |e| match e.kind {
            ast::ExprKind::Literal(_) => Ok(()),
            _ => self.count_element(),
        })?;
        let aliases = &mut self.scopes[self.current].aliases;
        names::walk(expr, depth, &mut |e| {
            let Some(name) = &e.alias else { return Ok(()) };
            let new = Alias { expr: e, resolved: None, nodes: 0, busy: false };
            match aliases.entry(name.as_str()) {
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(new);
                    Ok(())
                }
                std::collections::hash_map::Entry::Occupied(slot) => {
                    if slot.get().expr.kind == e.kind {
                        return Ok(());
                    }
                    Err(Error::new(
                        codes::MULTIPLE_EXPRESSIONS_FOR_ALIAS,
                        format!("Multiple expressions for alias {}", name.name),
                    )
                    .at(e.position))
                }
            }
        })
    }

    /// `_table` and `_database` of a table that has no columns of these names.
    fn name_of_table(&self, parts: &[Ident]) -> Option<Expr> {
        let (last, qualifier) = parts.split_last()?;
        let mut sources = self.scopes[self.current].sources.iter().filter(|source| !source.hidden);
        let source = sources.find(|source| {
            let is_meant = qualifier.is_empty() || source.qualifier(qualifier) == qualifier.len();
            is_meant && source.table.is_some()
        })?;
        let (database, table) = source.table.as_ref()?;
        let value = match last.as_str() {
            "_database" => Value::from(&**database),
            "_table" => Value::from(&**table),
            _ => return None,
        };
        Some(Expr::literal(value, DataType::LowCardinality(Arc::new(DataType::String))))
    }

    #[cold]
    fn unknown(&self, parts: &[Ident], position: Position) -> Error {
        let name = dotted(parts);
        let mut known: Vec<String> = Vec::new();
        let mut scope = Some(self.current);
        while let Some(at) = scope {
            let level = &self.scopes[at];
            known.extend(level.aliases.keys().map(ToString::to_string));
            for source in &level.sources {
                for i in 0..source.len() {
                    let column = source.name_of(i);
                    if parts.len() > 1 {
                        if let Some(table) = source.display_name() {
                            known.push(format!("{table}.{column}"));
                        }
                        let within = subcolumns(source.type_of(i)).into_iter();
                        known.extend(within.map(|part| format!("{column}.{}", part.name)));
                    }
                    known.push(column.to_string());
                }
            }
            scope = level.parent;
        }
        let near = names::near(&name, known.iter().map(String::as_str));
        names::unknown_identifier(&name, &near, position)
    }
}

/// The column of `source` that is named by most of the leading parts, and the number of these
/// parts.
fn longest(source: &crate::scope::Source<'_>, parts: &[Ident]) -> Option<(usize, usize)> {
    if parts.len() == 1 {
        return source.position(parts[0].as_str()).map(|c| (c, 1));
    }
    (1..=parts.len()).rev().find_map(|n| {
        let column = source.position(&dotted(&parts[..n]))?;
        Some((column, n))
    })
}

/// The parts of a name, joined with dots.
pub(crate) fn dotted(parts: &[Ident]) -> String {
    match parts {
        [one] => one.name.clone(),
        many => many.iter().map(Ident::as_str).collect::<Vec<_>>().join("."),
    }
}

/// A virtual column whose value follows from the query: the names of the table, and how many rows
/// of the table a sampled row stands for.
fn known_virtual(
    def: &ColumnDef,
    table: Option<&(Arc<str>, Arc<str>)>,
    sample: f64,
) -> Option<Expr> {
    if def.default_kind() != Some(DefaultKind::Virtual) {
        return None;
    }
    let value = match (&*def.name, table) {
        ("_database", Some((database, _))) => Value::from(&**database),
        ("_table", Some((_, table))) => Value::from(&**table),
        ("_sample_factor", _) => Value::Float(sample),
        _ => return None,
    };
    Some(Expr::literal(value, def.ty.clone()))
}
