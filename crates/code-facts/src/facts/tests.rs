mod across;
mod elsewhere;
mod endless;
mod handed;
mod jvm;
mod manifests;
mod mounts;

use super::*;

/// Facts as `kind subject = value @ line`; what only another file can make one, and routers for others, state nothing by themselves.
fn said(path: &str, source: &str) -> Vec<String> {
    let by_itself = |fact: &FoundFact| fact.kind != FactKind::Router && !fact.router.as_ref().is_some_and(|router| router.supposed);
    let said = |fact: FoundFact| format!("{} {} = {} @ {}", fact.kind.as_str(), fact.subject, fact.value, fact.line);
    facts(path, source).into_iter().filter(by_itself).map(said).collect()
}

fn expect(path: &str, source: &str, expected: &[&str]) {
    let (mut found, mut expected) = (said(path, source), expected.to_vec());
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected, "{path}");
}

#[test]
fn a_cargo_manifest_tells_what_is_needed_and_what_is_built() {
    expect(
        "Cargo.toml",
        "[package]\nname = \"pay\"\n\n[dependencies]\nserde = \"1\"\naxum = { version = \"0.8\", features = [\"ws\"] }\nlocal = { path = \"../local\" }\n\
         short.workspace = true\nnick = { package = \"real-name\", version = \"2\" }\n\n[dev-dependencies.rocket]\nversion = \"0.5\"\n\n\
         [target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n\n[[bin]]\nname = \"payd\"\npath = \"src/daemon.rs\"\n",
        &[
            "test_command cargo tests = cargo test @ 1",
            "build_command cargo build = cargo build @ 1",
            "dependency serde = 1 @ 5",
            "framework Axum = 0.8 @ 6",
            "dependency axum = 0.8 @ 6",
            "dependency local = any @ 7",
            "dependency short = workspace @ 8",
            "dependency real-name = 2 @ 9",
            "dependency rocket = 0.5 @ 11",
            "dependency libc = 0.2 @ 15",
            "entry_point payd = src/daemon.rs @ 18",
        ],
    );
    expect(
        "crates/a/Cargo.toml",
        "[workspace.dependencies]\na = \"1\"\nb = oops\nc = \"3\"\n",
        &[
            "test_command cargo tests in crates/a = cargo test --manifest-path crates/a/Cargo.toml @ 1",
            "build_command cargo build in crates/a = cargo build --manifest-path crates/a/Cargo.toml @ 1",
            "workspace cargo workspace = crates/a/Cargo.toml @ 1",
            "dependency a = 1 @ 2",
            "dependency c = 3 @ 4",
        ],
    );
}

#[test]
fn a_package_of_node_tells_its_scripts_and_where_it_begins() {
    expect(
        "package.json",
        "{\n  \"name\": \"@shop/pay\",\n  \"main\": \"./lib/index.js\",\n  \"bin\": \"cli.js\",\n  \"scripts\": { \"test\": \"vitest run\", \"build\": \"tsc\" },\n  \
         \"dependencies\": {\n    \"react\": \"^19.0.0\",\n    \"left\": \"*\"\n  },\n  \"devDependencies\": { \"express\": \"5\", \"react\": \"^18\" }\n}\n",
        &[
            "entry_point main = lib/index.js @ 3",
            "entry_point pay = cli.js @ 4",
            "test_command npm tests = npm test @ 5",
            "build_command npm build = npm run build @ 5",
            "framework React = ^19.0.0 @ 7",
            "dependency react = ^19.0.0 @ 7",
            "dependency left = any @ 8",
            "dependency express = 5 @ 10",
        ],
    );
    expect(
        "web/package.json",
        "{\"packageManager\": \"pnpm@9.1.0\", \"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\", \"build\": \"vite build\"}, \"dependencies\": {\"a\": \"1\",",
        &["build_command pnpm build in web = pnpm --dir web run build @ 1", "dependency a = 1 @ 1", "tool pnpm = web/package.json @ 1"],
    );
}

