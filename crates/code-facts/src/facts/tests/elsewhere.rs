//! Routes whose file does not create their router: it imports the router from another file, or is passed it.

use super::across::endpoints;
use super::*;

#[test]
fn routes_on_the_router_of_another_file_are_below_its_paths() {
    let flask = [
        (
            "shop/__init__.py",
            "from flask import Flask\nfrom .api import api\nfrom .admin import admin\napp = Flask(__name__)\n\
             app.register_blueprint(api, url_prefix='/api/v1')\napp.register_blueprint(admin)\n",
        ),
        ("shop/api/__init__.py", "from flask import Blueprint\napi = Blueprint('api', __name__, url_prefix='/own')\nfrom . import carts\n"),
        (
            "shop/api/carts.py",
            "from . import api\n@api.route('/carts', methods=['GET', 'POST'])\ndef carts(): pass\n@api.get('')\ndef all(): pass\n",
        ),
        ("shop/admin/__init__.py", "from flask import Blueprint\nadmin = Blueprint('admin', __name__, url_prefix='/admin')\n"),
        ("shop/admin/views.py", "from flask import request\nfrom shop.admin import admin\n@admin.get('/users')\ndef users(): pass\n"),
        ("shop/views.py", "from flask import request\nfrom shop import app\n@app.route('/')\ndef home(): pass\n"),
        ("shop/cache.py", "from .store import cache\n@cache.get('/no')\ndef no(): pass\n"),
    ];
    assert_eq!(endpoints(&flask), ["GET /", "GET /admin/users", "GET /api/v1", "GET /api/v1/carts", "POST /api/v1/carts"]);
    let express = [
        ("app.js", "const express = require('express');\nconst app = express();\nmodule.exports = app;\n"),
        ("server.js", "const app = require('./app');\nconst api = require('./api');\napp.use('/api', api.router);\napp.get('/up', up);\n"),
        ("api.js", "import { Router } from 'express';\nconst r = Router();\nexport const router = r;\n"),
        (
            "users.js",
            "import { router as users } from './api';\nusers.get('/users', list);\nconst db = require('./db');\ndb.get('/no', list);\n",
        ),
    ];
    assert_eq!(endpoints(&express), ["GET /api/users", "GET /up"]);
}

#[test]
fn functions_that_are_handed_a_router_tell_their_routes_where_they_are_mounted() {
    let fastify = [
        (
            "src/app.js",
            "import Fastify from 'fastify';\nimport items from './items.js';\nimport { stock } from './stock.js';\nconst fastify = Fastify();\n\
             fastify.register(items, { prefix: '/v1/items' });\nfastify.register(async function (api) {\n\
             api.register(stock, { prefix: '/stock' });\napi.get('/ping', async () => 'pong');\n}, { prefix: '/v1' });\n",
        ),
        (
            "src/items.js",
            "export default async function items(fastify, options) {\nfastify.get('/', options, list);\n\
             fastify.route({ method: ['PUT', 'PATCH'], url: '/:id', handler });\n}\n",
        ),
        ("src/stock.js", "export async function stock(app) {\napp.post('/adjust', { schema: {} }, adjust);\n}\n"),
        ("src/unused.js", "export default function unused(app) {\napp.get('/no', list);\n}\n"),
        ("src/client.js", "export function load(client) {\nclient.get('/no', done);\n}\n"),
    ];
    let expected = ["GET /v1/items", "GET /v1/ping", "PATCH /v1/items/:id", "POST /v1/stock/adjust", "PUT /v1/items/:id"];
    assert_eq!(endpoints(&fastify), expected);
    let rocket = [
        (
            "src/main.rs",
            "#[macro_use] extern crate rocket;\nmod pastes;\nfn main() { rocket::build().mount(\"/p\", routes![pastes::one]); }\n",
        ),
        ("src/pastes.rs", "#[get(\"/<id>\")]\npub fn one(id: u32) {}\n#[get(\"/no\")]\nfn no() {}\n"),
    ];
    assert_eq!(endpoints(&rocket), ["GET /p/<id>"]);
    let echo = [
        ("go.mod", "module example.com/a\n"),
        (
            "main.go",
            "package main\nimport (\n\"example.com/a/router\"\n\"example.com/a/users\"\n)\nfunc main() {\nr := router.New()\n\
             v1 := r.Group(\"/v1\")\nusers.Register(v1)\n}\n",
        ),
        (
            "router/router.go",
            "package router\nimport \"github.com/labstack/echo/v4\"\nfunc New() *echo.Echo {\ne := echo.New()\nreturn e\n}\n",
        ),
        (
            "users/users.go",
            "package users\nimport \"github.com/labstack/echo/v4\"\nfunc Register(g *echo.Group) {\ng.GET(\"/users\", list)\n}\n",
        ),
    ];
    assert_eq!(endpoints(&echo), ["GET /v1/users"]);
    let express = [
        ("index.js", "const express = require('express');\nconst app = express();\nrequire('./routes/users')(app);\n"),
        (
            "routes/users.js",
            "module.exports = (app, db) => {\napp.get('/users', list);\napp.route('/users/:id').get(show).put(auth(), change);\n};\n",
        ),
    ];
    assert_eq!(endpoints(&express), ["GET /users", "GET /users/:id", "PUT /users/:id"]);
}

