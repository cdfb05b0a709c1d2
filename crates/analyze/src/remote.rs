//! `remote`, `remoteSecure`, `cluster`, `clusterAllReplicas`: tables of other servers. There is
//! only this server, so addresses of this machine mean its own tables, and other addresses are
//! errors.
//!
//! An address that stands several times, or a pattern such as `127.0.0.{1,2}`, is as many shards,
//! and each of them has all rows. Addresses that are separated by `|` are replicas of one shard.

use std::sync::Arc;

use entasis_base::{Error, Position, Result, codes};
use entasis_sql::ast::{self, ExprKind, Query, Select, SetOperator, SetQuantifier};
use entasis_sql::ast::{FromClause, TableExpr, TableExprKind};

use crate::Analyzer;
use crate::query::From;

/// The most addresses that a pattern may stand for, as in the reference.
const MOST_ADDRESSES: usize = 1000;

/// The functions.
pub const NAMES: [&str; 4] = ["remote", "remoteSecure", "cluster", "clusterAllReplicas"];

/// The table that such a function means, as often as there are shards.
pub struct Remote {
    /// The table, a table function, or a query.
    pub table: TableExprKind,
    /// How many shards there are.
    pub shards: usize,
}

impl<'a> Analyzer<'a> {
    /// Resolves such a function in FROM.
    pub(crate) fn remote(
        &mut self,
        function: &'a ast::Function,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let database = self.context.database().to_string();
        let mut text = |arg: &'a ast::Expr| -> Result<Option<String>> {
            if matches!(arg.kind, ExprKind::Subquery(_)) {
                return Ok(None);
            }
            let value = self.constant(arg)?.map(|(value, _)| value);
            let bytes = value.as_ref().and_then(|value| value.as_bytes());
            Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
        };
        let remote = resolve(function, &database, &mut text)?;
        let is_one = remote.shards == 1;
        let function_position = Position::default();
        let table = TableExpr {
            alias: alias.filter(|_| is_one).map(ast::Ident::new),
            column_aliases: if is_one { renamed.to_vec() } else { Vec::new() },
            kind: remote.table,
            is_final: false,
            sample: None,
            position: function_position,
        };
        let select = Query::Select(Box::new(Select {
            projection: vec![ast::Expr::new(ExprKind::Asterisk(Vec::new()), Position::default())],
            from: Some(FromClause { table, steps: Vec::new() }),
            ..Select::default()
        }));
        let query = if is_one { select } else { repeated(select, remote.shards) };
        let tree: &'a Query = self.trees.keep(Arc::new(query), |_, _| false);
        match tree {
            Query::Select(select) if is_one => match &select.from {
                Some(from) => self.table_expr(&from.table),
                None => Err(Error::logical("remote() without a table")),
            },
            tree => {
                let query = self.query(tree, Some(self.current))?;
                self.add_derived(query, alias, renamed)
            }
        }
    }
}

/// A query as often as there are shards, as UNION ALL.
fn repeated(select: Query, shards: usize) -> Query {
    Query::SetOperation(Box::new(ast::SetOperation {
        operator: SetOperator::Union,
        quantifier: SetQuantifier::All,
        branches: vec![select; shards],
    }))
}

/// What a call means. `text` evaluates a constant argument; `database` is the current one.
pub fn resolve<'e>(
    function: &'e ast::Function,
    database: &str,
    text: &mut dyn FnMut(&'e ast::Expr) -> Result<Option<String>>,
) -> Result<Remote> {
    let name = function.name.as_str();
    let is_cluster = name.starts_with("cluster");
    let wrong = || {
        let first = if is_cluster { "a cluster" } else { "addresses" };
        let message = format!(
            "Table function '{name}' takes {first}, then a table: {name}('127.0.0.1', db.table), or \
             the names of a database and a table, or a table function"
        );
        Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
    };
    let args = &function.args[..];
    let Some((first, rest)) = args.split_first().filter(|_| args.len() <= 6) else {
        return Err(wrong());
    };
    let addresses = match first.as_identifier() {
        Some([cluster]) if is_cluster => Some(cluster.as_str().to_string()),
        _ => text(first)?,
    };
    let Some(addresses) = addresses else { return Err(wrong()) };
    // A server that is not told of others is a cluster of one, which is called `default`.
    if is_cluster && addresses != "default" {
        let message = format!(
            "Requested cluster '{addresses}' not found: this is a single machine, which is the \
             cluster 'default'"
        );
        return Err(Error::new(codes::CLUSTER_DOESNT_EXIST, message).at(first.position));
    }
    let shards = match is_cluster {
        true => 1,
        false => shards_of(&addresses).map_err(|error| error.at(first.position))?,
    };
    let named = |database: &str, table: &str| {
        let database = Some(ast::Ident::new(database));
        TableExprKind::Table(ast::TableName { database, table: ast::Ident::new(table) })
    };
    let table = match rest.first() {
        None => named("system", "one"),
        Some(arg) => match (&arg.kind, arg.as_identifier()) {
            (_, Some([database, table])) => named(database.as_str(), table.as_str()),
            (ExprKind::Subquery(query), _) => TableExprKind::Subquery(query.clone()),
            (ExprKind::Function(inner), _) if inner.name == "currentDatabase" => {
                named(database, &second_name(rest.get(1), text)?.ok_or_else(wrong)?)
            }
            (ExprKind::Function(inner), _) => TableExprKind::Function(inner.clone()),
            _ => {
                let first = match arg.as_identifier() {
                    Some([database]) => Some(database.as_str().to_string()),
                    _ => text(arg)?,
                };
                let first = first.ok_or_else(wrong)?;
                match first.split_once('.') {
                    Some((_, table)) if table.contains('.') => {
                        let message = format!("Invalid qualified name: {first}");
                        return Err(Error::new(codes::SYNTAX_ERROR, message).at(arg.position));
                    }
                    // The arguments behind it are a user and a password.
                    Some((database, table)) => named(database, table),
                    None => named(&first, &second_name(rest.get(1), text)?.ok_or_else(wrong)?),
                }
            }
        },
    };
    Ok(Remote { table, shards })
}

