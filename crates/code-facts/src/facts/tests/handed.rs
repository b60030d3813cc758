//! Prefixes in constants, routers that functions take or return, and routers that files re-export from others.

use super::*;

/// The endpoints of a project's files, sorted.
fn endpoints(files: &[(&str, &str)]) -> Vec<String> {
    let found: Vec<(&str, Vec<FoundFact>)> = files.iter().map(|(path, source)| (*path, facts(path, source))).collect();
    let held = of_project(found.iter().map(|(path, facts)| (*path, facts.as_slice())));
    assert!(held.iter().all(|(_, fact)| fact.kind.is_told()), "what ties files together tells nothing by itself");
    let mut told: Vec<String> =
        held.into_iter().filter(|(_, fact)| fact.kind == FactKind::Endpoint).map(|(_, fact)| fact.subject).collect();
    told.sort();
    told
}

#[test]
fn a_prefix_is_computed_of_constants_of_any_file() {
    let settings = "from pydantic import BaseSettings\nclass Settings(BaseSettings):\n    API: str = \"/api/v1\"\n    debug: bool = False\nsettings = Settings()\n";
    let found = endpoints(&[
        ("app/core/config.py", settings),
        ("app/const.py", "VERSION = 'v2'\nUSERS = '/users'\nBASE = '/base'\nTWICE = '/a'\nif x:\n    TWICE = '/b'\n"),
        (
            "app/main.py",
            "from fastapi import FastAPI\nfrom app.core.config import settings\nfrom app import const\nfrom app.const import BASE, TWICE\nfrom app.api import api, other, third, named\nPATH = '/health'\napp = FastAPI()\n\
             app.include_router(api, prefix=settings.API)\napp.include_router(other, prefix=f'{BASE}/{const.VERSION}' + const.USERS)\n\
             app.include_router(third, prefix=TWICE)\napp.include_router(named, prefix=os.environ['X'])\n@app.get(f'{PATH}/live')\ndef live(): pass\n\
             @app.get(BASE + '/known')\ndef known(): pass\n@app.get(unknown.PATH)\ndef nobody(): pass\n@app.get(settings.nowhere)\ndef nowhere(): pass\n",
        ),
        (
            "app/api.py",
            "from fastapi import APIRouter\napi = APIRouter()\nother = APIRouter()\nthird = APIRouter()\nnamed = APIRouter()\n@api.get('/a')\ndef a(): pass\n@other.get('/b')\ndef b(): pass\n\
             @third.get('/c')\ndef c(): pass\n@named.get('/d')\ndef d(): pass\n",
        ),
    ]);
    assert_eq!(
        found,
        ["GET /api/v1/a", "GET /base/known", "GET /base/v2/users/b", "GET /c", "GET /health/live"],
        "what the environment says is known to nobody"
    );
    let flask = endpoints(&[
        ("shop/__init__.py", "from .views import bp as shop_bp\n"),
        (
            "shop/views.py",
            "from flask import Blueprint\nPREFIX = '/shop'\nbp = Blueprint('shop', __name__, url_prefix=PREFIX)\n@bp.get('/cart')\ndef cart(): pass\n\
             bp.add_url_rule('/pay', view_func=pay, methods=['POST'])\n",
        ),
        (
            "app.py",
            "from flask import Flask\nfrom shop import shop_bp\nimport settings\napp = Flask(__name__)\napp.register_blueprint(shop_bp, url_prefix=settings.SHOP)\n",
        ),
        ("settings.py", "ROOT = '/v1'\nSHOP = ROOT + '/store'\n"),
    ]);
    assert_eq!(flask, ["GET /v1/store/cart", "POST /v1/store/pay"]);
    let express = endpoints(&[
        ("config.js", "module.exports = { api: { prefix: '/api' }, port: 80 };\n"),
        ("paths.ts", "export const USERS = '/users';\nexport enum Paths { Bills = '/bills' }\n"),
        (
            "app.ts",
            "import express from 'express';\nimport config from './config';\nimport { USERS, Paths } from './paths';\nimport users from './users';\nimport bills from './bills';\nconst V = '/v1';\n\
             const app = express();\napp.use(`${config.api.prefix}${V}` + USERS, users);\napp.use(Paths.Bills, bills);\napp.get(`${V}/health`, ok);\napp.get(`/x/${id}`, no);\napp.get(process.env.P, no);\n",
        ),
        ("users.ts", "import { Router } from 'express';\nconst r = Router();\nr.get('/:id', one);\nexport default r;\n"),
        ("bills.ts", "import { Router } from 'express';\nconst r = Router();\nr.get('/', all);\nexport default r;\n"),
    ]);
    assert_eq!(express, ["GET /api/v1/users/:id", "GET /bills", "GET /v1/health"]);
    let rust = "use axum::{Router, routing::get};\nconst API: &str = \"/api\";\nfn main() { let users = Router::new().route(\"/u\", get(u)); let app = Router::new().nest(API, users); }\n";
    assert_eq!(endpoints(&[("src/main.rs", rust)]), ["GET /api/u"]);
}

