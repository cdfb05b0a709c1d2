//! What kinds of statements are called: in lists and logs, and in messages.

use entasis_sql::ast::StatementKind;

/// The kind of a statement as `system.processes` shows it.
pub(crate) fn kind_of(kind: &StatementKind) -> &'static str {
    match kind {
        StatementKind::Query(_) => "Select",
        StatementKind::Insert(_) => "Insert",
        StatementKind::Explain(_) => "Explain",
        StatementKind::Compare(_) => "Compare",
        StatementKind::CreateDatabase(_)
        | StatementKind::CreateTable(_)
        | StatementKind::CreateView(_)
        | StatementKind::CreateFunction(_) => "Create",
        StatementKind::Alter(_) => "Alter",
        StatementKind::Drop(_) | StatementKind::Truncate(_) => "Drop",
        StatementKind::Optimize(_) => "Optimize",
        StatementKind::Show(_) | StatementKind::Exists { .. } => "Show",
        StatementKind::Describe(_) => "Describe",
        StatementKind::Set(_) => "Set",
        StatementKind::Use(_) => "Use",
        StatementKind::Kill { .. } => "KillQuery",
        StatementKind::System(_) => "System",
        _ => "None",
    }
}

/// Whether a statement changes what tables there are or what they look like.
pub(crate) fn changes_schema(kind: &StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::CreateDatabase(_)
            | StatementKind::CreateTable(_)
            | StatementKind::CreateView(_)
            | StatementKind::CreateFunction(_)
            | StatementKind::Alter(_)
            | StatementKind::Attach(_)
            | StatementKind::Drop(_)
            | StatementKind::Rename(_)
            | StatementKind::Truncate(_)
    )
}

/// A statement that cannot be run, by the words it begins with.
pub(crate) fn name_of(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Unsupported(unsupported) => unsupported.what.clone(),
        other => {
            let text = format!("{other:?}");
            let variant = text.split(['(', ' ', '{']).next().unwrap_or_default();
            let mut words = String::new();
            for (i, c) in variant.char_indices() {
                words.extend((i > 0 && c.is_uppercase()).then_some(' '));
                words.extend(c.to_uppercase());
            }
            words
        }
    }
}