/// The name of a table as an argument of its own.
fn second_name<'e>(
    arg: Option<&'e ast::Expr>,
    text: &mut dyn FnMut(&'e ast::Expr) -> Result<Option<String>>,
) -> Result<Option<String>> {
    match arg.map(|arg| (arg, arg.as_identifier())) {
        Some((_, Some([table]))) => Ok(Some(table.as_str().to_string())),
        Some((arg, None)) => text(arg),
        _ => Ok(None),
    }
}

/// The number of shards in a list of addresses, all of which must be of this machine.
fn shards_of(addresses: &str) -> Result<usize> {
    let mut shards = 0;
    for shard in split(addresses, ',') {
        let mut counted = 0;
        for replica in split(shard, '|') {
            let (hosts, shards) = expanded(replica)?;
            for host in &hosts {
                check_host(host.trim())?;
            }
            counted = counted.max(shards);
        }
        shards += counted;
        if shards > MOST_ADDRESSES {
            return Err(too_many());
        }
    }
    Ok(shards)
}

#[cold]
fn too_many() -> Error {
    let message = format!("The pattern stands for more than {MOST_ADDRESSES} addresses");
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// Splits at a character that is not within braces.
fn split(text: &str, at: char) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0u32, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            c if c == at && depth == 0 => {
                parts.push(&text[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The addresses that a pattern stands for, and how many shards they are: `{a,b}` and `{1..3}` are
/// shards, and `{a|b}` are replicas of one shard.
fn expanded(pattern: &str) -> Result<(Vec<String>, usize)> {
    let Some((before, rest)) = pattern.split_once('{') else {
        return Ok((vec![pattern.to_string()], 1));
    };
    let Some((inside, after)) = rest.split_once('}') else {
        let message = format!("Unclosed brace in the address `{pattern}`");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    };
    let mut alternatives = Vec::new();
    for part in inside.split([',', '|']) {
        match part.split_once("..").map(|(a, b)| (a.parse::<usize>(), b.parse::<usize>())) {
            Some((Ok(from), Ok(to))) if from <= to && to - from < MOST_ADDRESSES => {
                alternatives.extend((from..=to).map(|number| number.to_string()));
            }
            Some(_) => {
                let message = format!("Wrong range in the address `{pattern}`");
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
            None => alternatives.push(part.to_string()),
        }
    }
    let (rests, shards) = expanded(after)?;
    let mut all = Vec::new();
    for rest in rests {
        all.extend(alternatives.iter().map(|own| format!("{before}{own}{rest}")));
        if all.len() > MOST_ADDRESSES {
            return Err(too_many());
        }
    }
    let own = if inside.contains('|') { 1 } else { alternatives.len() };
    Ok((all, own * shards))
}

/// Fails unless an address, with or without a port, is of this machine.
fn check_host(address: &str) -> Result<()> {
    let host = match address.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, _)) => host,
        None if address.matches(':').count() == 1 => {
            address.split_once(':').map_or(address, |(host, _)| host)
        }
        None => address,
    };
    let ip: Option<std::net::IpAddr> = host.parse().ok();
    if ip.is_some_and(|ip| ip.is_loopback()) || host.eq_ignore_ascii_case("localhost") {
        return Ok(());
    }
    let what = format!(
        "A connection to the server `{address}` (only tables of this server can be read: use \
         127.0.0.1 or localhost)"
    );
    Err(Error::not_implemented(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_counted() {
        for (addresses, expected) in [
            ("127.0.0.1", Some(1)),
            ("127.0.0.{1,2}", Some(2)),
            ("127.0.0.{1..3}:9000", Some(3)),
            ("127.0.0.1,localhost", Some(2)),
            ("127.0.0.1|127.0.0.2", Some(1)),
            ("127.0.0.{1|2}", Some(1)),
            ("[::1]:9000", Some(1)),
            ("::1", Some(1)),
            ("127.0.{0,1}.{1,2}", Some(4)),
            ("example.com", None),
            ("127.0.0.{1", None),
            ("127.0.0.{9..1}", None),
            ("10.0.0.1", None),
        ] {
            assert_eq!(shards_of(addresses).ok(), expected, "{addresses}");
        }
    }
}