#[test]
fn a_chain_begins_with_its_router_and_methods_can_be_several() {
    let hono = [
        (
            "index.ts",
            "import { Hono } from 'hono';\nimport { books } from './books';\nimport { authors } from './authors';\nconst app = new Hono();\n\
             app.basePath('/api').route('/authors', authors);\napp.route('/books', books);\n\
             app.on(['PUT', 'DELETE'], '/post', (c) => c.text('x'));\napp.on('PURGE', '/cache', purge);\nprocess.on('exit', '/no', end);\n",
        ),
        ("books.ts", "import { Hono } from 'hono';\nexport const books = new Hono().basePath('/all').get('/', list).post('/:id', add);\n"),
        ("authors.ts", "import { Hono } from 'hono';\nexport const authors = new Hono().basePath('/v1');\nauthors.get('/:name', one);\n"),
    ];
    let expected = ["DELETE /post", "GET /api/authors/v1/:name", "GET /books/all", "POST /books/all/:id", "PUT /post"];
    assert_eq!(endpoints(&hono), expected);
    let express = [(
        "users.ts",
        "import { Router } from 'express';\nimport * as ctrl from './ctrl';\nconst users = Router();\n\
         users.route('/').get(ctrl.list).post(check(ctrl.schema), ctrl.create);\nusers.get('/:id(\\\\d+)', one);\n",
    )];
    assert_eq!(endpoints(&express), ["GET /", "GET /:id(\\d+)", "POST /"]);
    let go = [(
        "main.go",
        "package main\nimport \"github.com/labstack/echo/v4\"\nfunc main() {\ne := echo.New()\n\
         e.Match([]string{\"GET\", http.MethodPost}, \"/both\", h.Both)\n}\n",
    )];
    assert_eq!(endpoints(&go), ["GET /both", "POST /both"]);
}

#[test]
fn conventions_of_frameworks_place_endpoints() {
    let nest = [
        (
            "src/main.ts",
            "import { NestFactory } from '@nestjs/core';\nasync function main() {\nconst app = await NestFactory.create(App);\n\
             app.setGlobalPrefix('api');\n}\n",
        ),
        (
            "src/cats.ts",
            "import { Controller, Get } from '@nestjs/common';\n@Controller({ path: 'cats', version: '1' })\nexport class Cats {\n\
             @Get(['live', 'ready'])\nlive() {}\n// Why so.\n@Get()\nall() {}\n}\n",
        ),
    ];
    assert_eq!(endpoints(&nest), ["GET /api/cats", "GET /api/cats/live", "GET /api/cats/ready"]);
    assert_eq!(endpoints(&nest[1..]), ["GET /cats", "GET /cats/live", "GET /cats/ready"]);
    let next = [
        ("app/api/a/route.ts", "export { GET, remove as DELETE } from './handlers';\n"),
        ("app/api/b/route.ts", "const handlers = make();\nexport const { GET, POST } = handlers;\nexport const runtime = 'edge';\n"),
    ];
    assert_eq!(endpoints(&next), ["DELETE /api/a", "GET /api/a", "GET /api/b", "POST /api/b"]);
    let django = [
        (
            "shop/urls.py",
            "from django.urls import include, path, re_path\nurlpatterns = [\npath('api/', include(('orders.urls', 'orders'), namespace='o')),\n\
             re_path(r'^feed/(?P<year>[0-9]{4})/$', views.feed),\nre_path(r'^old/', include('orders.old')),\n]\n",
        ),
        ("orders/urls.py", "from django.urls import path\nurlpatterns = [path('pay/', views.pay)]\n"),
        ("orders/old.py", "from django.conf.urls import url\nurlpatterns = [url(r'^pay/$', views.old)]\n"),
    ];
    assert_eq!(endpoints(&django), ["ANY /api/pay/", "ANY /feed/(?P<year>[0-9]{4})/", "ANY /old/pay/"]);
    let lists = [(
        "urls.py",
        "from django.urls import include, path\nmore = [path('credit/', views.credit), path('', views.more)]\nurlpatterns = [\n\
         path('<int:pk>/visits/', include([path('', views.visits), path('new/', views.add)])),\npath('extra/', include(more)),\n]\n\
         urlpatterns += [path('debug/', views.debug)]\n",
    )];
    let expected = ["ANY /<int:pk>/visits/", "ANY /<int:pk>/visits/new/", "ANY /debug/", "ANY /extra/", "ANY /extra/credit/"];
    assert_eq!(endpoints(&lists), expected);
    let actix = [(
        "src/main.rs",
        "use actix_web::{App, post, web};\n#[post(\"\")]\nasync fn add() {}\nfn main() { App::new().service(web::scope(\"/teams\").service(add)); }\n",
    )];
    assert_eq!(endpoints(&actix), ["POST /teams"]);
}