#[test]
fn python_manifests_tell_what_is_needed() {
    expect(
        "pyproject.toml",
        "[project]\nname = \"pay\"\ndependencies = [\n  \"flask>=2,<4\",\n  \"requests[socks] == 2.31 ; python_version > '3'\",\n]\n\n\
         [project.optional-dependencies]\ntest = [\"pytest\"]\n\n[project.scripts]\npay = \"pay.cli:main\"\n\n[build-system]\nrequires = [\"hatchling\"]\n",
        &[
            "framework Flask = >=2, <4 @ 4",
            "dependency flask = >=2, <4 @ 4",
            "dependency requests = ==2.31 @ 5",
            "dependency pytest = any @ 9",
            "test_command Python tests = pytest @ 9",
            "entry_point pay = pay.cli:main @ 12",
            "build_command Python build = python -m build @ 14",
        ],
    );
    expect(
        "pyproject.toml",
        "[tool.poetry.dependencies]\npython = \"^3.11\"\ndjango = { version = \"^5\", optional = true }\n\n[tool.poetry.group.dev.dependencies]\nblack = \"*\"\n\n\
         [build-system]\nbuild-backend = \"poetry.core.masonry.api\"\n\n[tool.pytest.ini_options]\n",
        &[
            "framework Django = ^5 @ 3",
            "dependency django = ^5 @ 3",
            "dependency black = any @ 6",
            "build_command Python build = poetry build @ 8",
            "test_command Python tests = pytest @ 11",
        ],
    );
    expect(
        "requirements/dev.txt",
        "# tools\n-r base.txt\n--index-url https://x.y/z\n-e git+https://a/b#egg=c\nDjango==4.2  # held\nruff\nuvloop ; sys_platform != 'win32'\nblack==24 \\\n    --hash=sha256:00\nours @ https://a/b.whl\n./local\n",
        &[
            "framework Django = ==4.2 @ 5",
            "dependency Django = ==4.2 @ 5",
            "dependency ruff = any @ 6",
            "dependency uvloop = any @ 7",
            "dependency black = ==24 @ 8",
            "dependency c = git+https://a/b @ 4",
            "dependency ours = https://a/b.whl @ 10",
        ],
    );
}

#[test]
fn a_go_module_tells_what_it_needs_itself() {
    expect(
        "go.mod",
        "module example.com/pay\n\ngo 1.22\n\nrequire github.com/gin-gonic/gin v1.10.0\n\nrequire (\n\tgithub.com/labstack/echo/v4 v4.12.0\n\t\
         golang.org/x/net v0.1.0 // indirect\n)\n\nreplace github.com/a/b => ../b\n",
        &[
            "test_command go tests = go test ./... @ 1",
            "build_command go build = go build ./... @ 1",
            "framework Gin = v1.10.0 @ 5",
            "dependency github.com/gin-gonic/gin = v1.10.0 @ 5",
            "framework Echo = v4.12.0 @ 8",
            "dependency github.com/labstack/echo/v4 = v4.12.0 @ 8",
        ],
    );
}

#[test]
fn python_tells_endpoints_of_the_framework_that_it_imports() {
    expect(
        "app.py",
        "import os, yaml\nfrom . import local\nfrom flask import Flask, Blueprint\n\napp = Flask(__name__)\napi = Blueprint('api', __name__, url_prefix='/api')\n\n\
         # @app.route('/commented')\nS = \"@app.route('/quoted')\"\n\n@app.route('/')\ndef home():\n    return ''\n\n@api.route('/pay', methods=['POST', 'PUT'])\n@login\n\
         def pay():\n    pass\n\n@mock.patch('x.y')\ndef other(): pass\n\nif __name__ == '__main__':\n    app.run()\n",
        &[
            "dependency PyYAML = any @ 1",
            "framework Flask = any @ 3",
            "dependency flask = any @ 3",
            "endpoint GET / = home @ 11",
            "endpoint POST /api/pay = pay @ 15",
            "endpoint PUT /api/pay = pay @ 15",
            "entry_point app.py = __main__ @ 23",
        ],
    );
    expect(
        "api/main.py",
        "from fastapi import APIRouter\nrouter = APIRouter(prefix=\"/users\")\n\n@router.get(\"\")\nasync def users(): ...\n\n@router.delete(\"/{id}\", status_code=204)\nasync def gone(id: int): ...\n",
        &[
            "framework FastAPI = any @ 1",
            "dependency fastapi = any @ 1",
            "endpoint GET /users = users @ 4",
            "endpoint DELETE /users/{id} = gone @ 7",
        ],
    );
    expect(
        "shop/urls.py",
        "from django.urls import path, include\nfrom . import views\nurlpatterns = [\n    path('admin/', admin.site.urls),\n    path('pay/<int:id>/', views.Pay.as_view(), name='pay'),\n    path('x/', include('x.urls')),\n]\n",
        &[
            "framework Django = any @ 1",
            "dependency django = any @ 1",
            "endpoint ANY /pay/<int:id>/ = views.Pay @ 5",
            "mount /x/ = x/urls#urlpatterns @ 6",
        ],
    );
    expect("plain.py", "@app.route('/x')\ndef x(): pass\n", &[]);
    expect("tests/test_app.py", "from flask import Flask\n@app.route('/x')\ndef x(): pass\n", &[]);
}