#[test]
fn every_router_that_is_mounted_at_one_path_is_below_it() {
    let router = |name: &str| format!("from fastapi import APIRouter\nrouter = APIRouter()\n@router.get('/{name}')\ndef {name}(): pass\n");
    let found = endpoints(&[
        (
            "api.py",
            "from fastapi import APIRouter\nfrom . import users, bills\napi = APIRouter(prefix='/api')\napi.include_router(users.router)\napi.include_router(bills.router)\n",
        ),
        ("users.py", &router("users")),
        ("bills.py", &router("bills")),
    ]);
    assert_eq!(found, ["GET /api/bills", "GET /api/users"]);
}

const GIN: &str = "package users\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc Register(r *gin.RouterGroup) {\n\tr.GET(\"\", list)\n\tr.GET(\"/:id\", one)\n\tadmin := r.Group(\"/admin\")\n\tadmin.DELETE(\"/:id\", gone)\n}\n\n\
                   func Twice(public, private *gin.RouterGroup) {\n\tpublic.GET(\"/in\", in)\n\tprivate.GET(\"/out\", out)\n}\n\n\
                   type Handler struct{}\n\nfunc New() *Handler { return &Handler{} }\n\nfunc (h *Handler) Routes(r gin.IRouter) { r.POST(\"/h\", h.Post) }\n";

