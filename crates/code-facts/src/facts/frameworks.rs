//! Frameworks, by their packages.

use super::found::{ANY, DECLARED, FactKind, FoundFact, WRITTEN, file_name};

/// The origin of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ecosystem {
    DotNet,
    Go,
    Jvm,
    Node,
    Php,
    Python,
    Ruby,
    Rust,
}

impl Ecosystem {
    /// The ecosystem of the packages that a file names.
    pub(super) fn of(path: &str) -> Ecosystem {
        let name = file_name(path);
        match name.rsplit('.').next().unwrap_or_default() {
            "rs" => Ecosystem::Rust,
            "toml" if name == "Cargo.toml" => Ecosystem::Rust,
            "java" | "kts" | "gradle" => Ecosystem::Jvm,
            _ if matches!(name, "pom.xml" | "libs.versions.toml") => Ecosystem::Jvm,
            "csproj" | "fsproj" | "vbproj" | "props" => Ecosystem::DotNet,
            _ if name == "composer.json" => Ecosystem::Php,
            _ if name == "Gemfile" => Ecosystem::Ruby,
            "go" | "mod" => Ecosystem::Go,
            "py" | "pyi" | "toml" | "cfg" | "txt" => Ecosystem::Python,
            _ => Ecosystem::Node,
        }
    }
}

const PYTHON: &[(&str, &str)] = &[
    ("flask", "Flask"),
    ("fastapi", "FastAPI"),
    ("django", "Django"),
    ("djangorestframework", "Django REST framework"),
    ("starlette", "Starlette"),
    ("tornado", "Tornado"),
    // Only aiohttp's server counts: the rest is a client.
    ("aiohttp.web", "aiohttp"),
    ("sanic", "Sanic"),
    ("bottle", "Bottle"),
    ("quart", "Quart"),
    ("falcon", "Falcon"),
    ("pyramid", "Pyramid"),
    ("litestar", "Litestar"),
    ("streamlit", "Streamlit"),
    ("celery", "Celery"),
    ("scrapy", "Scrapy"),
];

const NODE: &[(&str, &str)] = &[
    ("express", "Express"),
    ("fastify", "Fastify"),
    ("koa", "Koa"),
    ("hono", "Hono"),
    ("@hapi/hapi", "hapi"),
    ("@nestjs/core", "NestJS"),
    ("@nestjs/common", "NestJS"),
    ("elysia", "Elysia"),
    ("react", "React"),
    ("preact", "Preact"),
    ("vue", "Vue"),
    ("svelte", "Svelte"),
    ("@sveltejs/kit", "SvelteKit"),
    ("solid-js", "Solid"),
    ("@angular/core", "Angular"),
    ("next", "Next.js"),
    ("nuxt", "Nuxt"),
    ("astro", "Astro"),
    ("@remix-run/react", "Remix"),
    ("gatsby", "Gatsby"),
    ("electron", "Electron"),
    ("react-native", "React Native"),
];

/// Frameworks that are declared as build tools, since they leave no runtime of their own.
const FOR_A_BUILD: &[&str] = &["svelte", "@sveltejs/kit", "electron", "astro", "nuxt"];

const RUST: &[(&str, &str)] = &[
    ("axum", "Axum"),
    ("actix-web", "Actix Web"),
    ("rocket", "Rocket"),
    ("warp", "Warp"),
    ("poem", "Poem"),
    ("salvo", "Salvo"),
    ("tide", "Tide"),
    ("tauri", "Tauri"),
    ("leptos", "Leptos"),
    ("yew", "Yew"),
    ("dioxus", "Dioxus"),
    ("bevy", "Bevy"),
];

const GO: &[(&str, &str)] = &[
    ("github.com/gin-gonic/gin", "Gin"),
    ("github.com/labstack/echo", "Echo"),
    ("github.com/gofiber/fiber", "Fiber"),
    ("github.com/go-chi/chi", "chi"),
    ("github.com/gorilla/mux", "Gorilla Mux"),
    ("github.com/beego/beego", "Beego"),
    ("github.com/julienschmidt/httprouter", "HttpRouter"),
    ("github.com/gobuffalo/buffalo", "Buffalo"),
];

/// By the group of their packages, or the name of their plugin for Gradle.
const JVM: &[(&str, &str)] = &[
    ("org.springframework.boot", "Spring Boot"),
    ("org.springframework", "Spring"),
    ("io.quarkus", "Quarkus"),
    ("io.quarkus.platform", "Quarkus"),
    ("io.micronaut", "Micronaut"),
    ("io.micronaut.application", "Micronaut"),
    ("io.micronaut.platform", "Micronaut"),
    ("io.ktor", "Ktor"),
    ("io.javalin", "Javalin"),
    ("io.vertx", "Vert.x"),
    ("io.dropwizard", "Dropwizard"),
    ("com.sparkjava", "Spark"),
    ("org.apache.struts", "Struts"),
    ("com.vaadin", "Vaadin"),
    ("com.android.application", "Android"),
    ("com.android.library", "Android"),
];

