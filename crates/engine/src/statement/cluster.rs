//! Clauses that could have no effect: ON CLUSTER fails, since there is a single machine, and so
//! does AUTO_INCREMENT unless a setting asks to ignore it.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{CreateTable, StatementKind};

use crate::{Settings, settings};

/// Refuses ON CLUSTER with the errors of the reference if no cluster is configured.
pub(crate) fn refuse_cluster(kind: &StatementKind) -> Result<()> {
    let (cluster, code) = match kind {
        StatementKind::CreateDatabase(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::CreateDictionary(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::CreateTable(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::CreateView(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::CreateFunction(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Backup(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::Attach(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Alter(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Drop(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Truncate(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Rename(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Optimize(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Delete(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        StatementKind::Update(s) => (&s.cluster, codes::QUERY_IS_PROHIBITED),
        _ => return Ok(()),
    };
    match cluster {
        Some(name) => {
            let message = format!(
                "Requested cluster '{}' not found: this is a single machine, leave out ON CLUSTER",
                name.as_str()
            );
            Err(Error::new(code, message).at(name.position))
        }
        None => Ok(()),
    }
}

/// Drops AUTO_INCREMENT from the columns of a table, if settings say so; else it is an error.
pub(crate) fn ignore_auto_increment(create: &mut CreateTable, settings: &Settings) -> Result<()> {
    let is_ignored = settings.flag(settings::IGNORE_AUTO_INCREMENT);
    for column in create.elements.columns.iter_mut().filter(|column| column.auto_increment) {
        if !is_ignored {
            let message = "AUTO_INCREMENT is not supported. To ignore the keyword in column \
                           declaration, set \
                           `compatibility_ignore_auto_increment_in_create_table` to true";
            return Err(Error::new(codes::SYNTAX_ERROR, message).at(column.position));
        }
        column.auto_increment = false;
    }
    Ok(())
}
