//! What worked as a part of what failed.

use super::*;

#[test]
fn a_part_of_the_checks_mends_nothing_and_other_circumstances_do() {
    let error = Some("error: 3 tests failed in a.test.js");
    for (failed, worked) in [
        ("npm test", "npm test -- -t refund"),
        ("go test ./...", "go test -run TestRefund ./..."),
        ("go test ./...", "go test -short ./..."),
        ("mvn test", "mvn test -Dtest=RefundTest"),
        ("gradle test", "gradle test --tests RefundTest"),
        ("dotnet test", "dotnet test --filter Category!=Slow"),
        ("cargo test", "cargo test --lib"),
        ("cargo test", "cargo test -p pay"),
        ("mix test", "mix test --only pay"),
        ("pytest", "python -m pytest --maxfail=1 -x tests/pay"),
        ("pytest", "pytest --lf"),
        ("npx eslint .", "npx eslint . --quiet"),
        ("cargo clippy", "cargo clippy -- -A warnings"),
        ("terraform apply", "terraform apply -target=module.web"),
        ("docker compose up", "docker compose up --no-deps web"),
        ("npm run build", "npm run build --if-present"),
        ("mvn verify", "mvn verify -Dmaven.test.failure.ignore=true"),
        ("rspec", "rspec --tag ~slow"),
        ("bundle install", "bundle install --without test"),
        ("yarn install --frozen-lockfile", "yarn install"),
        ("cargo build --locked", "cargo build"),
        ("npm install", "npm install --force"),
        ("composer install", "composer install --no-scripts"),
        ("terraform apply", "terraform apply -lock=false"),
        ("kubectl apply -f a.yaml", "kubectl apply -f a.yaml --validate=false"),
        ("ansible-playbook a.yml", "ansible-playbook a.yml --check"),
        ("docker build .", "docker build . --build-arg SKIP_TESTS=1"),
        ("pytest tests/", "pytest tests/unit"),
        ("pytest tests/a.py tests/b.py", "pytest tests/b.py"),
        ("mvn -pl api test", "mvn -pl core test"),
        ("go vet ./...", "go vet ./cart"),
        ("go build ./...", "go build ./cart"),
        ("bazel test //...", "bazel test //shop:unit"),
        ("cargo build --workspace", "cargo build -p core"),
        ("helm lint a b", "helm lint b"),
        ("npx prettier --check .", "npx prettier --check src/b.ts"),
        ("pre-commit run --all-files", "pre-commit run --files README.md"),
        ("npx jest src/i18n", "npx jest --clearCache"),
        ("npx tsc -p .", "npx tsc --init"),
        ("npx tsc -p .", "npx tsc -p . --strict=false"),
        ("npx eslint . --max-warnings 0", "npx eslint . --max-warnings 50"),
        ("terraform validate", "terraform validate -json modules/net"),
        ("npx cypress run", "npx cypress run --spec cypress/e2e/home.cy.ts"),
        ("npm audit", "npm audit --audit-level=critical"),
        ("vendor/bin/phpstan analyse", "vendor/bin/phpstan analyse --level 0"),
        ("dbt run", "dbt run --select customers"),
        ("docker build .", "docker build . --target deps"),
        ("ansible-playbook a.yml", "ansible-playbook a.yml --syntax-check"),
        ("cargo publish", "cargo publish --allow-dirty"),
        ("npm run build", "CI=false npm run build"),
    ] {
        let lessons = told(vec![ran(failed, error), ran(failed, error), ran(worked, None)]).0;
        assert!(lessons.iter().all(|lesson| lesson.ends_with("nothing mended it")), "{worked}: {lessons:?}");
    }
    for (failed, worked) in [
        ("npm test", "npm test -- --runInBand"),
        ("cargo test", "cargo test -- --test-threads 1"),
        ("php artisan test", "php artisan test --env=testing"),
        ("gradle test", "JAVA_HOME=/usr/lib/jvm/17 gradle test --offline"),
        ("npx eslint .", "npx eslint . --fix"),
        ("rspec", "bundle exec rspec"),
        ("npm install", "npm install --legacy-peer-deps"),
    ] {
        let lessons = told(vec![ran(failed, error), ran(failed, error), ran(worked, None)]).0;
        assert_eq!(lessons, [format!("`{failed}` failed 2 times (error: 3 tests failed in a.test.js) and worked as `{worked}`")]);
    }
}

#[test]
fn what_the_error_says_is_not_there_is_called_otherwise() {
    for (failed, error, worked) in [
        (
            "cargo build --features pg",
            "error: package shop does not exist with feature `pg`: unknown feature pg",
            "cargo build --features sqlite",
        ),
        ("cargo build", "error: linker failed", "cargo build --features vendored"),
    ] {
        let lessons = told(vec![ran(failed, Some(error)), ran(failed, Some(error)), ran(worked, None)]).0;
        assert!(lessons.len() == 1 && lessons[0].ends_with(&format!("worked as `{worked}`")), "{worked}: {lessons:?}");
    }
}

#[test]
fn a_part_that_works_does_not_hide_what_mended_the_whole() {
    let error = Some("E   assert 3 == 4");
    let whole = || ran("pytest tests/", error);
    let steps = vec![whole(), whole(), ran("pytest tests/unit", None), edited("src/geo.py"), ran("pytest tests/", None)];
    assert_eq!(told(steps).0, ["`pytest tests/` failed 2 times (E   assert 3 == 4) and passed after src/geo.py was changed"]);
}
