//! Routes below the paths that their own file mounts routers on, and what several files say about one program.

use super::*;

/// Only the endpoints of a file, as `METHOD /path`.
fn endpoints(path: &str, source: &str) -> Vec<String> {
    facts(path, source).into_iter().filter(|fact| fact.kind == FactKind::Endpoint).map(|fact| fact.subject).collect()
}

/// Length: one case for each framework.
#[test]
fn a_router_that_its_own_file_mounts_is_below_that_path() {
    for (path, source, expected) in [
        (
            "main.py",
            "from fastapi import FastAPI, APIRouter\napp = FastAPI()\napi = APIRouter(prefix='/v2')\nusers = APIRouter()\n@api.get('/a')\ndef a(): pass\n\
             @users.get('')\ndef u(): pass\n@users.get('/{id}')\ndef one(id): pass\napi.include_router(users, prefix='/users')\n\
             app.include_router(api, prefix='/api')\napp.include_router(other.router, prefix='/other')\n@app.get('/health')\ndef h(): pass\n",
            &["GET /api/v2/a", "GET /api/v2/users", "GET /api/v2/users/{id}", "GET /health"][..],
        ),
        (
            "app.py",
            "from flask import Flask, Blueprint\napp = Flask(__name__)\na = Blueprint('a', __name__)\nb = Blueprint('b', __name__, url_prefix='/own')\n\
             c = Blueprint('c', __name__, url_prefix='/own')\n@a.get('/x')\ndef x(): pass\n@b.get('/y')\ndef y(): pass\n@c.get('/z')\ndef z(): pass\n\
             app.register_blueprint(a, url_prefix='/a')\napp.register_blueprint(b, url_prefix='/b')\napp.register_blueprint(c)\n",
            &["GET /a/x", "GET /b/y", "GET /own/z"],
        ),
        (
            "server.js",
            "const express = require('express');\nconst app = express();\nconst r = express.Router();\nconst inner = express.Router();\nr.get('/', list);\n\
             r.route('/:id').put(change);\ninner.post('/pay', pay);\nr.use('/:id/bills', auth, inner);\napp.use('/users', r);\n\
             app.use('/elsewhere', require('./elsewhere'));\napp.use(express.json());\napp.get('/health', (q, s) => s.end());\n",
            &["GET /users", "PUT /users/:id", "POST /users/:id/bills/pay", "GET /health"],
        ),
        (
            "koa.ts",
            "import Router from '@koa/router';\nconst router = new Router({ prefix: '/v1' });\nrouter.get('/users', list);\n",
            &["GET /v1/users"],
        ),
        (
            "hono.ts",
            "import { Hono } from 'hono';\nconst users = new Hono();\nusers.get('/:id', (c) => c.text(''));\nconst app = new Hono().basePath('/api');\n\
             app.route('/users', users);\napp.post('/login', login);\n",
            &["GET /api/users/:id", "POST /api/login"],
        ),
        (
            "chain.ts",
            "import { Hono } from 'hono';\nconst h = new Hono();\nh.get('/x', x).post(add).delete(gone);\n",
            &["GET /x", "POST /x", "DELETE /x"],
        ),
        ("named.js", "const Router = require('@koa/router');\nconst r = new Router();\nr.get('users', '/named', list);\n", &["GET /named"]),
        (
            "plugin.js",
            "const fastify = require('fastify')();\nfastify.register(async child => { child.get('/in', list); }, { prefix: '/api' });\n",
            &["GET /api/in"],
        ),
        (
            "in-place.js",
            "const { Router } = require('express');\nconst app = require('express')();\n\
             app.use('/v2', (() => { const r = Router(); r.get('/in', list); return r; })());\n",
            &["GET /v2/in"],
        ),
        (
            "paths.go",
            "package web\nimport \"github.com/gorilla/mux\"\nfunc routes() {\n\tr := mux.NewRouter()\n\t\
             r.Path(\"/pa\").Methods(\"GET\", \"PUT\").HandlerFunc(list)\n}\n",
            &["GET /pa", "PUT /pa"],
        ),
        (
            "hosts.go",
            "package web\nimport \"net/http\"\nfunc routes(m *http.ServeMux) {\n\tm.HandleFunc(\"POST example.com/host\", add)\n}\n",
            &["POST /host"],
        ),
        (
            "src/main.rs",
            "use axum::{Router, routing::get};\nfn admin() -> Router {\n    let own = Router::new().route(\"/stats\", get(stats));\n    own\n}\n\
             fn main() {\n    let users = Router::new().route(\"/\", get(list)).route(\"/{id}\", get(one).delete(gone));\n    \
             let api = Router::new().nest(\"/users\", users).nest(\"/admin\", admin());\n    let app = Router::new().nest(\"/api\", api).route(\"/health\", get(ok));\n}\n\
             #[cfg(test)]\nmod tests {\n    fn served() { Router::new().route(\"/only-here\", get(x)); }\n}\n",
            &["GET /api/admin/stats", "GET /api/users", "DELETE /api/users/{id}", "GET /api/users/{id}", "GET /health"],
        ),
        (
            "src/main.rs",
            "use actix_web::{get, web, App};\n#[get(\"/{id}\")]\nasync fn one() {}\nfn routes(c: &mut web::ServiceConfig) {\n    \
             c.service(web::resource(\"/list\").route(web::get().to(list)));\n}\nfn main() {\n    \
             App::new().service(web::scope(\"/users\").service(one).configure(routes));\n}\n",
            &["GET /users/{id}", "GET /users/list"],
        ),
        (
            "src/main.rs",
            "use rocket::{get, post, routes};\n#[get(\"/<id>?<q>\")]\nfn one() {}\n#[post(\"/\")]\nfn add() {}\n#[get(\"/health\")]\nfn health() {}\n\
             fn rocket() -> _ { rocket::build().mount(\"/\", routes![health]).mount(\"/users\", routes![one, add]) }\n",
            &["GET /users/<id>", "POST /users", "GET /health"],
        ),
        (
            "main.go",
            "package web\nimport \"github.com/gorilla/mux\"\nimport \"net/http\"\nfunc routes() {\n\tr := mux.NewRouter()\n\tapi := r.PathPrefix(\"/api\").Subrouter()\n\t\
             api.HandleFunc(\"/users\", list).Methods(\"GET\")\n\tr.HandleFunc(\"/health\", ok)\n}\n",
            &["GET /api/users", "ANY /health"],
        ),
    ] {
        let (mut found, mut expected) = (endpoints(path, source), expected.to_vec());
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn a_router_that_its_file_mounts_twice_serves_at_both_places() {
    for (path, source, expected) in [
        (
            "server.js",
            "const express = require('express');\nconst app = express();\nconst r = express.Router();\nconst inner = express.Router();\n\
             r.get('/x', list);\ninner.post('/pay', pay);\nr.use('/in', inner);\napp.use('/v1', r);\napp.use('/v2', r);\napp.use('/v2', r);\n",
            &["GET /v1/x", "POST /v1/in/pay", "GET /v2/x", "POST /v2/in/pay"][..],
        ),
        (
            "app.py",
            "from flask import Flask, Blueprint\napp = Flask(__name__)\nb = Blueprint('b', __name__, url_prefix='/own')\n\
             @b.get('/y')\ndef y(): pass\napp.register_blueprint(b)\napp.register_blueprint(b, url_prefix='/v2', name='second')\n",
            &["GET /own/y", "GET /v2/y"],
        ),
        (
            "main.py",
            "from fastapi import FastAPI, APIRouter\napp = FastAPI()\nusers = APIRouter(prefix='/users')\n@users.get('/{id}')\ndef one(id): pass\n\
             app.include_router(users, prefix='/v1')\napp.include_router(users, prefix='/v2')\n",
            &["GET /v1/users/{id}", "GET /v2/users/{id}"],
        ),
        (
            // Two routers with one name: nobody knows which is which.
            "two.js",
            "const { Router } = require('express');\nfunction a(app) { const r = Router(); r.get('/a', list); app.use('/one', r); }\n\
             function b(app) { const r = Router(); r.get('/b', list); app.use('/two', r); }\n",
            &["GET /one/a", "GET /one/b"],
        ),
    ] {
        let (mut found, mut expected) = (endpoints(path, source), expected.to_vec());
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn a_router_of_another_file_below_one_that_is_mounted_twice_serves_at_both_places() {
    let files = [
        (
            "app.py",
            "from fastapi import FastAPI, APIRouter\nimport users\napp = FastAPI()\napi = APIRouter()\napi.include_router(users.router, prefix='/users')\n\
          app.include_router(api, prefix='/v1')\napp.include_router(api, prefix='/v2')\n",
        ),
        ("users.py", "from fastapi import APIRouter\nrouter = APIRouter()\n@router.get('/{id}')\ndef one(id): pass\n"),
    ];
    let found = files.map(|(path, source)| (path, facts(path, source)));
    let held = of_project(found.iter().map(|(path, facts)| (*path, facts.as_slice())));
    let served: Vec<&str> =
        held.iter().filter(|(_, fact)| fact.kind == FactKind::Endpoint).map(|(_, fact)| fact.subject.as_str()).collect();
    assert_eq!(served, ["GET /v1/users/{id}", "GET /v2/users/{id}"]);
}

#[test]
fn routers_in_a_circle_end() {
    let python = "from fastapi import APIRouter\na = APIRouter(prefix='/a')\nb = APIRouter(prefix='/b')\na.include_router(b)\nb.include_router(a)\n@a.get('/x')\ndef x(): pass\n";
    assert_eq!(endpoints("main.py", python).len(), 1);
    let rust = "use axum::Router;\nfn a() { let b = Router::new().nest(\"/a\", a()).route(\"/x\", get(x)); let a = Router::new().nest(\"/b\", b); }\n";
    assert_eq!(endpoints("src/main.rs", rust).len(), 1);
}

#[test]
fn a_program_whose_manifest_names_its_source_is_one_entry_point() {
    let manifest = facts("Cargo.toml", "[package]\nname = \"pay\"\n\n[[bin]]\nname = \"payd\"\npath = \"src/main.rs\"\n");
    let source = facts("src/main.rs", "fn main() {}\n");
    let other = facts("src/bin/other.rs", "fn main() {}\n");
    let all = [("Cargo.toml", manifest), ("src/main.rs", source), ("src/bin/other.rs", other)];
    let held = of_project(all.iter().map(|(path, facts)| (*path, facts.as_slice())));
    let entries: Vec<&str> =
        held.iter().filter(|(_, fact)| fact.kind == FactKind::EntryPoint).map(|(_, fact)| fact.subject.as_str()).collect();
    assert_eq!(entries, ["payd", "src/bin/other.rs"]);
}

#[test]
fn python_paths_are_those_that_the_interpreter_sees() {
    let source = "from fastapi import APIRouter as AR\nrouter = AR(prefix=\"/al\")\nBASE = \"/u\"\n\n\
                  @router.get(f\"{BASE}/{{user_id:path}}\")\ndef one(user_id): ...\n";
    let endpoint = |line: &String| line.starts_with("endpoint");
    assert_eq!(said("api.py", source).into_iter().filter(endpoint).collect::<Vec<_>>(), ["endpoint GET /al/u/{user_id:path} = one @ 5"]);
}
