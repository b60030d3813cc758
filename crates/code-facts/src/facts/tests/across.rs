//! Routes below the paths that other files mount their routers on.

use super::*;

/// The endpoints of a project's files, sorted.
pub(super) fn endpoints(files: &[(&str, &str)]) -> Vec<String> {
    let found: Vec<(&str, Vec<FoundFact>)> = files.iter().map(|(path, source)| (*path, facts(path, source))).collect();
    let held = of_project(found.iter().map(|(path, facts)| (*path, facts.as_slice())));
    assert!(held.iter().all(|(_, fact)| fact.kind != FactKind::Mount), "a mount tells nothing by itself");
    let mut told: Vec<String> =
        held.into_iter().filter(|(_, fact)| fact.kind == FactKind::Endpoint).map(|(_, fact)| fact.subject).collect();
    told.sort();
    told
}

const FAST: &str =
    "from fastapi import APIRouter\nrouter = APIRouter()\n@router.get('/{id}')\ndef one(id): pass\n@router.post('/')\ndef add(): pass\n";

#[test]
fn a_python_router_is_below_the_path_of_the_file_that_mounts_it() {
    let main = "from fastapi import FastAPI, APIRouter\nfrom .routers import users\nfrom app.routers.bills import router as bills\nimport app.routers.shop as shop\n\
                app = FastAPI()\napi = APIRouter(prefix='/api')\napi.include_router(users.router, prefix='/users')\napi.include_router(bills)\n\
                app.include_router(api, prefix='/v1')\napp.include_router(shop.router, prefix=settings.PREFIX)\n";
    let bills = FAST.replace("APIRouter()", "APIRouter(prefix='/bills')");
    let found = endpoints(&[
        ("src/app/main.py", main),
        ("src/app/routers/users.py", FAST),
        ("src/app/routers/bills/__init__.py", &bills),
        ("src/app/routers/shop.py", FAST),
        ("other/routers/users.py", &FAST.replace("{id}", "{other}")),
    ]);
    let expected = [
        "GET /v1/api/bills/{id}",
        "GET /v1/api/users/{id}",
        "GET /{id}",
        "GET /{other}",
        "POST /",
        "POST / in src/app/routers/shop.py",
        "POST /v1/api/bills/",
        "POST /v1/api/users/",
    ];
    assert_eq!(found, expected);
    let flask = [
        (
            "app.py",
            "from flask import Flask\nfrom auth import bp\nfrom shop.views import shop\napp = Flask(__name__)\napp.register_blueprint(bp, url_prefix='/auth')\napp.register_blueprint(shop)\n",
        ),
        (
            "auth.py",
            "from flask import Blueprint\nbp = Blueprint('auth', __name__, url_prefix='/own')\n@bp.route('/login', methods=['POST'])\ndef login(): pass\n",
        ),
        (
            "shop/views.py",
            "from flask import Blueprint\nshop = Blueprint('shop', __name__, url_prefix='/shop')\n@shop.get('/cart')\ndef cart(): pass\n",
        ),
    ];
    assert_eq!(endpoints(&flask), ["GET /shop/cart", "POST /auth/login"]);
    let django = [
        (
            "site/urls.py",
            "from django.urls import path, include\nurlpatterns = [path('api/', include('shop.urls')), path('admin/', admin.site.urls)]\n",
        ),
        (
            "shop/urls.py",
            "from django.urls import path, include\nurlpatterns = [path('cart/', views.cart), path('pay/', include('pay.urls'))]\n",
        ),
        ("pay/urls.py", "from django.urls import path\nurlpatterns = [path('<int:id>/', views.pay)]\n"),
    ];
    assert_eq!(endpoints(&django), ["ANY /api/cart/", "ANY /api/pay/<int:id>/"]);
}

