//! Whether one command takes the place of another: the same by another program, through a third one, or under another name.

use super::commands::{ANSWERING, change_of, language, main_step, program, purpose_of, started};
use crate::words::is_listed;
use ralph_core::shell_words::{self, Word};
use std::collections::BTreeSet;

/// Programs that run tasks of the project by their names.
const RUNNERS: &str = "make gmake just task rake npm pnpm yarn bun gradle gradlew mvn mvnw composer mix nx turbo invoke";

/// What a line says of something that is not there, or not known.
const MISSING: [&str; 16] = [
    "no such",
    "not found",
    "not exist",
    "n't exist",
    "unknown",
    "unrecognized",
    "unrecognised",
    "unsupported",
    "invalid",
    "cannot find",
    "could not",
    "couldn't",
    "unable to",
    "did not match",
    "no module",
    "not a valid",
];

/// What a line that names an option may say of it in any words, when there is none.
const UNRECOGNIZED: [&str; 2] = ["unrecognized", "unrecognised"];

/// Whether a command does the job of another one by another program, with the same files or packages. A different linter or compiler does a
/// different job.
pub(super) fn does_the_same_otherwise(failed: &str, worked: &str) -> bool {
    let (Some(failed), Some(worked)) = (main_step(failed), main_step(worked)) else { return false };
    let purpose = purpose_of(&failed);
    // `mvnw` and `gradlew` are the project's own `mvn` and `gradle`.
    let name = |words: &[Word]| started(words).0.rsplit('/').next().unwrap_or_default().trim_end_matches('w').to_owned();
    let by = |words: &[Word]| (program(words).to_owned(), name(words));
    purpose.is_some()
        && purpose == purpose_of(&worked)
        && by(&failed) != by(&worked)
        && language(&failed).is_some()
        && language(&failed) == language(&worked)
        && (!matches!(purpose, Some("lint" | "build" | "typecheck")) || name(&failed) == name(&worked))
        && objects(&failed, purpose) == objects(&worked, purpose)
}

/// Whether a command starts what another one is through a third program, or with more words between: `doppler run -- npm start` of
/// `npm start`, `psql -h db shop` of `psql shop`.
pub(super) fn wraps(worked: &str, failed: &str) -> bool {
    let (Some(failed), Some(worked)) = (main_step(failed), main_step(worked)) else { return false };
    let (name, rest) = started(&failed);
    let name = |word: &str| word.rsplit('/').next() == name.rsplit('/').next();
    let is_at = |at: usize| name(&worked[at].text) && !worked[at].quoted;
    let mut said = rest.iter().peekable();
    let has_all = |from: usize, said: &mut std::iter::Peekable<std::slice::Iter<'_, Word>>| {
        worked[from..].iter().for_each(|word| {
            said.next_if(|next| next.text == word.text);
        });
        said.peek().is_none()
    };
    if is_at(0) {
        return worked.len() > failed.len() && has_all(1, &mut said);
    }
    // What installs a program, looks at it or speaks of it does not start it.
    let from = worked.len().checked_sub(rest.len() + 1);
    from.is_some_and(|from| {
        let (through, itself) = worked.split_at(from);
        let starts = program(through) != "git" && change_of(through).is_none() && !is_listed(ANSWERING, program(through));
        starts && is_at(from) && itself[1..].iter().map(|word| &word.text).eq(rest.iter().map(|word| &word.text))
    })
}

/// Whether a command hands to a shell the script that another one starts by its path.
pub(super) fn hands_to_a_shell(failed: &str, worked: &str) -> bool {
    let (Some(failed), Some(worked)) = (main_step(failed), main_step(worked)) else { return false };
    let plain = |word: &str| word.trim_start_matches("./").to_owned();
    let same = |(one, other): (&Word, &Word)| plain(&one.text) == plain(&other.text);
    is_listed("sh bash", program(&worked))
        && failed.first().is_some_and(|script| script.text.contains('/'))
        && worked.len() == failed.len() + 1
        && failed.iter().zip(&worked[1..]).all(same)
}

/// Whether a command names another version of the one thing named by another command: `postgres:16` of `postgres:99`, `heads` of `head`.
pub(super) fn names_another_version(failed: &str, worked: &str) -> bool {
    let (Some(failed), Some(worked)) = (main_step(failed), main_step(worked)) else { return false };
    let mut differing = failed.iter().zip(&worked).filter(|(one, other)| one.text != other.text);
    let (Some((one, other)), None) = (differing.next(), differing.next()) else { return false };
    let stem = |word: &str| {
        let from = usize::from(word.starts_with('@'));
        let ends = word.get(from..).and_then(|rest| rest.find([':', '@', '=', '<', '>', '~', '^']));
        ends.map_or(word, |at| &word[..from + at]).to_owned()
    };
    let without_version = |program: &str| program.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')).to_owned();
    let of_program = failed.first() != worked.first() && without_version(program(&failed)) == without_version(program(&worked));
    let extends = |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.chars().all(char::is_alphanumeric));
    let (one, other) = (one.text.as_str(), other.text.as_str());
    // The argument of a task runner is a name as a whole: `test:unit`.
    failed.len() == worked.len()
        && (!is_listed(RUNNERS, program(&failed)) || purpose_of(&failed) == Some("install"))
        && !one.starts_with('-')
        && (of_program || stem(one).len() < one.len() && stem(one) == stem(other) || extends(one, other) || extends(other, one))
}

/// Whether a command starts another version of the program that another one does, and says the same to it: `python3.12 -m x`,
/// `python3.11 -m x`.
pub(super) fn starts_another_version(failed: &str, worked: &str) -> bool {
    differ_in_the_program(failed, worked) && names_another_version(failed, worked)
}

