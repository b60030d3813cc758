//! Sizes of files and functions, and one type that hides errors: the rules that need Rust's syntax tree.

use super::{Finding, Source};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Lines of a file that a reader can hold.
const FILE_LINES: usize = 400;
/// Lines of a function that fit a screen.
const FUNCTION_LINES: usize = 70;
/// A first comment with this word gives the reason for more.
const REASON: &str = "Length:";

/// Checks one file.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !(source.is_rust() || source.is_script()) || source.is_generated() {
        return findings;
    }
    let lines = source.text.lines().collect::<Vec<_>>();
    if lines.len() > FILE_LINES && !first_comment(&lines).contains(REASON) {
        let message =
            format!("{} lines, {FILE_LINES} at most: split it, or give the reason in its first comment (`{REASON} …`)", lines.len());
        findings.push(Finding::new(source, 0, message));
    }
    if source.is_rust() {
        match syn::parse_file(&source.text) {
            Ok(file) => {
                let mut tree = Tree { source, lines: &lines, findings: &mut findings };
                tree.visit_file(&file);
            }
            Err(error) => findings.push(Finding::new(source, error.span().start().line, format!("can't be read as Rust: {error}"))),
        }
    }
    findings
}

/// The comment that a file begins with.
fn first_comment(lines: &[&str]) -> String {
    lines.iter().take_while(|line| is_comment(line)).copied().collect::<Vec<_>>().join("\n")
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "*", "#!["].iter().any(|start| line.starts_with(start))
}

struct Tree<'a> {
    source: &'a Source,
    lines: &'a [&'a str],
    findings: &'a mut Vec<Finding>,
}

impl Tree<'_> {
    fn function(&mut self, name: &syn::Ident, body: proc_macro2::Span) {
        let start = name.span().start().line;
        let length = body.end().line.saturating_sub(start) + 1;
        if length <= FUNCTION_LINES {
            return;
        }
        let above = self.lines[..start - 1].iter().rev().take_while(|line| is_comment(line) || line.trim_start().starts_with("#["));
        if !above.into_iter().any(|line| line.contains(REASON)) {
            let way_out = format!("split it, or give the reason in the comment above (`{REASON} …`)");
            self.findings.push(Finding::new(
                self.source,
                start,
                format!("`{name}` has {length} lines, {FUNCTION_LINES} at most: {way_out}"),
            ));
        }
    }
}

impl<'ast> Visit<'ast> for Tree<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig.ident, item.block.span());
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig.ident, item.block.span());
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        if segment.ident == "Result"
            && let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments
            && let Some(syn::GenericArgument::Type(syn::Type::Path(error))) = arguments.args.iter().nth(1)
            && error.path.is_ident("String")
        {
            let line = segment.ident.span().start().line;
            self.findings.push(Finding::new(self.source, line, "an error that is a String: declare it with thiserror"));
        }
        visit::visit_path_segment(self, segment);
    }
}

#[cfg(test)]
mod tests {
    use super::super::planted::{lines, source};
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        lines(&check(&source(path, text)))
    }

    #[test]
    fn long_files_need_a_reason() {
        let long = "let a = 1;\n".repeat(FILE_LINES + 1);
        assert_eq!(found("src/lib/a.ts", &long), [0]);
        assert!(found("src/lib/a.ts", &"let a = 1;\n".repeat(FILE_LINES)).is_empty());
        assert!(found("src/lib/a.ts", &format!("// Length: one table.\n{long}")).is_empty());
        assert!(found("src/ipc/bindings.ts", &long).is_empty());
        assert!(found("docs/a.md", &long).is_empty());
    }

    #[test]
    fn long_functions_need_a_reason() {
        let body = "    step();\n".repeat(FUNCTION_LINES - 1);
        let long = format!("fn a() {{\n{body}}}\n");
        assert_eq!(found("xtask/src/a.rs", &long), [1]);
        assert_eq!(found("xtask/src/a.rs", &format!("impl A {{\n{long}}}\n")), [2]);
        assert!(found("xtask/src/a.rs", &format!("/// Does it. Length: one table.\n#[inline]\n{long}")).is_empty());
        let short = "    step();\n".repeat(FUNCTION_LINES - 2);
        assert!(found("xtask/src/a.rs", &format!("fn a() {{\n{short}}}\n")).is_empty());
    }

    #[test]
    fn errors_are_types() {
        assert_eq!(found("xtask/src/a.rs", "fn a() -> Result<u32, String> { Ok(1) }\n"), [1]);
        assert!(found("xtask/src/a.rs", "fn a() -> Result<String, Fault> { x }\n").is_empty());
    }

    #[test]
    fn what_is_no_rust_is_told() {
        assert_eq!(found("xtask/src/a.rs", "fn a() {\nlet = ;\n}\n"), [2]);
    }
}
