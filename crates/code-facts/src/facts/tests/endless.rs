//! Sources that refer to themselves, or to so many others that no computer comes to an end, are read in no time.

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
        facts("consts.py", &format!("from flask import Flask\napp = Flask(__name__)\n{python}@app.route(d)\ndef x(): pass\n"));
        let script = multiplied(first, |name, text| format!("export const {name} = `{text}`;\n"), |name| format!("${{{name}}}"));
        facts("consts.ts", &format!("import express from \"express\";\nconst app = express();\n{script}app.get(d, x);\n"));
    }
}

#[test]
fn a_value_that_is_made_of_itself_has_no_type() {
    let go = "package a\n\nimport \"github.com/gin-gonic/gin\"\n\nvar a = a.NewB()\nvar c = (&c).NewD()\n\n\
              func main() {\n\tr := gin.Default()\n\ta.Register(r)\n\tc.Register(r)\n\tr.GET(\"/x\", x)\n}\n";
    assert!(said("a.go", go).iter().any(|fact| fact.starts_with("endpoint GET /x")), "{:?}", said("a.go", go));
}
