//! Java, and manifests of the JVM, PHP, .NET and Ruby.

use super::across::endpoints;
use super::*;

/// What a project of some files is told to be.
fn told(files: &[(&str, &str)]) -> Vec<String> {
    let found: Vec<(&str, Vec<FoundFact>)> = files.iter().map(|(path, source)| (*path, facts(path, source))).collect();
    let told = of_project(found.iter().map(|(path, facts)| (*path, facts.as_slice())));
    told.into_iter().map(|(_, fact)| format!("{} {} = {} @ {}", fact.kind.as_str(), fact.subject, fact.value, fact.line)).collect()
}

#[test]
fn endpoints_of_spring_are_below_the_path_of_their_class() {
    let begin = "package a;\nimport org.springframework.web.bind.annotation.*;\n";
    let class = "@RestController\n@RequestMapping(path = {\"/owners\", Paths.OLD})\nclass Owners {\n  private static final String ONE = \"/{id}\";\n\
                 @GetMapping\n  List<Owner> all() { return null; }\n  @GetMapping(ONE + \"/pets\")\n  Owner pets() { return null; }\n\
                 @RequestMapping(value = \"/find\", method = {RequestMethod.GET, RequestMethod.HEAD})\n  void find() {}\n\
                 @PostMapping(\"${owners.base}/x\")\n  void elsewhere() {}\n  // @PutMapping(\"/no\")\n  void no() {}\n}\n";
    let paths = ("Paths.java", "class Paths {\n  static final String OLD = \"/v1/owners\";\n}\n");
    let found = endpoints(&[("src/main/java/a/samples/Owners.java", &format!("{begin}{class}")), paths]);
    let expected = ["GET /owners", "GET /owners/find", "GET /owners/{id}/pets", "GET /v1/owners", "GET /v1/owners/find"];
    let expected = [&expected[..], &["GET /v1/owners/{id}/pets", "HEAD /owners/find", "HEAD /v1/owners/find"]].concat();
    assert_eq!(found, expected);
    // A client's interface, and annotations of the same names by others, serve nothing.
    let client = "@FeignClient(\"x\")\ninterface Client {\n  @GetMapping(\"/x\")\n  void x();\n}\n@Service class S {\n  @GetMapping(\"/y\") void y() {}\n}\n";
    assert_eq!(endpoints(&[("Client.java", &format!("{begin}{client}"))]), [""; 0]);
    assert_eq!(endpoints(&[("Other.java", class)]), [""; 0]);
}

#[test]
fn resources_of_jakarta_are_below_the_path_of_their_application() {
    let class = "import jakarta.ws.rs.*;\n@Path(\"owners\")\npublic class Owners {\n  @GET\n  public String all() { return \"\"; }\n\
                 @DELETE\n  @Path(\"{id}\")\n  public void gone() {}\n  public void helper() {}\n}\n";
    assert_eq!(endpoints(&[("Owners.java", class)]), ["DELETE /owners/{id}", "GET /owners"]);
    let application = "import jakarta.ws.rs.ApplicationPath;\n@ApplicationPath(\"/api\")\npublic class App extends Application {}\n";
    assert_eq!(endpoints(&[("Owners.java", class), ("App.java", application)]), ["DELETE /api/owners/{id}", "GET /api/owners"]);
}

#[test]
fn a_java_program_begins_where_its_main_method_is() {
    let main = "import org.springframework.boot.SpringApplication;\nclass App {\n  public static void main(String[] args) {}\n  void main() {}\n}\n";
    assert_eq!(told(&[("App.java", main)]), ["framework Spring Boot = any @ 1", "entry_point App.java = main @ 3"]);
    assert_eq!(told(&[("src/test/java/AppTest.java", main), ("AppTests.java", main)]), [""; 0]);
}

#[test]
fn a_pom_states_packages_with_its_properties_and_its_modules_are_built_with_it() {
    let pom = "<?xml version=\"1.0\"?>\n<!-- <dependency/> -->\n<project>\n<parent><groupId>org.springframework.boot</groupId>\n<artifactId>spring-boot-starter-parent</artifactId><version>3.4.0</version></parent>\n\
               <properties><caffeine.version>3.1.8</caffeine.version></properties>\n<modules><module>web</module></modules>\n<dependencies>\n\
               <dependency><groupId>com.github.ben-manes.caffeine</groupId><artifactId>caffeine</artifactId><version>${caffeine.version}</version></dependency>\n\
               <dependency>\n<groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-web</artifactId></dependency>\n\
               <dependency><groupId>${nobody}</groupId><artifactId>x</artifactId></dependency>\n<dependency><groupId>a</groupId><artifactId>b</artifactId><version>${c}</version>\n\
               <exclusions><exclusion><groupId>c</groupId><artifactId>d</artifactId></exclusion></exclusions></dependency>\n</dependencies>\n</project>\n";
    let module = "<project><dependencies><dependency><groupId>io.quarkus</groupId><artifactId>quarkus-rest</artifactId><scope>test</scope></dependency></dependencies></project>";
    let found = told(&[("pom.xml", pom), ("web/pom.xml", module), ("mvnw", "")]);
    let expected = [
        "dependency a:b = any @ 13",
        "dependency com.github.ben-manes.caffeine:caffeine = 3.1.8 @ 9",
        "dependency io.quarkus:quarkus-rest = any @ 1",
        "dependency org.springframework.boot:spring-boot-starter-web = any @ 10",
        "framework Spring Boot = 3.4.0 @ 4",
        "test_command Maven tests = ./mvnw test @ 3",
        "build_command Maven build = ./mvnw package @ 3",
    ];
    assert_eq!(found, expected);
    let alone = told(&[("a b/pom.xml", module)]);
    assert_eq!(
        alone[1..],
        [
            "test_command Maven tests in a b = mvn -f 'a b/pom.xml' test @ 1",
            "build_command Maven build in a b = mvn -f 'a b/pom.xml' package @ 1"
        ]
    );
}