#[test]
fn classes_tell_the_methods_that_they_answer() {
    let source = "from flask import Flask\nfrom flask.views import MethodView\nfrom flask_restful import Api\nfrom .bills import Bills\n\
                  app = Flask(__name__)\napi = Api(app)\nclass Labels(MethodView):\n    def get(self, id): pass\n    @auth\n    def delete(self, id): pass\n\
                  app.add_url_rule('/labels/<id>', view_func=Labels.as_view('labels'))\napi.add_resource(Bills, '/bills', '/invoices')\n\
                  @ns.route('/pets')\nclass Pets(Resource):\n    def post(self): pass\n";
    let expected = ["ANY /bills", "ANY /invoices", "DELETE /labels/<id>", "GET /labels/<id>", "POST /pets"];
    assert_eq!(endpoints(&[("app.py", source)]), expected);
    let restx = "from flask import Blueprint, Flask\nfrom flask_restx import Api, Namespace\napp = Flask(__name__)\nbp = Blueprint('api', __name__, url_prefix='/api')\n\
                 api = Api(bp)\ncats = Namespace('cats')\ndogs = Namespace('dogs', path='/all-dogs')\n@cats.route('/<id>')\nclass Cat(Resource):\n    def get(self, id): pass\n\
                 @dogs.route('/')\nclass Dogs(Resource):\n    def post(self): pass\napi.add_namespace(cats)\napi.add_namespace(dogs, path='/dogs')\n\
                 app.register_blueprint(bp)\n";
    assert_eq!(endpoints(&[("app.py", restx)]), ["GET /api/cats/<id>", "POST /api/dogs/"]);
    let mounted = "from fastapi import FastAPI\napp = FastAPI()\nsub = FastAPI()\n@sub.get('/x')\ndef x(): pass\napp.mount('/sub', sub)\n";
    assert_eq!(endpoints(&[("main.py", mounted)]), ["GET /sub/x"]);
}

#[test]
fn what_is_needed_for_work_on_a_project_is_told_however_it_is_written() {
    expect(
        "pyproject.toml",
        "[tool.uv]\ndev-dependencies = [\"coverage>=7\"]\n[tool.pdm.dev-dependencies]\nlint = [\"ruff\"]\n",
        &["dependency coverage = >=7 @ 2", "dependency ruff = any @ 4"],
    );
    expect(
        "requirements.txt",
        "-e git+https://example.org/widgets.git@main#egg=widgets[all]\n--extra-index-url https://example.org/#egg=no\n-e .\n",
        &["dependency widgets = git+https://example.org/widgets.git@main @ 1"],
    );
    expect(
        "setup.cfg",
        "[metadata]\nname = acme\n[options]\npackages = find:\ninstall_requires =\n    flask>=2  # why\n    tomli; python_version < '3.11'\n\
         [options.extras_require]\ntest =\n    pytest\n[options.entry_points]\nconsole_scripts =\n    acme = acme.cli:main\n[flake8]\nextend-ignore =\n    E203\n",
        &[
            "framework Flask = >=2 @ 6",
            "dependency flask = >=2 @ 6",
            "dependency tomli = any @ 7",
            "dependency pytest = any @ 10",
            "test_command Python tests = pytest @ 10",
            "entry_point acme = acme.cli:main @ 13",
        ],
    );
}
