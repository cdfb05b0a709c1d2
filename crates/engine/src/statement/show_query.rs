//! SHOW as a SELECT from the tables of `system`. The reference does the same, so that LIKE, WHERE
//! and LIMIT mean the same everywhere.

use entasis_base::{Error, Result};
use entasis_sql::ast::{self, ShowWhat};
use entasis_sql::{format_expr, format_string};

/// The SELECT for a SHOW, in the session's database and for its user.
pub(crate) fn show_query(show: &ast::Show, database: &str, user: &str) -> Result<String> {
    let database = show.from.as_ref().map_or(database, |d| d.as_str());
    let parts = Parts { show, database: quoted(database) };
    Ok(match &show.what {
        ShowWhat::Databases => parts.filtered("SELECT name FROM system.databases", "name"),
        ShowWhat::Tables => {
            let columns = if show.full { "name, engine" } else { "name" };
            let database = &parts.database;
            parts.filtered(
                &format!(
                    "SELECT {columns} FROM (SELECT * FROM system.tables \
                     WHERE database = {database})"
                ),
                "name",
            )
        }
        ShowWhat::Dictionaries => parts.filtered(
            &format!(
                "SELECT name FROM (SELECT * FROM system.dictionaries WHERE database = {})",
                parts.database
            ),
            "name",
        ),
        ShowWhat::Columns(table) => parts.columns(table.table.as_str()),
        ShowWhat::Indexes(table) => parts.indexes(table.table.as_str()),
        ShowWhat::Settings => {
            let changed = if show.changed { " WHERE changed" } else { "" };
            let from =
                format!("SELECT * FROM (SELECT name, type, value FROM system.settings{changed})");
            parts.filtered(&from, "name")
        }
        ShowWhat::Setting(name) => {
            format!("SELECT value FROM system.settings WHERE name = {}", quoted(name.as_str()))
        }
        ShowWhat::Processlist => "SELECT * FROM system.processes ORDER BY elapsed DESC".into(),
        ShowWhat::Functions => parts.filtered("SELECT * FROM system.functions", "name"),
        ShowWhat::Engines => "SELECT * FROM system.table_engines ORDER BY name".into(),
        ShowWhat::Clusters => {
            parts.filtered("SELECT DISTINCT cluster FROM system.clusters", "cluster")
        }
        ShowWhat::Merges => parts.filtered(MERGES, "table"),
        ShowWhat::Access(words) => access_query(words, user)?,
        ShowWhat::Create { .. } => return Err(Error::logical("SHOW CREATE is no query")),
    })
}

/// The SELECT for SHOW TEMPORARY TABLES: these tables are the session's, and in no database.
pub(crate) fn temporary_tables<'a>(
    show: &ast::Show,
    names: impl Iterator<Item = &'a str>,
) -> String {
    let names: Vec<String> = names.map(quoted).collect();
    let parts = Parts { show, database: quoted("") };
    let columns = if show.full { "name, engine" } else { "name" };
    let list = format!("CAST([{}] AS Array(String))", names.join(", "));
    let from = format!("SELECT arrayJoin({list}) AS name, 'Memory' AS engine");
    parts.filtered(&format!("SELECT {columns} FROM ({from})"), "name")
}

const MERGES: &str = "SELECT * FROM (SELECT table, database, \
    if(progress > 0, round(elapsed * (1 - progress) / progress, 2), NULL) AS estimate_complete, \
    round(elapsed, 2) AS elapsed, round(progress * 100, 2) AS progress, is_mutation, \
    formatReadableSize(total_size_bytes_compressed) AS size_compressed, \
    formatReadableSize(memory_usage) AS memory_usage FROM system.merges)";

fn quoted(text: &str) -> String {
    format_string(text.as_bytes())
}

struct Parts<'a> {
    show: &'a ast::Show,
    /// The database's name as a literal.
    database: String,
}

