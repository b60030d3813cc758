mod places;

use super::*;
use proptest::prelude::*;
use std::fmt::Write;

/// Sigils on one line: `done=7 failed=current learning[pitfall|a,b]=text … !fault`.
fn brief(sigils: &Sigils) -> String {
    let mut out = String::new();
    for claim in &sigils.claims {
        let task = claim.task.map_or("current".to_owned(), |task| task.to_string());
        write!(out, "{}={task} ", if claim.done { "done" } else { "failed" }).unwrap();
    }
    for learning in &sigils.learnings {
        write!(out, "learning[{}|{}]={} ", learning.category.as_deref().unwrap_or(""), learning.tags.join(","), learning.text).unwrap();
    }
    if let Some(report) = &sigils.failure_report {
        write!(out, "report[{}|{}|{}] ", report.what_was_tried, report.why_it_failed, report.relevant_files.join(",")).unwrap();
    }
    for (name, value) in [("retry", &sigils.retry_suggestion), ("model", &sigils.next_model)] {
        value.iter().for_each(|value| write!(out, "{name}={value} ").unwrap());
    }
    sigils.difficulty.iter().for_each(|difficulty| write!(out, "difficulty={difficulty} ").unwrap());
    sigils.near_misses.iter().for_each(|miss| write!(out, "?{miss} ").unwrap());
    sigils.told_faults().for_each(|fault| write!(out, "!{fault} ").unwrap());
    out.trim_end().to_owned()
}

#[test]
fn sigils_are_read_as_agents_write_them() {
    for (text, expected) in [
        ("", ""),
        ("all fine, 3 < 4", ""),
        ("<task-done>7</task-done>", "done=7"),
        ("<task-done></task-done>", "done=current"),
        ("<task-done/>", "done=current"),
        ("<task-failed />", "failed=current"),
        ("< Task_Done >\n  #7 \n</ TASK-DONE >", "done=7"),
        ("<task-done>Task 7: the login page</task-done>", "done=7"),
        ("<task-done id=\"7\"/>\n<task-failed Task='#8'></task-failed>", "done=7 failed=8"),
        ("<task-done id=\"7\">8</task-done>\n<task-done status=\"whole\"/>", "done=8 done=current"),
        ("<task-done id=\"ID\"/>", "?<task-done> 'ID' is not a task id"),
        ("<task-done>7</task-done>\nNo, wait.\n<task-failed>7</task-failed>", "done=7 failed=7"),
        ("<task-done>ID</task-done>", "?<task-done> 'ID' is not a task id"),
        ("<task-done>7th</task-done>", "?<task-done> '7th' is not a task id"),
        ("<task-done>99999999999</task-done>", "?<task-done> '99999999999' is not a task id"),
        ("I will write <task-done> at the end.\n<task-done>7</task-done>", "done=7"),
        ("<task-done> comes at the end.\n<task-done>7</task-done>", "done=7 ?<task-done> is not closed"),
        ("</task-done>", "!</task-done> closes nothing"),
        ("<task-done", ""),
        ("<task-doner>7</task-doner>", ""),
        ("<learning>Use UTC</learning>", "learning[|]=Use UTC"),
        ("<LEARNING tags='a, b' Category=pitfall>\n x \n</learning>", "learning[pitfall|a,b]=x"),
        ("<learning tags=\"Vec<u8>, a>b\">x</learning>", "learning[|Vec<u8>,a>b]=x"),
        ("<learning tags=\"a, b>x</learning>", ""),
        ("<learning tags = \"a>b\">x</learning>", "learning[|a>b]=x"),
        ("<learning <task-done/>", "?<task-done> stood inside a sentence"),
        ("<learning tag don't>x</learning>", "learning[|]=x"),
        ("<learning> … </learning>", "!<learning> is empty"),
        ("<learning>Say <task-done>7</task-done> at the end</learning>", "learning[|]=Say <task-done>7</task-done> at the end"),
        ("<difficulty-estimate>easy</difficulty-estimate> <difficulty-estimate> HARD </difficulty-estimate>", "difficulty=hard"),
        (
            "<difficulty-estimate>heavy</difficulty-estimate>",
            "!<difficulty-estimate> 'heavy' is not a difficulty; use one of: trivial, easy, moderate, hard, blocked",
        ),
        ("<retry-suggestion>Mock the clock</retry-suggestion>", "retry=Mock the clock"),
        ("<retry-suggestion></retry-suggestion>", "!<retry-suggestion> is empty"),
        ("<next-model>claude-opus-4-5[1m]</next-model>", "model=claude-opus-4-5[1m]"),
        ("<next-model>--dangerous</next-model>", "!<next-model> '--dangerous' is not a model name"),
        ("<next-model>a big one</next-model>", "!<next-model> 'a big one' is not a model name"),
        ("<failure-report>\nwhat_was_tried: x\nwhy_it_failed: y\n</failure-report>", "report[x|y|]"),
        ("<failure-report>\n- **What was tried**: x\n- why-it-failed: y\nand z\n</failure-report>", "report[x|y\nand z|]"),
        (
            "<failure-report>\n<what_was_tried>x</what_was_tried>\n<why_it_failed>\ny\nand z\n</why_it_failed>\n\
             <relevant_files>a.rs</relevant_files>\n</failure-report>",
            "report[x|y\nand z|a.rs]",
        ),
        ("<failure-report>what_was_tried: x</failure-report>", "!<failure-report> lacks why_it_failed"),
        ("<failure-report>it broke</failure-report>", "!<failure-report> lacks what_was_tried and why_it_failed"),
        (
            "<failure-report>\nwhat_was_tried: x\nwhy_it_failed: y\nrelevant_files:\n- a.rs\n- b.rs, c.rs\n</failure-report>",
            "report[x|y|a.rs,b.rs,c.rs]",
        ),
        (
            "<task-failed>7\n<failure-report>\nwhat_was_tried: x\nwhy_it_failed: y\n<difficulty-estimate>hard</difficulty-estimate>\n\
             </failure-report>\n</task-failed>",
            "failed=7 report[x|y|] difficulty=hard",
        ),
        (
            "<failure-report>\nwhat_was_tried: x\nwhy_it_failed: y\nstack_trace: it printed\n<task-done>7</task-done>\n</failure-report>",
            "report[x|y|] ?<task-done> stood in a <failure-report>",
        ),
        ("<failure-report>\nwhat_was_tried: x\nwhy_it_failed: y\n</failure-report>\n<task-done/>", "done=current report[x|y|]"),
    ] {
        assert_eq!(brief(&parse(text)), expected, "{text}");
    }
}

