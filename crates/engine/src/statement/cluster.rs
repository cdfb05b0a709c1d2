//! ON CLUSTER fails, since there is a single machine and the clause could have no effect.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::StatementKind;

/// Refuses ON CLUSTER with the errors of the reference if no cluster is configured.
pub(crate) fn refuse_cluster(kind: &StatementKind) -> Result<()> {
    let (cluster, code) = match kind {
        StatementKind::CreateDatabase(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::CreateTable(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::CreateView(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::CreateFunction(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
        StatementKind::Attach(s) => (&s.cluster, codes::CLUSTER_DOESNT_EXIST),
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