impl Parts<'_> {
    /// Adds the conditions of a SHOW on names to a SELECT, and orders it by name.
    fn filtered(&self, select: &str, name: &str) -> String {
        let mut text = select.to_string();
        let mut word = "WHERE";
        if let Some(like) = &self.show.like {
            let not = if like.not { "NOT " } else { "" };
            let operator = if like.case_insensitive { "ILIKE" } else { "LIKE" };
            text += &format!(" {word} {name} {not}{operator} {}", quoted(&like.pattern));
            word = "AND";
        }
        if let Some(condition) = &self.show.where_clause {
            text += &format!(" {word} ({})", format_expr(condition));
        }
        text += &format!(" ORDER BY {name}");
        if let Some(limit) = &self.show.limit {
            text += &format!(" LIMIT {}", format_expr(limit));
        }
        text
    }

    fn columns(&self, table: &str) -> String {
        let more =
            if self.show.full { ", NULL AS collation, comment, '' AS privileges" } else { "" };
        let keys = "trim(concat(if(is_in_primary_key, 'PRI', ''), ' ', \
                    if(is_in_sorting_key, 'SOR', '')))";
        let select = format!(
            "SELECT * FROM (SELECT name AS field, type, \
             if(startsWith(type, 'Nullable'), 'YES', 'NO') AS `null`, {keys} AS key, \
             if(default_kind IN ('ALIAS', 'DEFAULT', 'MATERIALIZED'), default_expression, NULL) \
             AS default, '' AS extra{more} FROM system.columns \
             WHERE database = {} AND table = {})",
            self.database,
            quoted(table)
        );
        self.filtered(&select, "field")
    }

    fn indexes(&self, table: &str) -> String {
        let of_table = format!("database = {} AND table = {}", self.database, quoted(table));
        let nulls = "NULL AS sub_part, NULL AS packed, NULL AS `null`";
        let rest = "'' AS comment, '' AS index_comment, 'YES' AS visible";
        let condition = match &self.show.where_clause {
            Some(condition) => format!(" WHERE {}", format_expr(condition)),
            None => String::new(),
        };
        format!(
            "SELECT * FROM (\
             SELECT table, 1 AS non_unique, 'PRIMARY' AS key_name, number AS seq_in_index, \
             column AS pk_col, 'A'::Nullable(String) AS collation, 0 AS cardinality, {nulls}, \
             'PRIMARY' AS index_type, {rest}, '' AS expression FROM (\
             SELECT name AS table, column, toUInt64(number) AS number FROM system.tables \
             ARRAY JOIN splitByString(', ', primary_key) AS column, \
             arrayEnumerate(splitByString(', ', primary_key)) AS number WHERE {of_table}) \
             UNION ALL \
             SELECT table, 1, name, toUInt64(1), '', NULL::Nullable(String), 0, {nulls}, \
             upper(type), {rest}, expr FROM system.data_skipping_indices WHERE {of_table}\
             ){condition} ORDER BY index_type, expression, seq_in_index"
        )
    }
}

/// The SELECT for a SHOW about users and their rights, or about features of clusters.
fn access_query(words: &str, user: &str) -> Result<String> {
    let words: Vec<String> =
        words.split_whitespace().map(|w| w.trim_matches(['\'', '`', '"']).to_string()).collect();
    let upper: Vec<String> = words.iter().map(|w| w.to_ascii_uppercase()).collect();
    let upper: Vec<&str> = upper.iter().map(String::as_str).collect();
    Ok(match &upper[..] {
        ["GRANTS"] => grants("GRANTS", user),
        ["GRANTS", "FOR", "CURRENT_USER" | "CURRENT_USER()"] => grants("GRANTS FOR user", user),
        ["GRANTS", "FOR", _] => grants(&format!("GRANTS FOR {}", words[2]), &words[2]),
        ["ACCESS"] => format!("{} AS ACCESS FROM system.grants", grant_text()),
        ["USERS"] => "SELECT name FROM system.users ORDER BY name".into(),
        ["ROLES"] => "SELECT name FROM system.roles ORDER BY name".into(),
        ["CURRENT", "ROLES"] => "SELECT * FROM system.current_roles".into(),
        ["ENABLED", "ROLES"] => "SELECT * FROM system.enabled_roles".into(),
        ["PROFILES"] => "SELECT name FROM system.settings_profiles ORDER BY name".into(),
        ["POLICIES" | "ROW", ..] => "SELECT name FROM system.row_policies ORDER BY name".into(),
        ["QUOTAS"] => "SELECT name FROM system.quotas ORDER BY name".into(),
        ["QUOTA"] | ["CURRENT", "QUOTA"] => "SELECT * FROM system.quota_usage".into(),
        ["PRIVILEGES"] => "SELECT * FROM system.privileges".into(),
        ["CLUSTER", _] => format!(
            "SELECT cluster, shard_num, replica_num, host_name, host_address, port \
             FROM system.clusters WHERE cluster = {} ORDER BY ALL",
            quoted(&words[1])
        ),
        ["FILESYSTEM", "CACHES"] => {
            "SELECT DISTINCT cache_name AS Caches FROM system.filesystem_cache_settings".into()
        }
        _ => {
            let error = Error::not_implemented(format!("SHOW {}", words.join(" ")));
            return Err(error.append(": users are defined in the server's configuration file"));
        }
    })
}

fn grant_text() -> &'static str {
    "SELECT concat('GRANT ', access_type, ' ON *.* TO ', assumeNotNull(user_name))"
}

fn grants(title: &str, user: &str) -> String {
    format!(
        "{} AS {} FROM system.grants WHERE user_name = {}",
        grant_text(),
        entasis_sql::format_ident(title),
        quoted(user)
    )
}