#[test]
fn a_script_of_gradle_states_what_it_writes_out() {
    let groovy = "plugins {\n  id 'java'\n  id 'org.springframework.boot' version '3.4.0'\n}\n/* implementation 'a:no:1' */\ndependencies {\n\
                  implementation 'org.acme:pay:1.2' // \"why: http://x\"\n  testImplementation(\"org.acme:check:$v\")\n  runtimeOnly group: 'org.acme', name: 'old', version: '3'\n\
                  implementation project(':web')\n  implementation libs.other\n}\n";
    let settings = "rootProject.name = 'shop'\ninclude 'web'\n";
    let catalog = "[versions]\nktor = \"3.0\"\n[libraries]\nserver = { module = \"io.ktor:ktor-server\", version.ref = \"ktor\" }\nplain = \"a.b:c:1\"\n";
    let files = [("build.gradle", groovy), ("settings.gradle", settings), ("web/build.gradle.kts", "dependencies { api(\"a.b:d:2\") }\n")];
    let found = told(&[&files[..], &[("gradle/libs.versions.toml", catalog), ("gradlew", "")]].concat());
    let expected = [
        "dependency a.b:c = 1 @ 5",
        "dependency a.b:d = 2 @ 1",
        "dependency io.ktor:ktor-server = 3.0 @ 4",
        "dependency org.acme:check = any @ 8",
        "dependency org.acme:old = 3 @ 9",
        "dependency org.acme:pay = 1.2 @ 7",
        "framework Ktor = 3.0 @ 4",
        "framework Spring Boot = 3.4.0 @ 3",
        "test_command Gradle tests = ./gradlew test @ 1",
        "build_command Gradle build = ./gradlew build @ 1",
    ];
    assert_eq!(found, expected);
}

#[test]
fn manifests_of_php_dot_net_and_ruby_state_packages_frameworks_and_commands() {
    let composer = "{\"require\": {\"php\": \"^8.2\", \"ext-json\": \"*\", \"laravel/framework\": \"^12.0\"},\n\"require-dev\": {\"phpunit/phpunit\": \"^11\"}}";
    let expected = [
        "dependency laravel/framework = ^12.0 @ 1",
        "dependency phpunit/phpunit = ^11 @ 2",
        "framework Laravel = ^12.0 @ 1",
        "test_command PHP tests in api = cd api && vendor/bin/phpunit @ 2",
    ];
    assert_eq!(told(&[("api/composer.json", composer)]), expected);
    let scripted = composer.replacen('{', "{\"scripts\": {\"test\": \"pest\"}, ", 1);
    assert_eq!(told(&[("composer.json", &scripted)])[3], "test_command PHP tests = composer test @ 1");
    let web = "<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n<ItemGroup>\n<PackageReference Include=\"Dapper\" Version=\"2.1\" />\n\
               <PackageReference Include=\"Polly\"><Version>8.0</Version></PackageReference>\n<PackageReference Include=\"X\" Version=\"$(Y)\" />\n</ItemGroup>\n</Project>\n";
    let alone = told(&[("Web/Web.csproj", web)]);
    let expected =
        ["dependency Dapper = 2.1 @ 3", "dependency Polly = 8.0 @ 4", "dependency X = any @ 5", "framework ASP.NET Core = any @ 1"];
    assert_eq!(alone, [&expected[..], &["build_command .NET build of Web.csproj in Web = dotnet build Web/Web.csproj @ 1"]].concat());
    let solution = told(&[("Web/Web.csproj", web), ("Shop.sln", "")]);
    let commands = [".NET tests of Shop.sln = dotnet test Shop.sln @ 1", ".NET build of Shop.sln = dotnet build Shop.sln @ 1"];
    assert_eq!(solution[4..], [format!("test_command {}", commands[0]), format!("build_command {}", commands[1])]);
    let gemfile =
        "source \"https://rubygems.org\"\ngem \"rails\", \"~> 8.0\", \">= 8.0.1\"\n# gem \"no\"\ngem 'pg', require: false\ngemspec\n";
    let expected = ["dependency pg = any @ 4", "dependency rails = ~> 8.0, >= 8.0.1 @ 2", "framework Ruby on Rails = ~> 8.0, >= 8.0.1 @ 2"];
    assert_eq!(told(&[("Gemfile", gemfile)]), [&expected[..], &["test_command Ruby tests = bin/rails test @ 2"]].concat());
}

#[test]
fn a_broken_or_hostile_manifest_states_what_comes_before_its_fault() {
    let pom = "<project><dependencies><dependency><groupId>a</groupId><artifactId>b</artifactId></dependency><dependency><groupId>c</g";
    assert_eq!(told(&[("pom.xml", pom)])[0], "dependency a:b = any @ 1");
    for source in
        ["", "<", "<project", "</project>", "<project>&", "<!DOCTYPE x [<!ENTITY a \"b\">]><project>&a;</project>", "\u{0}<project/>"]
    {
        for path in
            ["pom.xml", "A.csproj", "Directory.Packages.props", "build.gradle", "composer.json", "Gemfile", "A.java", "libs.versions.toml"]
        {
            facts(path, source);
        }
    }
    let deep = "<a>".repeat(200_000);
    facts("pom.xml", &format!("<project>{deep}"));
    let many = "<PackageReference Include=\"a\"/>".repeat(20_000);
    assert!(facts("A.csproj", &format!("<Project>{many}</Project>")).len() <= 2);
    facts("build.gradle", &"implementation('".repeat(50_000));
    facts("Gemfile", &"gem \"é".repeat(10_000));
}