#[test]
fn a_router_of_a_script_is_below_the_path_of_the_file_that_mounts_it() {
    let router = |export: &str| {
        format!(
            "const express = require('express');\nconst router = express.Router();\nrouter.get('/', list).put('/:id', put);\n{export}\n"
        )
    };
    let found = endpoints(&[
        (
            "src/app.js",
            "const express = require('express');\nconst users = require('./routes/users');\nconst { bills } = require('./routes/bills.js');\nconst app = express();\nconst api = express.Router();\n\
             api.use('/users', auth, users);\napp.use('/api', api);\napp.use('/bills', bills);\napp.use('/shop', require('./shop'));\napp.use(require('../plain'));\napp.get('/health', ok);\n",
        ),
        ("src/routes/users.js", &router("module.exports = router;")),
        ("src/routes/bills.js", &router("exports.bills = router;")),
        ("src/shop/index.js", &router("module.exports = router;")),
        ("plain.js", &router("module.exports = router;")),
    ]);
    let expected = [
        "GET /",
        "GET /api/users",
        "GET /bills",
        "GET /health",
        "GET /shop",
        "PUT /:id",
        "PUT /api/users/:id",
        "PUT /bills/:id",
        "PUT /shop/:id",
    ];
    assert_eq!(found, expected);
    let modules = endpoints(&[
        (
            "src/index.ts",
            "import express from 'express';\nimport users, { admin as boss } from './users.js';\nconst app = express();\napp.use('/users', users);\napp.use('/admin', boss);\n",
        ),
        (
            "src/users.ts",
            "import { Router } from 'express';\nconst users = Router();\nexport const admin = Router();\nusers.get('/:id', one);\nadmin.delete('/:id', gone);\nexport default users;\n",
        ),
    ]);
    assert_eq!(modules, ["DELETE /admin/:id", "GET /users/:id"]);
    let fastify = endpoints(&[
        ("server.js", "const fastify = require('fastify')();\nfastify.register(require('./routes/users'), { prefix: '/users' });\n"),
        (
            "routes/users.js",
            "const fp = require('@fastify/auth');\nmodule.exports = async function (fastify) {\n  fastify.get('/:id', one);\n};\n",
        ),
    ]);
    assert_eq!(fastify, ["GET /users/:id"]);
}

#[test]
fn a_router_of_a_rust_module_is_below_the_path_of_the_file_that_nests_it() {
    let users = "use axum::{Router, routing::get};\npub fn router() -> Router {\n    Router::new().route(\"/\", get(list)).route(\"/{id}\", get(one))\n}\n";
    let found = endpoints(&[
        (
            "src/main.rs",
            "use axum::Router;\nuse crate::routes::bills::routes as bill_routes;\nmod users;\nfn api() -> Router { Router::new().nest(\"/users\", users::router()).merge(crate::plain::router()) }\n\
             fn main() { let app = Router::new().nest(\"/api\", api()).nest(\"/bills\", bill_routes()); }\n",
        ),
        ("src/users.rs", users),
        ("src/plain/mod.rs", &users.replace("{id}", "plain")),
        ("src/routes/bills.rs", &users.replace("router()", "routes()")),
        ("tools/users.rs", &users.replace("{id}", "{other}")),
    ]);
    let expected =
        ["GET /", "GET /api", "GET /api/plain", "GET /api/users", "GET /api/users/{id}", "GET /bills", "GET /bills/{id}", "GET /{other}"];
    assert_eq!(found, expected);
    let actix = endpoints(&[
        (
            "src/main.rs",
            "use actix_web::{web, App};\nmod users;\nfn main() { App::new().service(web::scope(\"/users\").configure(users::config)); }\n",
        ),
        (
            "src/users.rs",
            "use actix_web::{get, web};\n#[get(\"/{id}\")]\nasync fn one() {}\npub fn config(c: &mut web::ServiceConfig) { c.service(one).route(\"/all\", web::get().to(all)); }\n",
        ),
    ]);
    assert_eq!(actix, ["GET /users/all", "GET /users/{id}"]);
}

#[test]
fn a_router_is_below_each_path_that_it_is_mounted_on() {
    let main = "from fastapi import FastAPI\nfrom routers import users\napp = FastAPI()\napp.include_router(users.router, prefix='/v1')\n\
                app.include_router(users.router, prefix='/v2')\n";
    let found = endpoints(&[("main.py", main), ("other.py", main), ("routers/users.py", FAST)]);
    assert_eq!(found, ["GET /v1/{id}", "GET /v2/{id}", "POST /v1/", "POST /v2/"]);
    let app = "const express = require('express');\nconst api = require('./api');\nconst app = express();\napp.use('/v1', api);\napp.use('/v2', api);\n";
    let api = "const express = require('express');\nconst users = require('./users');\nconst api = express.Router();\napi.use('/users', users);\nmodule.exports = api;\n";
    let users = "const express = require('express');\nconst router = express.Router();\nrouter.get('/', list);\nmodule.exports = router;\n";
    assert_eq!(endpoints(&[("app.js", app), ("api.js", api), ("users.js", users)]), ["GET /v1/users", "GET /v2/users"]);
}

