//! `REFRESH ...` of a materialised view as text.

use super::Writer;
use crate::ast::Refresh;

impl Writer {
    pub(super) fn refresh(&mut self, refresh: &Refresh) {
        self.push(if refresh.every { "REFRESH EVERY " } else { "REFRESH AFTER " });
        self.push(&refresh.period.text());
        for (words, interval) in [(" OFFSET ", refresh.offset), (" RANDOMIZE FOR ", refresh.spread)]
        {
            if !interval.is_zero() {
                self.push(words);
                self.push(&interval.text());
            }
        }
        if !refresh.depends_on.is_empty() {
            self.push(" DEPENDS ON ");
            self.inline(&refresh.depends_on, Self::table_name);
        }
        if !refresh.settings.is_empty() {
            self.push(" SETTINGS ");
            self.settings(&refresh.settings);
        }
        self.flag(refresh.append, " APPEND");
    }
}
