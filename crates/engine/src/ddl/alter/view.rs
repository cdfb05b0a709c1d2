//! ALTER of a view: only its comments and SQL SECURITY can be changed.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, AlterCommand};

use super::modify::is_comment;
use super::{kind_of, unsupported};
use crate::ddl::security;
use crate::definition::view::ViewDefinition;
use crate::settings::function_context::StatementContext;

/// The view after all commands.
pub(super) fn altered(
    definition: &ViewDefinition,
    commands: &[AlterCommand],
    function_context: &StatementContext,
) -> Result<ViewDefinition> {
    let mut create = definition.statement().clone();
    let columns = create.elements.columns.len();
    for command in commands {
        match command {
            AlterCommand::ModifyComment(comment) => {
                create.comment = Some(comment.clone()).filter(|comment| !comment.is_empty());
            }
            AlterCommand::CommentColumn { if_exists, name, comment } => {
                comment_column(&mut create, name.as_str(), comment, *if_exists)?;
            }
            AlterCommand::ModifyColumn { if_exists, column, place: None } if is_comment(column) => {
                let comment = column.comment.clone().unwrap_or_default();
                comment_column(&mut create, column.name.as_str(), &comment, *if_exists)?;
            }
            AlterCommand::DropColumn { if_exists, name } => {
                if !create.elements.columns.iter().any(|c| c.name == *name) && !if_exists {
                    return Err(missing(name.as_str(), "drop"));
                }
                if columns == 1 {
                    let message = "Cannot DROP or CLEAR all columns";
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
                return Err(unsupported(kind_of(command), "View"));
            }
            AlterCommand::ModifySecurity(written) => {
                let shown = security::shown(written, &function_context.user, true);
                if shown.ends_with("NONE") {
                    return Err(Error::not_implemented("MODIFY SQL SECURITY NONE of a view"));
                }
                create.security = Some(shown);
            }
            _ => return Err(unsupported(kind_of(command), "View")),
        }
    }
    ViewDefinition::new(create, function_context)
}

fn comment_column(
    create: &mut ast::CreateView,
    name: &str,
    comment: &str,
    if_exists: bool,
) -> Result<()> {
    let columns = &mut create.elements.columns;
    match columns.iter_mut().find(|column| column.name.as_str() == name) {
        Some(column) => {
            column.comment = Some(comment.to_owned()).filter(|comment| !comment.is_empty());
            Ok(())
        }
        None if if_exists => Ok(()),
        None => Err(missing(name, "comment")),
    }
}

#[cold]
fn missing(name: &str, purpose: &str) -> Error {
    let message = format!("Wrong column name. Cannot find column `{name}` to {purpose}");
    Error::new(codes::NOT_FOUND_COLUMN_IN_BLOCK, message)
}