#[test]
fn a_go_router_is_below_the_group_that_its_function_is_handed() {
    let found = endpoints(&[
        (
            "cmd/server/main.go",
            "package main\n\nimport (\n\t\"github.com/acme/pay/internal/users\"\n\t\"github.com/gin-gonic/gin\"\n)\n\nconst base = \"/api\"\n\nfunc main() {\n\tr := gin.Default()\n\tv1 := r.Group(base + \"/v1\")\n\t\
             users.Register(v1.Group(\"/users\"))\n\tusers.Twice(v1, r.Group(\"/private\"))\n\th := users.New()\n\th.Routes(v1)\n\tlocal(v1.Group(\"/local\").Use(auth))\n\tr.GET(\"/health\", ok)\n}\n\n\
             func local(g gin.IRoutes) {\n\tg.GET(\"/x\", x)\n}\n\nfunc other(g gin.IRoutes) {\n\tg.GET(\"/x\", x)\n}\n",
        ),
        ("internal/users/routes.go", GIN),
        (
            "old/users/routes.go",
            "package users\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc Register(r *gin.RouterGroup) {\n\tr.GET(\"/old\", old)\n}\n",
        ),
    ]);
    let expected = [
        "DELETE /api/v1/users/admin/:id",
        "GET /api/v1/in",
        "GET /api/v1/local/x",
        "GET /api/v1/users",
        "GET /api/v1/users/:id",
        "GET /health",
        "GET /old",
        "GET /private/out",
        "GET /x",
        "POST /api/v1/h",
    ];
    assert_eq!(found, expected);
    let chi = endpoints(&[
        (
            "main.go",
            "package main\n\nimport (\n\t\"acme/admin\"\n\t\"acme/shop\"\n\t\"github.com/go-chi/chi/v5\"\n)\n\nfunc main() {\n\tr := chi.NewRouter()\n\tr.Route(\"/api\", func(r chi.Router) {\n\t\tr.Use(auth)\n\t\tr.Mount(\"/admin\", admin.Router())\n\t\t\
             r.Group(func(r chi.Router) {\n\t\t\tr.With(paged).Get(\"/list\", list)\n\t\t})\n\t\tr.Route(\"/shop\", shop.Routes)\n\t\ts := &shop.Server{}\n\t\tr.Mount(\"/bills\", s.Bills())\n\t})\n\tsub := chi.NewRouter()\n\tsub.Get(\"/s\", s)\n\tr.Mount(\"/sub\", sub)\n\tr.Method(\"PUT\", \"/put\", put)\n}\n",
        ),
        (
            "admin/admin.go",
            "package admin\n\nimport \"github.com/go-chi/chi/v5\"\n\nfunc Router() http.Handler {\n\tr := chi.NewRouter()\n\tr.Get(\"/\", index)\n\tr.Route(\"/{id}\", func(r chi.Router) {\n\t\tr.Delete(\"/\", gone)\n\t})\n\treturn r\n}\n",
        ),
        (
            "shop/shop.go",
            "package shop\n\nimport \"github.com/go-chi/chi/v5\"\n\ntype Server struct{}\n\nfunc Routes(r chi.Router) { r.Get(\"/cart\", cart) }\n\nfunc (s *Server) Bills() chi.Router {\n\tr := chi.NewRouter()\n\tr.Get(\"/{id}\", s.one)\n\treturn r\n}\n",
        ),
    ]);
    let expected = [
        "DELETE /api/admin/{id}/",
        "GET /api/admin/",
        "GET /api/bills/{id}",
        "GET /api/list",
        "GET /api/shop/cart",
        "GET /sub/s",
        "PUT /put",
    ];
    assert_eq!(chi, expected);
    let standard = "package main\n\nimport \"net/http\"\n\nfunc main() {\n\tmux := http.NewServeMux()\n\tapi := http.NewServeMux()\n\tapi.HandleFunc(\"GET /users\", users)\n\tmux.Handle(\"/api/\", http.StripPrefix(\"/api\", api))\n\t\
                    mux.Handle(\"/files/\", http.StripPrefix(\"/files/\", http.FileServer(dir)))\n}\n";
    assert_eq!(endpoints(&[("main.go", standard)]), ["ANY /files/", "GET /api/users"]);
}

#[test]
fn groups_of_one_name_in_two_go_functions_are_two() {
    let source = "package web\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc a(r *gin.Engine) {\n\tg := r.Group(\"/a\")\n\tg.GET(\"/x\", x)\n}\n\nfunc b(r *gin.Engine) {\n\tg := r.Group(\"/b\")\n\tg.GET(\"/y\", y)\n}\n";
    assert_eq!(endpoints(&[("web.go", source)]), ["GET /a/x", "GET /b/y"]);
}

