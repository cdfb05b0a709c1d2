//! Writes CREATE DICTIONARY.

use super::Writer;
use crate::ast::{
    CreateDictionary, DictionaryAttribute, DictionaryParameter, DictionaryPart, DictionaryValue,
};

impl Writer {
    pub(super) fn create_dictionary(&mut self, create: &CreateDictionary) {
        self.create_head(create.mode, "DICTIONARY ");
        self.table_name(&create.name);
        self.uuid(create.uuid.as_deref());
        self.cluster(create.cluster.as_ref());
        self.line();
        self.block(|w| {
            for (i, attribute) in create.attributes.iter().enumerate() {
                if i > 0 {
                    w.push(",");
                    w.line();
                }
                w.dictionary_attribute(attribute);
            }
        });
        if !create.primary_key.is_empty() {
            self.line();
            self.push("PRIMARY KEY ");
            self.inline(&create.primary_key, Self::ident);
        }
        if let Some(source) = &create.source {
            self.line();
            self.push("SOURCE(");
            self.dictionary_part(source);
        }
        if let Some((least, greatest)) = create.lifetime {
            self.line();
            self.push(&format!("LIFETIME(MIN {least} MAX {greatest})"));
        }
        if let Some(layout) = &create.layout {
            self.line();
            self.push("LAYOUT(");
            self.dictionary_part(layout);
        }
        if let Some((least, greatest)) = &create.range {
            self.line();
            self.push("RANGE(MIN ");
            self.ident(least);
            self.push(" MAX ");
            self.ident(greatest);
            self.push(")");
        }
        if !create.settings.is_empty() {
            self.line();
            self.push("SETTINGS(");
            self.settings(&create.settings);
            self.push(")");
        }
        self.comment(create.comment.as_deref());
    }

    fn dictionary_attribute(&mut self, attribute: &DictionaryAttribute) {
        self.quoted_name(&attribute.name.name);
        if let Some(data_type) = &attribute.data_type {
            self.push(" ");
            self.type_name(data_type);
        }
        if let Some(default) = &attribute.default {
            self.push(" DEFAULT ");
            self.plain(default);
        }
        if let Some(expression) = &attribute.expression {
            self.push(" EXPRESSION ");
            self.plain(expression);
        }
        self.flag(attribute.hierarchical, " HIERARCHICAL");
        self.flag(attribute.bidirectional, " BIDIRECTIONAL");
        self.flag(attribute.injective, " INJECTIVE");
        self.flag(attribute.is_object_id, " IS_OBJECT_ID");
    }

    fn dictionary_part(&mut self, part: &DictionaryPart) {
        self.push(&part.name);
        if !part.bare {
            self.push("(");
            self.dictionary_parameters(&part.parameters);
            self.push(")");
        }
        self.push(")");
    }

    fn dictionary_parameters(&mut self, parameters: &[DictionaryParameter]) {
        for (i, parameter) in parameters.iter().enumerate() {
            self.flag(i > 0, " ");
            self.push(&parameter.name);
            match &parameter.value {
                DictionaryValue::One(expr) => {
                    self.push(" ");
                    self.plain(expr);
                }
                DictionaryValue::Many(inner) => {
                    self.push(" (");
                    self.dictionary_parameters(inner);
                    self.push(")");
                }
            }
        }
    }
}