const PHP: &[(&str, &str)] = &[
    ("laravel/framework", "Laravel"),
    ("laravel/lumen-framework", "Lumen"),
    ("symfony/framework-bundle", "Symfony"),
    ("slim/slim", "Slim"),
    ("cakephp/cakephp", "CakePHP"),
    ("codeigniter4/framework", "CodeIgniter"),
    ("yiisoft/yii2", "Yii"),
    ("drupal/core", "Drupal"),
    ("drupal/core-recommended", "Drupal"),
    ("livewire/livewire", "Livewire"),
];

/// Packages, and the kits that projects are made with.
const DOT_NET: &[(&str, &str)] = &[
    ("Microsoft.NET.Sdk.Web", "ASP.NET Core"),
    ("Microsoft.NET.Sdk.BlazorWebAssembly", "Blazor WebAssembly"),
    ("Microsoft.AspNetCore.Components.WebAssembly", "Blazor WebAssembly"),
    ("Microsoft.Maui.Controls", ".NET MAUI"),
    ("Aspire.Hosting.AppHost", ".NET Aspire"),
    ("Avalonia", "Avalonia"),
    ("FastEndpoints", "FastEndpoints"),
];

const RUBY: &[(&str, &str)] =
    &[("rails", "Ruby on Rails"), ("sinatra", "Sinatra"), ("hanami", "Hanami"), ("roda", "Roda"), ("grape", "Grape"), ("jekyll", "Jekyll")];

/// Frameworks that are part of another, so that importing them only shows that one is used.
const PARTS: &[(&str, &str)] =
    &[("Starlette", "FastAPI"), ("Express", "NestJS"), ("React", "Next.js"), ("Vue", "Nuxt"), ("Spring", "Spring Boot")];

/// The framework that another is part of.
pub(super) fn whole_of(part: &str) -> Option<&'static str> {
    PARTS.iter().find(|(name, _)| *name == part).map(|(_, whole)| *whole)
}

/// The framework of a package.
pub(super) fn name_of(ecosystem: Ecosystem, package: &str) -> Option<&'static str> {
    let table = match ecosystem {
        Ecosystem::DotNet => DOT_NET,
        Ecosystem::Go => GO,
        Ecosystem::Jvm => JVM,
        Ecosystem::Node => NODE,
        Ecosystem::Php => PHP,
        Ecosystem::Python => PYTHON,
        Ecosystem::Ruby => RUBY,
        Ecosystem::Rust => RUST,
    };
    let package = match ecosystem {
        Ecosystem::Go => without_major(package).to_owned(),
        Ecosystem::Jvm => package.split(':').next().unwrap_or_default().to_owned(),
        Ecosystem::DotNet | Ecosystem::Node | Ecosystem::Php | Ecosystem::Ruby => package.to_owned(),
        // Both treat `-` and `_` as equal.
        Ecosystem::Python | Ecosystem::Rust => package.to_ascii_lowercase().replace('_', "-"),
    };
    table.iter().find(|(known, _)| *known == package).map(|(_, name)| *name)
}

/// The framework of a package declared in a manifest.
pub(super) fn declared(ecosystem: Ecosystem, package: &str, version: &str, line: u32) -> Option<FoundFact> {
    let version = FoundFact::dependency(package, version, line).value;
    name_of(ecosystem, package).map(|name| FoundFact::new(FactKind::Framework, name, version, line, DECLARED))
}

/// The framework of a Node package declared as a build tool.
pub(super) fn declared_for_a_build(package: &str, version: &str, line: u32) -> Option<FoundFact> {
    if FOR_A_BUILD.contains(&package) { declared(Ecosystem::Node, package, version, line) } else { None }
}

/// The framework that code imports.
pub(super) fn used(ecosystem: Ecosystem, package: &str, line: u32) -> Option<FoundFact> {
    name_of(ecosystem, package).map(|name| FoundFact::new(FactKind::Framework, name, ANY, line, WRITTEN))
}

/// The path of a Go package without its major version and subpackages: `github.com/labstack/echo/v4/middleware`.
fn without_major(package: &str) -> &str {
    let third = package.match_indices('/').nth(2).map_or(package.len(), |(at, _)| at);
    &package[..third]
}