#[test]
fn a_router_of_a_script_is_found_through_the_files_that_hand_it_on() {
    let router = |path: &str, export: &str| {
        format!("import {{ Router }} from 'express';\nconst router = Router();\nrouter.get('{path}', one);\n{export}\n")
    };
    let found = endpoints(&[
        (
            "src/app.ts",
            "import express from 'express';\nimport { users, bills, cart as basket } from './routes';\nimport all from '@/routes/all';\nimport * as more from './routes/more';\nconst app = express();\n\
             app.use('/users', users);\napp.use('/bills', auth, bills);\napp.use('/cart', basket);\napp.use('/pay', all.pay);\napp.use('/more', more.default);\n",
        ),
        (
            "src/routes/index.ts",
            "import shop from './shop';\nexport { default as users } from './users';\nexport * from './bills';\nexport { shop as cart };\n",
        ),
        ("src/routes/all.ts", "import pay from './pay';\nexport default { pay };\n"),
        ("src/routes/users.ts", &router("/u", "export default router;")),
        ("src/routes/bills.ts", &router("/b", "export { router as bills };")),
        ("src/routes/shop.ts", &router("/s", "export default router;")),
        ("src/routes/pay.ts", &router("/p", "export default router;")),
        ("src/routes/more.ts", &router("/m", "export default router;")),
    ]);
    assert_eq!(found, ["GET /bills/b", "GET /cart/s", "GET /more/m", "GET /pay/p", "GET /users/u"]);
    let required = endpoints(&[
        (
            "app.js",
            "const express = require('express');\nconst routes = require('./routes');\nconst { bills } = require('./routes');\nconst app = express();\napp.use('/users', routes.users);\napp.use('/bills', bills);\nrequire('./late')(app);\n",
        ),
        ("routes/index.js", "const bills = require('./bills');\nmodule.exports = { users: require('./users'), bills };\n"),
        ("routes/users.js", "const router = require('express').Router();\nrouter.get('/u', one);\nmodule.exports = router;\n"),
        ("routes/bills.js", "const router = require('express').Router();\nrouter.get('/b', one);\nmodule.exports = router;\n"),
        ("late.js", "const express = require('express');\nmodule.exports = function (app) { app.get('/late', late); };\n"),
    ]);
    assert_eq!(required, ["GET /bills/b", "GET /late", "GET /users/u"]);
}

#[test]
fn a_function_that_returns_or_gets_a_router_serves_below_it() {
    let found = endpoints(&[
        (
            "src/app.ts",
            "import express from 'express';\nimport routes from './api';\nimport { createAdmin } from './admin';\nconst app = express();\napp.use('/api', routes());\napp.use('/admin', createAdmin(db));\n",
        ),
        (
            "src/api/index.ts",
            "import { Router } from 'express';\nimport auth from './auth';\nimport { users } from './users';\nexport default () => {\n  const app = Router();\n  auth(app);\n  users(app);\n  return app;\n};\n",
        ),
        (
            "src/api/auth.ts",
            "import { Router } from 'express';\nconst route = Router();\nexport default (app: Router) => {\n  app.use('/auth', route);\n  route.post('/in', x);\n};\n",
        ),
        ("src/api/users.ts", "import { Router } from 'express';\nexport function users(router: Router) {\n  router.get('/users', x);\n}\n"),
        (
            "src/admin.ts",
            "import { Router } from 'express';\nexport function createAdmin(db) {\n  const router = Router();\n  router.get('/stats', x);\n  return router;\n}\n",
        ),
    ]);
    assert_eq!(found, ["GET /admin/stats", "GET /api/users", "POST /api/auth/in"]);
}

#[test]
fn rocket_routes_are_below_the_mounts_of_other_files() {
    let found = endpoints(&[
        (
            "src/main.rs",
            "use rocket::routes;\nmod users;\nmod bills;\nmod inner {\n    #[rocket::get(\"/in\")]\n    fn within() {}\n}\n\
             #[rocket::launch]\nfn rocket() -> _ { rocket::build().mount(\"/users\", routes![users::list, users::one]).mount(\"/bills\", bills::routes()).mount(\"/inner\", routes![inner::within]) }\n",
        ),
        ("src/users.rs", "use rocket::get;\n#[get(\"/\")]\npub fn list() {}\n#[get(\"/<id>\")]\npub fn one() {}\n"),
        (
            "src/bills/mod.rs",
            "use rocket::{get, routes, Route};\n#[get(\"/<id>\")]\nfn one() {}\npub fn routes() -> Vec<Route> { routes![one] }\n",
        ),
    ]);
    assert_eq!(found, ["GET /bills/<id>", "GET /inner/in", "GET /users", "GET /users/<id>"]);
    let axum = endpoints(&[
        ("src/main.rs", "use axum::Router;\nmod routes;\nfn main() { let app = Router::new().nest(\"/users\", routes::user_routes()); }\n"),
        ("src/routes/mod.rs", "mod users;\npub use users::router as user_routes;\n"),
        (
            "src/routes/users.rs",
            "use axum::{Router, routing::get};\npub fn router() -> Router { Router::new().route(\"/{id}\", get(one)) }\n",
        ),
    ]);
    assert_eq!(axum, ["GET /users/{id}"]);
}