#[test]
fn a_blueprint_within_one_whose_path_is_replaced_is_below_the_new_one() {
    let app = "from flask import Flask\nfrom shop import bp\napp = Flask(__name__)\napp.register_blueprint(bp, url_prefix='/shop')\n";
    let shop = "from flask import Blueprint\nbp = Blueprint('bp', __name__, url_prefix='/bp')\nchild = Blueprint('child', __name__, url_prefix='/child')\n\
                @child.get('/leaf')\ndef leaf(): pass\n@bp.get('/own')\ndef own(): pass\nbp.register_blueprint(child)\n";
    assert_eq!(endpoints(&[("app.py", app), ("shop.py", shop)]), ["GET /shop/child/leaf", "GET /shop/own"]);
}

#[test]
fn a_router_below_a_computed_path_is_told_nowhere() {
    let python = "from fastapi import FastAPI\nfrom routers import users\napp = FastAPI()\nfor p in (one(), two()):\n    app.include_router(users.router, prefix=p)\n";
    assert_eq!(endpoints(&[("main.py", python), ("routers/users.py", FAST)]), [""; 0]);
    let routes =
        "const express = require('express');\nconst router = express.Router();\nrouter.get('/root', root);\nmodule.exports = router;\n";
    let app = |before: &str| {
        format!(
            "const express = require('express');\nconst routes = require('./routes');\n{before}\nconst app = express();\napp.use(prefix, routes);\n"
        )
    };
    let found = |before: &str, config: &str| endpoints(&[("app.js", &app(before)), ("routes.js", routes), ("config.js", config)]);
    assert_eq!(found("const prefix = process.env.BASE || '/api';", ""), [""; 0]);
    let imported = "const { prefix } = require('./config');";
    assert_eq!(found(imported, "exports.prefix = '/api';\n"), ["GET /api/root"]);
    assert_eq!(found(imported, "exports.prefix = made();\n"), [""; 0]);
}

#[test]
fn routers_of_several_files_in_a_circle_end() {
    let of = |other: &str| {
        format!(
            "from fastapi import APIRouter\nfrom {other} import router as other\nrouter = APIRouter()\nrouter.include_router(other, prefix='/{other}')\n@router.get('/x')\ndef x(): pass\n"
        )
    };
    assert_eq!(endpoints(&[("a.py", &of("b")), ("b.py", &of("a"))]).len(), 2);
}

#[test]
fn a_router_made_by_a_chain_of_calls_is_known_by_its_variable_or_as_the_files_own() {
    let mounted = |routes: &str| {
        endpoints(&[
            (
                "src/main.ts",
                "import express from 'express';\nimport routes from './routes';\nconst app = express();\napp.use('/v1', routes);\n",
            ),
            ("src/routes.ts", routes),
            (
                "src/users.ts",
                "import { Router } from 'express';\nconst router = Router();\nrouter.get('/users', list);\nexport default router;\n",
            ),
        ])
    };
    let begin = "import express, { Router } from 'express';\nimport users from './users';\n";
    for chain in [
        "const api = Router().use(users);\nexport default Router().use('/api', api);\n",
        "const api = express.Router().use(users);\nconst all = express.Router().use('/api', api);\nexport default all;\n",
        "const own = Router();\nexport default own.use('/api', users);\n",
    ] {
        assert_eq!(mounted(&format!("{begin}{chain}")), ["GET /v1/api/users"], "{chain}");
    }
    let served = format!("{begin}const api = Router().get('/health', ok).use(users);\nexport default Router().use('/api', api);\n");
    assert_eq!(mounted(&served), ["GET /v1/api/health", "GET /v1/api/users"]);
}