#[test]
fn scripts_tell_endpoints_of_routers() {
    expect(
        "server.js",
        "const express = require('express');\nconst fs = require('node:fs');\nconst { Router } = require('express');\nconst app = express();\nconst r = Router();\n\n\
         // app.get('/commented', x)\napp.get('/users', auth, users.list);\napp.get('env');\nmap.get('/no', 1);\nr.route('/a').get(one).post((req, res) => res.end());\n",
        &[
            "framework Express = any @ 1",
            "dependency express = any @ 1",
            "endpoint GET /users = users.list @ 8",
            "endpoint GET /a = one @ 11",
            "endpoint POST /a = inline handler @ 11",
        ],
    );
    expect(
        "src/routes.ts",
        "import Fastify, { type FastifyInstance } from 'fastify'\nimport x from '@/lib/x'\nimport y from './y'\nexport default async function (fastify: FastifyInstance) {\n  fastify.post<{ Body: X }>('/pay', async () => {})\n  \
         fastify.route({ method: ['GET', 'HEAD'], url: '/all', handler: all })\n}\n",
        &[
            "framework Fastify = any @ 1",
            "dependency fastify = any @ 1",
            "endpoint POST /pay = inline handler @ 5",
            "endpoint GET /all = all @ 6",
            "endpoint HEAD /all = all @ 6",
        ],
    );
    expect(
        "src/cats.controller.ts",
        "import { Controller, Get } from '@nestjs/common';\n\n@Controller('cats')\nexport class Cats {\n  @Get(':id')\n  @Auth()\n  find() {}\n}\n\n@Controller()\nexport class Dogs {\n  @Get('dogs')\n  all() {}\n}\n",
        &[
            "endpoint GET ⟨#app.setGlobalPrefix⟩/dogs = all @ 12",
            "framework NestJS = any @ 1",
            "dependency @nestjs/common = any @ 1",
            "endpoint GET ⟨#app.setGlobalPrefix⟩/cats/:id = find @ 5",
        ],
    );
    expect(
        "app/api/(shop)/pay/[id]/route.ts",
        "import { NextResponse } from 'next/server'\nexport async function GET() {}\nexport const POST = handler\nexport const other = 1\n",
        &[
            "framework Next.js = any @ 1",
            "dependency next = any @ 1",
            "endpoint GET /api/pay/[id] = GET @ 2",
            "endpoint POST /api/pay/[id] = POST @ 3",
        ],
    );
    let exported = "export const GET = list;\nexport async function load() {}\n";
    expect("web/src/routes/(app)/api/pay/[id]/+server.ts", exported, &["endpoint GET /api/pay/[id] = GET @ 1"]);
    expect("web/src/routes/pay/+page.server.ts", exported, &[]);
}

#[test]
fn rust_tells_endpoints_and_where_a_program_begins() {
    expect(
        "src/main.rs",
        "use axum::{Router, routing::{get, post}};\n\nasync fn main() {\n    let app = Router::new()\n        .route(\"/users\", get(list).post(add))\n        .route(\"/x\", axum::routing::delete(|| async {}));\n    // .route(\"/no\", get(no))\n}\n",
        &[
            "framework Axum = any @ 1",
            "entry_point src/main.rs = main @ 3",
            "endpoint GET /users = list @ 5",
            "endpoint POST /users = add @ 5",
            "endpoint DELETE /x = inline handler @ 6",
        ],
    );
    expect(
        "src/web.rs",
        "use actix_web::{get, web};\n\n/// Says hello.\n#[get(\"/hello/{name}\")]\n#[cfg(unix)]\nasync fn hello() {}\n\nfn all(c: &mut C) {\n    c.service(web::resource(\"/r\").route(web::get().to(read)))\n        .route(\"/w\", web::post().to(write))\n        .service(web::scope(\"/a\").service(web::scope(\"b\").route(\"\", get().to(x)).route(\"/c\", put().to(y))));\n}\n",
        &[
            "framework Actix Web = any @ 1",
            "endpoint GET /hello/{name} = hello @ 4",
            "endpoint GET /r = read @ 9",
            "endpoint POST /w = write @ 10",
            "endpoint GET /a/b = x @ 11",
            "endpoint PUT /a/b/c = y @ 11",
        ],
    );
    expect(
        "src/nested.rs",
        "use axum::Router;\nfn all() -> Router {\n    Router::new().nest(\"/api\", Router::new().route(\"/x\", get(x)))\n}\n",
        &["framework Axum = any @ 1", "endpoint GET /api/x = x @ 3"],
    );
    expect("src/lib.rs", "fn main() {}\n#[get(\"/x\")]\nfn x() {}\n", &[]);
    expect("examples/a.rs", "use axum::Router;\nfn main() {}\n", &[]);
}

