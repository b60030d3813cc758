//! Words that are allowed only in some folders, or nowhere.

use super::{Finding, Source};

/// Where a ban applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holds {
    /// In all code.
    Everywhere,
    /// Not in tests.
    OutsideTests,
    /// In tests only.
    InTests,
}

struct Ban {
    /// Any of these in a line of code.
    words: &'static [&'static str],
    holds: Holds,
    /// Files with these path prefixes are exempt.
    except: &'static [&'static str],
    /// Only files with these path prefixes are affected; all if empty.
    within: &'static [&'static str],
    way_out: &'static str,
}

/// Words are concatenated where they would ban this very file.
const RUST: &[Ban] = &[
    Ban {
        words: &["rusqlite", "SELECT ", "INSERT INTO ", "INSERT OR ", "DELETE FROM ", "CREATE TABLE ", "PRAGMA ", "VACUUM INTO"],
        holds: Holds::Everywhere,
        // Floors of the bench are bare SQL.
        except: &["crates/sqlite-db/", "bench/"],
        within: &[],
        way_out: "SQL lives in crates/sqlite-db only: add a function there",
    },
    Ban {
        words: &["tauri::", "use tauri"],
        holds: Holds::Everywhere,
        except: &["src-tauri/"],
        within: &[],
        way_out: "Tauri lives in src-tauri only",
    },
    Ban {
        words: &["Command::new"],
        holds: Holds::OutsideTests,
        except: &[
            "crates/agent-cli/",
            "crates/git-repo/",
            "crates/ralph-testkit/",
            "crates/scripted-agent/",
            "crates/text-embed/build/",
            "bench/",
            "xtask/",
        ],
        within: &[],
        way_out: "agents start in crates/agent-cli, git in crates/git-repo: add a function there",
    },
    Ban {
        words: &[concat!("canonicalize", "(")],
        holds: Holds::OutsideTests,
        // The scripted agent compares two of them, and knows no git.
        except: &["crates/git-repo/src/paths.rs", "crates/scripted-agent/"],
        within: &[],
        way_out: "on Windows such a path is written as neither git nor agents write it: take `git_repo::real_path`",
    },
    Ban {
        words: &["SystemTime::now", "Utc::now", "Local::now", "Zoned::now", "jiff::Timestamp::now"],
        holds: Holds::OutsideTests,
        except: &["crates/ralph-app/src/clock.rs", "crates/scripted-agent/", "crates/ralph-testkit/", "xtask/"],
        within: &[],
        way_out: "time comes as an argument; only the clock of ralph-app asks the system",
    },
    Ban {
        words: &["std::fs", "std::env", "std::process", "std::net", "Instant::now", "async fn", "rand::"],
        holds: Holds::OutsideTests,
        except: &[],
        within: &["crates/ralph-core/", "crates/ralph-rag/"],
        way_out: "this crate is pure: take the value as an argument",
    },
    Ban {
        words: &["fs::read", "fs::write", "File::open", "File::create", "OpenOptions", "fs::create_dir"],
        holds: Holds::OutsideTests,
        // Files that the person names on the command line, what the system says of processes, locks, and the person's own data.
        except: &[
            "crates/ralph-app/src/files/mod.rs",
            "crates/ralph-app/src/agents/recorded.rs",
            "crates/ralph-app/src/project/export.rs",
            "crates/ralph-app/src/outside/last_words.rs",
            "crates/ralph-app/src/outside/mod.rs",
            "crates/ralph-app/src/outside/ports.rs",
            "crates/ralph-app/src/owner.rs",
            "crates/ralph-app/src/driver/recover.rs",
            "crates/ralph-app/src/project/restore.rs",
            "crates/ralph-app/src/driver/simulation.rs",
            "crates/ralph-app/src/project/recent.rs",
        ],
        within: &["crates/ralph-app/src/", "crates/ralph-mcp/src/"],
        way_out: "a project's files are opened through `ProjectFiles` (crates/ralph-app/src/files/mod.rs): no links out, no pipes, bounded",
    },
    Ban {
        words: &["thread::sleep", "tokio::time::sleep"],
        holds: Holds::InTests,
        except: &[],
        within: &[],
        way_out: "a test waits for a condition or moves an injected clock",
    },
    Ban {
        words: &[
            "put_learning(",
            "insert_event(",
            "insert_observation(",
            "delete_observation(",
            "insert_conflict(",
            "delete_conflict(",
            "insert_apart(",
            "delete_apart(",
            "put_gate_verdict(",
            "set_reconciliation(",
            "clear_reconciliation(",
            "put_put_away(",
            "delete_put_away(",
            "set_feedback(",
            "insert_landed(",
            "put_episode(",
            "put_fact(",
            "put_consolidation(",
            "insert_feature(",
            "write_feature(",
        ],
        holds: Holds::OutsideTests,
        except: &["crates/ralph-app/src/knowledge/projector.rs", "bench/"],
        within: &["crates/ralph-app/", "crates/ralph-cli/", "crates/ralph-mcp/", "src-tauri/"],
        way_out: "only the projector stores knowledge: decide an act in ralph_rag::act and perform it",
    },
    Ban {
        words: &["take_event(", "mark_waiting(", "mark_flushed("],
        holds: Holds::OutsideTests,
        except: &["crates/ralph-app/src/knowledge/union.rs", "crates/ralph-app/src/knowledge/journal.rs"],
        within: &["crates/ralph-app/", "crates/ralph-cli/", "crates/ralph-mcp/", "src-tauri/"],
        way_out: "lines come from files by crates/ralph-app/src/knowledge/union.rs, and get there by journal.rs",
    },
    Ban {
        words: &[".touch("],
        holds: Holds::OutsideTests,
        // Settings and agreements are in files, and the audit may rewrite any table.
        except: &[
            "crates/ralph-app/src/project/mod.rs",
            "crates/ralph-app/src/trust/mod.rs",
            "crates/ralph-app/src/features.rs",
            "crates/ralph-app/src/audit/secrets.rs",
        ],
        within: &["crates/ralph-app/", "crates/ralph-cli/", "crates/ralph-mcp/", "src-tauri/"],
        way_out: "topics come from the tables that change (crates/sqlite-db/src/topics.rs); only what is in files is told by hand",
    },
    Ban {
        words: &["todo!(", "unimplemented!(", "#[ignore"],
        holds: Holds::Everywhere,
        except: &[],
        within: &[],
        way_out: "finish it or leave it out",
    },
];