/// Whether an error says of an option of its own command that there is none.
pub(super) fn refuses_an_option(command: &str, error: &str) -> bool {
    let refuses = |line: &str| {
        let lower = line.to_lowercase();
        shell_words::refuses_an_option(&lower) || UNRECOGNIZED.iter().any(|words| lower.contains(words))
    };
    let names =
        |line: &str, option: &str| line.split(|c: char| c.is_whitespace() || "'\"`‘’“”:,.;=".contains(c)).any(|word| word == option);
    let options = main_step(command).unwrap_or_default().into_iter().filter(|word| !word.quoted && word.text.starts_with('-'));
    let mut options = options.map(|word| word.text.split('=').next().unwrap_or_default().to_owned());
    options.any(|option| error.lines().any(|line| refuses(line) && names(line, &option)))
}

/// Whether a command runs a task in the place of one that another command named, which is not there: the error has its name in quotes.
pub(super) fn names_another_task(failed: &str, error: &str, worked: &str) -> bool {
    let (Some(failed), Some(worked)) = (main_step(failed), main_step(worked)) else { return false };
    let mut gone = failed.iter().skip(1).filter(|word| !word.text.starts_with('-') && !worked.contains(word));
    is_listed(RUNNERS, program(&failed)) && program(&failed) == program(&worked) && gone.any(|word| quotes(error, &word.text))
}

/// Whether a line of an error says of a word, and not of a path that begins with it, that there is no such thing.
pub(super) fn is_missing(error: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '-'));
    let names = |line: &str| {
        line.match_indices(word).any(|(at, _)| !is_part(line[..at].chars().next_back()) && !is_part(line[at + word.len()..].chars().next()))
    };
    let lacks = |line: &str| MISSING.iter().any(|part| line.to_lowercase().contains(part));
    word.contains(char::is_alphanumeric) && error.lines().any(|line| names(line) && lacks(line))
}

fn quotes(error: &str, word: &str) -> bool {
    let is_quote = |c: Option<char>| c.is_some_and(|c| "`'\"‘’“”„«»".contains(c));
    error.match_indices(word).any(|(at, _)| is_quote(error[..at].chars().next_back()) && is_quote(error[at + word.len()..].chars().next()))
}

/// The packages that a step installs; for other steps the files and folders that it names.
fn objects<'w>(words: &'w [Word], purpose: Option<&str>) -> BTreeSet<&'w str> {
    let installs = purpose == Some("install");
    let from = words.iter().position(|word| installs && matches!(word.text.as_str(), "install" | "add" | "require")).unwrap_or_default();
    let named = words.iter().skip(from + 1).map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
    named.filter(|word| installs || word.contains(['/', '.'])).collect()
}

/// Whether two commands differ only in the program, as `python x` and `python3 x` do.
pub(super) fn differ_in_the_program(one: &str, other: &str) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) = (one.split_whitespace().collect(), other.split_whitespace().collect());
    match (one.split_first(), other.split_first()) {
        (Some((one, of_one)), Some((other, of_other))) => one != other && !of_one.is_empty() && of_one == of_other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_started_through_another_one() {
        for (failed, worked) in [
            ("vendor/bin/phpunit", "php -d memory_limit=1G vendor/bin/phpunit"),
            ("npm start", "doppler run -- npm start"),
            ("cargo build", "nix develop -c cargo build"),
            ("pytest tests", "conda run -n chem pytest tests"),
            ("npx tsc -p .", "node --max-old-space-size=4096 node_modules/typescript/bin/tsc -p ."),
            ("pnpm install", "corepack pnpm install"),
            ("php artisan migrate", "docker compose exec app php artisan migrate"),
            ("terraform plan", "aws-vault exec dev -- terraform plan"),
            ("psql shop -c 'select 1'", "psql -h localhost shop -c 'select 1'"),
        ] {
            assert!(wraps(worked, failed), "{worked}");
        }
        for (failed, worked) in [
            ("pytest", "pip install pytest"),
            ("rspec", "gem install rspec"),
            ("make", "git commit -m make"),
            ("make", "man make"),
            ("npm test", "npm run lint"),
            ("npm start", "echo npm start"),
            ("pytest tests", "conda run -n chem pytest"),
        ] {
            assert!(!wraps(worked, failed), "{worked}");
        }
    }

    #[test]
    fn another_job_is_not_the_same_otherwise() {
        for (failed, worked) in [
            ("npm test", "npx vitest run"),
            ("tsc -p .", "npx tsc -p ."),
            ("gradle build", "./gradlew build"),
            ("npm install zod", "pnpm add zod"),
        ] {
            assert!(does_the_same_otherwise(failed, worked), "{worked}");
        }
        for (failed, worked) in [
            ("ruff check src", "mypy src"),
            ("npm run build", "npx tsc --noEmit"),
            ("npm run build", "npx tsc"),
            ("docker compose build", "npm run build"),
            ("make test", "npm test"),
            ("bundle exec rspec", "bin/rails test"),
            ("npx eslint src", "npx biome lint src"),
        ] {
            assert!(!does_the_same_otherwise(failed, worked), "{worked}");
        }
    }

    #[test]
    fn another_version_is_named_by_one_word() {
        for (failed, worked) in [("docker pull postgres:99", "docker pull postgres:16"), ("alembic upgrade head", "alembic upgrade heads")]
        {
            assert!(names_another_version(failed, worked), "{worked}");
        }
        for (failed, worked) in
            [("pip install torch", "pip install numpy"), ("git revert 1abc", "git revert 9def"), ("npm run a", "npm run a:b")]
        {
            assert!(!names_another_version(failed, worked), "{worked}");
        }
        assert!(differ_in_the_program("mvn -q test", "./mvnw -q test") && !differ_in_the_program("ls", "cat"));
    }
}