#[test]
fn go_tells_endpoints_with_what_stands_before_them() {
    expect(
        "cmd/pay/main.go",
        "package main\n\nimport (\n\t\"net/http\"\n\t\"github.com/gin-gonic/gin\"\n)\n\nfunc main() {\n\tr := gin.Default()\n\tv1 := r.Group(\"/v1\")\n\tv1.GET(\"/pay\", auth(), pay)\n\tr.POST(\"/x\", func(c *gin.Context) {})\n\t\
         http.HandleFunc(\"/plain\", plain)\n\tmux.HandleFunc(\"PUT /m\", m)\n\t// r.GET(\"/no\", no)\n}\n",
        &[
            "framework Gin = any @ 5",
            "entry_point cmd/pay/main.go = main @ 8",
            "endpoint GET /v1/pay = pay @ 11",
            "endpoint POST /x = inline handler @ 12",
            "endpoint ANY /plain = plain @ 13",
            "endpoint PUT /m = m @ 14",
        ],
    );
    expect(
        "web/routes.go",
        "package web\n\nimport \"github.com/go-chi/chi/v5\"\n\nfunc routes(r chi.Router) {\n\tr.Route(\"/users\", func(r chi.Router) {\n\t\tr.Get(\"/\", list)\n\t\tr.Delete(\"/{id}\", gone)\n\t})\n}\n",
        &["framework chi = any @ 3", "endpoint GET /users/ = list @ 7", "endpoint DELETE /users/{id} = gone @ 8"],
    );
    expect(
        "web/mux.go",
        "package web\n\nimport \"github.com/gorilla/mux\"\n\nfunc routes() {\n\tr := mux.NewRouter()\n\tr.HandleFunc(\"/a\", a).Methods(\"GET\", http.MethodPost)\n}\n",
        &["framework Gorilla Mux = any @ 3", "endpoint GET /a = a @ 7", "endpoint POST /a = a @ 7"],
    );
}

#[test]
fn what_is_not_the_projects_is_passed_over() {
    for path in [
        "node_modules/a/package.json",
        "vendor/x/go.mod",
        "a/.venv/lib/x.py",
        "tests/fixtures/package.json",
        "examples/a/Cargo.toml",
        "README.md",
        "notes.txt",
        "a/foo_test.go",
        "src/a.test.ts",
        "build.rs",
    ] {
        assert!(!reads(path), "{path}");
    }
    for path in ["package.json", "a/b/go.mod", "requirements.txt", "requirements-dev.txt", "requirements/base.txt", "src/App.tsx"] {
        assert!(reads(path), "{path}");
    }
}

const PATHS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "requirements.txt",
    "go.mod",
    "a.py",
    "src/main.rs",
    "main.go",
    "a.js",
    "app/route.ts",
    "a.tsx",
];

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 96, failure_persistence: None, ..Default::default() })]

    /// Whatever a file contains, its facts refer to existing lines.
    #[test]
    fn junk_is_read_without_a_panic(path in 0..PATHS.len(), junk in "[ -~äß\n\t\r\"'`{}()\\[\\]=@#/]{0,200}") {
        let lines = junk.lines().count().max(1);
        proptest::prop_assert!(facts(PATHS[path], &junk).iter().all(|fact| (1..=lines).contains(&(fact.line as usize))));
    }

    /// A source cut anywhere still yields what precedes the cut.
    #[test]
    fn cut_sources_are_read_without_a_panic(path in 0..PATHS.len(), at in 0usize..2_000) {
        let source = include_str!("tests.rs");
        let at = (0..=at).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0);
        for path in [PATHS[path], "x.py"] {
            for part in [&source[at..], &source[..at]] {
                let lines = part.lines().count().max(1);
                proptest::prop_assert!(facts(path, part).iter().all(|fact| (1..=lines).contains(&(fact.line as usize))));
            }
        }
    }
}

#[test]
fn what_is_nested_deeply_is_read() {
    for path in PATHS {
        for open in ["(", "[", "{", "{\"a\":", "f(", "a = [", "-"] {
            assert!(said(path, &open.repeat(5_000)).len() <= 1, "{path}: {open} is one line");
        }
    }
}