const SCRIPTS: &[Ban] = &[
    Ban {
        words: &["@tauri-apps"],
        holds: Holds::Everywhere,
        except: &["src/ipc/"],
        within: &["src/"],
        way_out: "only src/ipc imports Tauri: call it through there",
    },
    Ban {
        words: &["it.only(", "it.skip(", "test.only(", "test.skip(", "describe.only(", "describe.skip(", "it.todo(", "test.todo("],
        holds: Holds::Everywhere,
        except: &[],
        within: &[],
        way_out: "every test runs",
    },
];

/// Folders of some machine that no file of the repository may name; joined so that this file is free of them.
const MACHINE_PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// Checks one file.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut findings = machine_paths(source);
    // These files hold the words as data.
    if source.path.starts_with("xtask/src/tidy/") {
        return findings;
    }
    let bans = if source.is_rust() {
        RUST
    } else if source.is_script() {
        SCRIPTS
    } else {
        &[]
    };
    let starts = |starts: &[&str]| starts.iter().any(|start| source.path.starts_with(start));
    for ban in bans.iter().filter(|ban| !starts(ban.except) && (ban.within.is_empty() || starts(ban.within))) {
        for (line, code, in_test) in source.code() {
            let holds = match ban.holds {
                Holds::Everywhere => true,
                Holds::OutsideTests => !in_test,
                Holds::InTests => in_test,
            };
            if let Some(word) = ban.words.iter().find(|word| holds && has_word(code, word)) {
                findings.push(Finding::new(source, line, format!("`{}` is banned here: {}", word.trim(), ban.way_out)));
            }
        }
    }
    if source.path.ends_with(".sql") && !source.path.starts_with("crates/sqlite-db/") {
        findings.push(Finding::new(source, 0, "SQL lives in crates/sqlite-db only"));
    }
    findings
}

/// Whether a line holds a banned word: one that begins like a name is not the end of a longer one, such as `errand::` of `rand::`.
fn has_word(code: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let whole = |at: usize| !word.starts_with(is_name) || !code[..at].ends_with(is_name);
    code.match_indices(word).any(|(at, _)| whole(at))
}

