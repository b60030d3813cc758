//! Sources that refer to themselves, or to so many others that expanding them would never end, are skipped, and the rest is read.

use super::*;

/// Four constants, each of which is the one before, four hundred times.
fn multiplied(first: &str, one: impl Fn(&str, &str) -> String, part: impl Fn(&str) -> String) -> String {
    let mut source = one("a", first);
    for (name, before) in [("b", "a"), ("c", "b"), ("d", "c")] {
        source.push_str(&one(name, &part(before).repeat(400)));
    }
    source
}

#[test]
fn constants_of_constants_of_constants_come_to_an_end() {
    for first in ["/x", ""] {
        let python = multiplied(first, |name, text| format!("{name} = f\"{text}\"\n"), |name| format!("{{{name}}}"));
        let python = format!("from flask import Flask\napp = Flask(__name__)\n{python}@app.route(d)\n@app.route(\"/y\")\ndef x(): pass\n");
        assert!(said("consts.py", &python).iter().any(|fact| fact.contains(" /y = ")), "{:?}", said("consts.py", &python));
        let script = multiplied(first, |name, text| format!("export const {name} = `{text}`;\n"), |name| format!("${{{name}}}"));
        let script = format!("import express from \"express\";\nconst app = express();\n{script}app.get(d, x);\napp.get(\"/y\", x);\n");
        assert!(said("consts.ts", &script).iter().any(|fact| fact.contains(" /y = ")), "{:?}", said("consts.ts", &script));
    }
}

#[test]
fn a_value_that_is_made_of_itself_has_no_type() {
    let go = "package a\n\nimport \"github.com/gin-gonic/gin\"\n\nvar a = a.NewB()\nvar c = (&c).NewD()\n\n\
              func main() {\n\tr := gin.Default()\n\ta.Register(r)\n\tc.Register(r)\n\tr.GET(\"/x\", x)\n}\n";
    assert!(said("a.go", go).iter().any(|fact| fact.starts_with("endpoint GET /x")), "{:?}", said("a.go", go));
}

/// How often a fact of a kind is stated.
fn count(path: &str, source: &str, kind: FactKind) -> usize {
    facts(path, source).into_iter().filter(|fact| fact.kind == kind).count()
}

#[test]
fn long_chains_of_calls_are_read() {
    let axum = format!(
        "use axum::Router;\nfn app() -> Router {{ Router::new(){} }}\n",
        (0..400).fold(String::new(), |chain, at| { format!("{chain}.route(\"/{at}\", get(list))") })
    );
    assert_eq!(count("src/app.rs", &axum, FactKind::Endpoint), 400);
    let clap = format!(
        "use clap::Command;\nfn main() {{ Command::new(\"x\"){}; }}\n",
        ".arg(Arg::new(\"a\").long(\"a\").help(\"h\"))".repeat(400)
    );
    assert_eq!(count("src/main.rs", &clap, FactKind::EntryPoint), 1);
    let express = format!("const app = require('express')(){};\napp.get('/x', x);\n", ".use(y)".repeat(400));
    assert_eq!(count("app.js", &express, FactKind::Endpoint), 1);
}

#[test]
fn what_is_nested_deeper_than_anybody_writes_states_nothing() {
    for (open, close) in [("{", "}"), ("f(", ")")] {
        let source = format!("fn main() {{ {}{} }}\n", open.repeat(20_000), close.repeat(20_000));
        assert_eq!(count("src/main.rs", &source, FactKind::EntryPoint), 0, "{open}");
    }
}

#[test]
fn a_manifest_of_many_lines_is_read() {
    let manifest = (0..20_000).fold("[dependencies]\n".to_owned(), |all, at| format!("{all}a{at} = \"1\"\n"));
    assert_eq!(count("Cargo.toml", &manifest, FactKind::Dependency), 20_000);
}
