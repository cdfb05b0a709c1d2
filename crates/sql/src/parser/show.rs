//! SHOW.

use entasis_base::Result;

use super::Parser;
use crate::ast::{Like, Show, ShowWhat, StatementKind, TableName};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn like(&mut self) -> Result<Option<Like>> {
        let not = self.kw() == Kw::NOT && matches!(self.ahead(1).kw, Kw::LIKE | Kw::ILIKE);
        if not {
            self.bump();
        }
        let case_insensitive = self.kw() == Kw::ILIKE;
        if !case_insensitive && self.kw() != Kw::LIKE {
            return Ok(None);
        }
        self.bump();
        Ok(Some(Like { not, case_insensitive, pattern: self.string("pattern")? }))
    }

    pub(super) fn show(&mut self) -> Result<StatementKind> {
        let mut show = Show {
            what: ShowWhat::Databases,
            full: false,
            extended: false,
            changed: false,
            temporary: false,
            from: None,
            like: None,
            where_clause: None,
            limit: None,
        };
        show.extended = self.eat_kw(Kw::EXTENDED);
        show.full = self.eat_kw(Kw::FULL);
        show.changed = self.eat_kw(Kw::CHANGED);
        show.temporary = self.kw() == Kw::TEMPORARY && self.ahead(1).kw == Kw::TABLES;
        if show.temporary {
            self.bump();
        }
        show.what = self.show_what()?;
        if let ShowWhat::Access(words) = &mut show.what {
            let from = self.mark();
            while !self.at_end() && !matches!(self.kw(), Kw::FORMAT | Kw::INTO) {
                self.bump();
            }
            if self.mark() > from {
                *words = format!("{words} {}", self.text_from(from));
            }
        }
        if self.eat_kw(Kw::FROM) || self.kw() == Kw::IN && self.eat_kw(Kw::IN) {
            show.from = Some(self.ident()?);
        }
        show.like = self.like()?;
        if self.eat_kw(Kw::WHERE) {
            show.where_clause = Some(self.expr()?);
        }
        if self.eat_kw(Kw::LIMIT) {
            show.limit = Some(self.expr()?);
        }
        if let ShowWhat::Columns(table) | ShowWhat::Indexes(table) = &mut show.what
            && show.from.is_none()
        {
            show.from = table.database.take();
        }
        Ok(StatementKind::Show(Box::new(show)))
    }

    pub(super) fn show_what(&mut self) -> Result<ShowWhat> {
        let from = self.mark();
        let kw = self.kw();
        if self.kind() != TokenKind::Word {
            return Err(self.unexpected("TABLES, DATABASES, CREATE, COLUMNS, SETTINGS, ..."));
        }
        let word = self.text_of(self.token()).to_ascii_uppercase();
        self.bump();
        Ok(match kw {
            Kw::DATABASES => ShowWhat::Databases,
            Kw::TABLES => ShowWhat::Tables,
            Kw::DICTIONARIES => ShowWhat::Dictionaries,
            Kw::COLUMNS | Kw::FIELDS => ShowWhat::Columns(self.show_table()?),
            Kw::INDEX | Kw::INDEXES | Kw::INDICES | Kw::KEYS => {
                ShowWhat::Indexes(self.show_table()?)
            }
            Kw::SETTINGS if self.token_is("PROFILES") => ShowWhat::Access("PROFILES".into()),
            Kw::SETTINGS => ShowWhat::Settings,
            Kw::SETTING => ShowWhat::Setting(self.dotted_ident()?),
            Kw::PROCESSLIST => ShowWhat::Processlist,
            Kw::FUNCTIONS => ShowWhat::Functions,
            Kw::ENGINES => ShowWhat::Engines,
            Kw::CLUSTERS => ShowWhat::Clusters,
            Kw::MERGES => ShowWhat::Merges,
            Kw::CREATE | Kw::TABLE | Kw::DATABASE | Kw::VIEW | Kw::DICTIONARY => {
                if kw != Kw::CREATE {
                    self.rewind(from)?;
                } else if self.at_created_access() {
                    return Ok(ShowWhat::Access(format!("CREATE {}", self.ident()?.name)));
                }
                let temporary = self.eat_kw(Kw::TEMPORARY);
                let object = self.object().unwrap_or_default();
                ShowWhat::Create { object, temporary, name: self.table_name()? }
            }
            _ if matches!(
                word.as_str(),
                "GRANTS"
                    | "USERS"
                    | "ROLES"
                    | "PROFILES"
                    | "POLICIES"
                    | "QUOTAS"
                    | "QUOTA"
                    | "CURRENT"
                    | "ENABLED"
                    | "ACCESS"
                    | "PRIVILEGES"
                    | "CLUSTER"
                    | "FILESYSTEM"
                    | "ROW"
            ) =>
            {
                ShowWhat::Access(word)
            }
            _ => {
                self.rewind(from)?;
                return Err(self.unexpected("TABLES, DATABASES, CREATE, COLUMNS, SETTINGS, ..."));
            }
        })
    }

    /// Whether SHOW CREATE is followed by a user, a role or the like, and not by a table.
    fn at_created_access(&mut self) -> bool {
        let is_object = matches!(
            self.kw(),
            Kw::TABLE | Kw::DATABASE | Kw::VIEW | Kw::DICTIONARY | Kw::FUNCTION | Kw::TEMPORARY
        );
        let next = self.ahead(1);
        let has_name = next.kind == TokenKind::Word && !matches!(next.kw, Kw::FORMAT | Kw::INTO);
        !is_object && (has_name || next.kind != TokenKind::Dot && self.at_access_word())
    }

    /// Whether the current word names users, roles, or grants.
    fn at_access_word(&self) -> bool {
        let word = self.text_of(self.token()).to_ascii_uppercase();
        let words = ["USER", "ROLE", "PROFILE", "QUOTA"];
        word == "ACCESS" || words.iter().any(|w| word.strip_suffix('S').unwrap_or(&word) == *w)
    }

    /// `FROM t [FROM db]`.
    pub(super) fn show_table(&mut self) -> Result<TableName> {
        if !self.eat_kw(Kw::FROM) && !self.eat_kw(Kw::IN) {
            return Err(self.unexpected("FROM"));
        }
        self.table_name()
    }
}
