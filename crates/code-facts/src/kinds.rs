//! Meaning of the nodes of each grammar.

use crate::Language;

/// Relevant kinds of nodes in one grammar.
pub(crate) struct Kinds {
    /// Functions, types and the like: one piece each.
    pub(crate) definitions: &'static [&'static str],
    /// Nodes around a definition, each with the field that contains it.
    pub(crate) wrappers: &'static [(&'static str, &'static str)],
    /// Definitions whose members are separate pieces if they are long.
    pub(crate) containers: &'static [&'static str],
    /// Nodes that belong to the definition right below them.
    pub(crate) leads: &'static [&'static str],
}

const GO: Kinds = Kinds {
    definitions: &["function_declaration", "method_declaration", "type_declaration"],
    wrappers: &[],
    containers: &[],
    leads: &["comment"],
};

const JAVA: Kinds = Kinds {
    definitions: &[
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "method_declaration",
        "constructor_declaration",
    ],
    wrappers: &[],
    containers: &["class_declaration", "interface_declaration", "record_declaration"],
    leads: &["line_comment", "block_comment"],
};

const PYTHON: Kinds = Kinds {
    definitions: &["function_definition", "class_definition"],
    wrappers: &[("decorated_definition", "definition")],
    containers: &["class_definition"],
    leads: &["comment"],
};

const RUST: Kinds = Kinds {
    definitions: &[
        "function_item",
        "function_signature_item",
        "struct_item",
        "enum_item",
        "union_item",
        "trait_item",
        "impl_item",
        "mod_item",
        "macro_definition",
    ],
    wrappers: &[],
    containers: &["impl_item", "trait_item", "mod_item"],
    leads: &["line_comment", "block_comment", "attribute_item"],
};

/// JavaScript, TypeScript and both with JSX: kinds that one lacks don't occur.
const SCRIPT: Kinds = Kinds {
    definitions: &[
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "internal_module",
        "lexical_declaration",
        "method_definition",
    ],
    wrappers: &[("export_statement", "declaration")],
    containers: &["class_declaration", "abstract_class_declaration", "internal_module"],
    leads: &["comment", "decorator"],
};

pub(crate) fn of(language: Language) -> &'static Kinds {
    match language {
        Language::Go => &GO,
        Language::Java => &JAVA,
        Language::Python => &PYTHON,
        Language::Rust => &RUST,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &SCRIPT,
    }
}