#[test]
fn a_trace_of_several_lines_stays_in_its_field() {
    let text =
        "<failure-report>\nwhat_was_tried: x\nwhy_it_failed: y\nstack_trace: TypeError: z\n    at <anonymous>:1:2\n</failure-report>";
    let trace = parse(text).failure_report.and_then(|report| report.stack_trace);
    assert_eq!(trace.as_deref(), Some("TypeError: z\n    at <anonymous>:1:2"));
}

#[test]
fn fields_of_a_report_are_cut_when_read() {
    let long = "ä".repeat(2_000);
    let text = format!(
        "<failure-report>\nwhat_was_tried: {long}\nwhy_it_failed: {long}\nstack_trace: {long}\nretry_suggestion: {long}</failure-report>"
    );
    let report = parse(&text).failure_report.expect("report");
    let chars = |text: &str| text.chars().count();
    assert_eq!((chars(&report.what_was_tried), chars(&report.why_it_failed)), (600, 600));
    assert_eq!((report.stack_trace.as_deref().map(chars), report.retry_suggestion.as_deref().map(chars)), (Some(500), Some(400)));
}

#[test]
fn floods_are_bounded_and_the_last_claim_stays() {
    let text = "<task-done>1</task-done>\n".repeat(500) + "<task-failed>2</task-failed>\n" + &"<learning>x</learning>\n".repeat(500);
    let sigils = parse(&text);
    assert_eq!(sigils.claims.len(), CLAIMS);
    assert_eq!(sigils.claims.last(), Some(&TaskClaim { done: false, task: Some(2) }));
    assert_eq!(sigils.learnings.len(), LEARNINGS);
    assert_eq!(sigils.told_faults().count(), FAULTS + 1);
    assert_eq!(sigils.told_faults().last().as_deref(), Some("and 430 more"));
}

#[test]
fn the_guide_is_short_names_every_sigil_and_says_nothing_itself() {
    assert!(GUIDE.chars().count() <= 1_500, "{}", GUIDE.chars().count());
    let sigils = parse(GUIDE);
    let ignored = [sigils.near_misses.clone(), sigils.faults.clone()].concat();
    assert_eq!(Sigils { faults: Vec::new(), near_misses: Vec::new(), ..sigils }, Sigils::default());
    for name in ["task-done", "task-failed", "learning", "failure-report", "retry-suggestion", "difficulty-estimate", "next-model"] {
        // Each is written correctly; only its content is empty.
        let told: Vec<&String> = ignored.iter().filter(|fault| fault.starts_with(&format!("<{name}>"))).collect();
        assert!(told.len() == 1 && !told[0].contains("stood") && !told[0].contains("followed"), "{name}: {ignored:?}");
    }
}