fn machine_paths(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        for path in MACHINE_PATHS {
            // The start of a path, not the inside of a longer one.
            let starts_path = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/}~*".contains(c));
            if line.match_indices(path).any(|(at, _)| starts_path(at)) {
                findings.push(Finding::new(
                    source,
                    index + 1,
                    format!("`{path}` is a folder of one machine: use a path that every checkout has"),
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::planted::{lines, source};
    use super::*;

    #[test]
    fn each_ban_catches_its_example_and_spares_its_home() {
        for (path, text, expected) in [
            ("crates/ralph-app/src/a.rs", "db.run(\"SELECT 1\")", 1),
            ("crates/sqlite-db/src/a.rs", "db.run(\"SELECT 1\")", 0),
            ("crates/ralph-app/src/a.rs", "// SELECT 1", 0),
            ("docs/query.sql", "", 1),
            ("crates/ralph-app/src/a.rs", "use tauri::State;", 1),
            ("src-tauri/src/a.rs", "use tauri::State;", 0),
            ("crates/ralph-cli/src/a.rs", "Command::new(\"git\")", 1),
            ("crates/git-repo/src/a.rs", "Command::new(\"git\")", 0),
            ("crates/ralph-cli/tests/a.rs", "Command::new(\"git\")", 0),
            ("crates/ralph-app/src/a.rs", "let now = SystemTime::now();", 1),
            ("crates/ralph-app/src/clock.rs", "let now = SystemTime::now();", 0),
            ("crates/ralph-core/src/a.rs", "use std::fs;", 1),
            ("crates/ralph-app/src/a.rs", "use std::fs;", 0),
            ("crates/ralph-core/src/a.rs", "let n = rand::random();", 1),
            ("crates/ralph-core/src/a.rs", "use crate::errand::Errand;", 0),
            ("crates/ralph-app/src/a.rs", "std::fs::read_to_string(path)", 1),
            ("crates/ralph-app/src/a.rs", "#[cfg(test)]\nstd::fs::read_to_string(path)", 0),
            ("crates/ralph-app/src/files/mod.rs", "OpenOptions::new()", 0),
            ("crates/ralph-app/src/a.rs", "tx.put_fact(&fact)?;", 1),
            ("crates/ralph-app/src/a.rs", "Tx::put_learning(tx, &learning)?;", 1),
            ("crates/ralph-app/src/knowledge/remember.rs", "tx.write_feature(&feature)?;", 1),
            ("crates/ralph-app/src/a.rs", "tx.take_event(&line)?;", 1),
            ("crates/ralph-app/src/knowledge/union.rs", "tx.take_event(&line)?;", 0),
            ("crates/ralph-app/src/knowledge/projector.rs", "tx.put_fact(&fact)?;", 0),
            ("crates/ralph-app/src/a.rs", "tx.touch(Topic::Tasks);", 1),
            ("tests/a.rs", "std::thread::sleep(d);", 1),
            ("crates/agent-cli/src/a.rs", "std::thread::sleep(d);", 0),
            ("crates/agent-cli/src/a.rs", "#[cfg(test)]\nstd::thread::sleep(d);", 1),
            ("crates/agent-cli/src/a.rs", "todo!()", 1),
            ("crates/agent-cli/src/a.rs", "#[ignore = \"slow\"]", 1),
            ("src/areas/a.tsx", "import { invoke } from \"@tauri-apps/api\";", 1),
            ("src/ipc/a.ts", "import { invoke } from \"@tauri-apps/api\";", 0),
            ("src/areas/a.test.ts", "it.only(\"x\")", 1),
            ("crates/agent-cli/src/a.rs", "list.iter().skip(1)", 0),
        ] {
            assert_eq!(check(&source(path, text)).len(), expected, "{path}: {text}");
        }
    }

    #[test]
    fn folders_of_a_machine_are_found_in_any_file() {
        let [first, second] = MACHINE_PATHS else { unreachable!() };
        let text = format!("see {first}x\nhome/{second}\nsrc{first}a\n\"{second}.npmrc\"\n");
        assert_eq!(lines(&check(&source("docs/a.md", &text))), [1, 4]);
    }
}