/// Text that resembles sigils more often than random text.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<".to_owned()),
        Just(">".to_owned()),
        Just("</".to_owned()),
        Just("/>".to_owned()),
        Just("=\"".to_owned()),
        Just("'".to_owned()),
        Just("what_was_tried:".to_owned()),
        Just("why_it_failed:".to_owned()),
        Just("7".to_owned()),
        "(task-done|task_failed|LEARNING|failure-report|retry-suggestion|difficulty-estimate|next-model)",
        "(</?)(task-done|task-failed|learning|failure-report|retry-suggestion)( tags=\"a\")?>",
        "\\PC{0,5}",
        "\\s{1,2}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9ä🦀][a-zA-Z0-9 ä🦀.:_-]{0,20}[a-z]"
}

/// Sigils in their canonical form.
fn render(sigils: &Sigils) -> String {
    let mut text = String::from("Here is what I did.\n");
    for claim in &sigils.claims {
        let (name, task) = (if claim.done { "task-done" } else { "task-failed" }, claim.task.map_or(String::new(), |t| t.to_string()));
        writeln!(text, "<{name}>{task}</{name}>").unwrap();
    }
    for learning in &sigils.learnings {
        let category = learning.category.as_ref().map_or(String::new(), |category| format!(" category=\"{category}\""));
        writeln!(text, "<learning{category} tags=\"{}\">{}</learning>", learning.tags.join(", "), learning.text).unwrap();
    }
    if let Some(report) = &sigils.failure_report {
        writeln!(text, "<failure-report>\nwhat_was_tried: {}\nwhy_it_failed: {}", report.what_was_tried, report.why_it_failed).unwrap();
        writeln!(text, "relevant_files: {}", report.relevant_files.join(", ")).unwrap();
        for (key, value) in [
            ("error_category", &report.error_category),
            ("stack_trace", &report.stack_trace),
            ("retry_suggestion", &report.retry_suggestion),
        ] {
            value.iter().for_each(|value| writeln!(text, "{key}: {value}").unwrap());
        }
        writeln!(text, "</failure-report>").unwrap();
    }
    sigils.retry_suggestion.iter().for_each(|it| writeln!(text, "<retry-suggestion>{it}</retry-suggestion>").unwrap());
    sigils.difficulty.iter().for_each(|it| writeln!(text, "<difficulty-estimate>{it}</difficulty-estimate>").unwrap());
    sigils.next_model.iter().for_each(|it| writeln!(text, "<next-model>{it}</next-model>").unwrap());
    text
}

fn some_report() -> impl Strategy<Value = FailureReport> {
    let files = prop::collection::vec("[a-z]{1,8}\\.rs", 0..4);
    (word(), word(), prop::option::of(word()), files, prop::option::of(word()), prop::option::of(word())).prop_map(
        |(what_was_tried, why_it_failed, error_category, relevant_files, stack_trace, retry_suggestion)| FailureReport {
            what_was_tried,
            why_it_failed,
            error_category,
            relevant_files,
            stack_trace,
            retry_suggestion,
        },
    )
}

fn some_sigils() -> impl Strategy<Value = Sigils> {
    let claim = (any::<bool>(), prop::option::of(any::<u32>())).prop_map(|(done, task)| TaskClaim { done, task });
    let learning = (prop::option::of("[a-z_]{1,12}"), prop::collection::vec("[a-z./]{0,8}[a-z]", 0..5), word())
        .prop_map(|(category, tags, text)| LearningSigil { category, tags, text });
    (
        prop::collection::vec(claim, 0..4),
        prop::collection::vec(learning, 0..4),
        prop::option::of(some_report()),
        prop::option::of(word()),
        prop::option::of(prop::sample::select(Difficulty::ALL)),
        prop::option::of("[a-z0-9][a-z0-9.-]{0,20}"),
    )
        .prop_map(|(claims, learnings, failure_report, retry_suggestion, difficulty, next_model)| Sigils {
            claims,
            learnings,
            failure_report,
            retry_suggestion,
            difficulty,
            next_model,
            ..Sigils::default()
        })
}

proptest! {
    #[test]
    fn reading_never_panics(text in hostile(), any_text in "\\PC*") {
        parse(&text);
        parse(&any_text);
    }

    #[test]
    fn text_without_a_tag_says_nothing(text in "[^<]*") {
        prop_assert_eq!(parse(&text), Sigils::default());
    }

    #[test]
    fn what_an_agent_writes_is_what_is_read(sigils in some_sigils()) {
        prop_assert_eq!(parse(&render(&sigils)), sigils);
    }
}
