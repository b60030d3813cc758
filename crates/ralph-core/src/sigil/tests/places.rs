//! Where a sigil counts and where it is only mentioned.

use super::*;

const DONE: &str = "<task-done>7</task-done>";
const LAZY_BOTH: &str = "?<task-done> stood right below a quote, without an empty line between \
?<task-failed> stood right below a quote, without an empty line between";

/// Texts around one done claim, written `@`, and the expected result.
fn expect(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(brief(&parse(&text.replace('@', DONE))), *expected, "{text}");
    }
}

#[test]
fn a_quoted_mark_is_not_a_mark() {
    expect(&[
        ("I may not write @ yet", "?<task-done> stood inside a sentence"),
        ("I may not write `@` yet", "?<task-done> stood in inline code"),
        ("Not `yet\n@\nwritten`", "?<task-done> stood in inline code"),
        ("Soon: @", "?<task-done> stood inside a sentence"),
        ("@ is what I would write", "?<task-done> was followed by words on its line"),
        ("@.", "?<task-done> was followed by words on its line"),
        ("<task-done>\n7\n</task-done> at last", "?<task-done> was followed by words on its line"),
        ("```\n@\n```", "?<task-done> stood in a code fence"),
        ("~~~~ text\n@\n~~~~", "?<task-done> stood in a code fence"),
        ("Like this:\n```xml\n<p>\n@\n</p>\n```\nThat was it.", "?<task-done> stood in a code fence"),
        ("> @", "?<task-done> stood in a quote"),
        (">@", "?<task-done> stood in a quote"),
        ("   > so\n   > @", "?<task-done> stood in a quote"),
        ("> > @", "?<task-done> stood in a quote"),
        ("> <task-done>\n> 7\n> </task-done>", "?<task-done> stood in a quote"),
        ("- @", "?<task-done> stood in a list item"),
        ("12. @", "?<task-done> stood in a list item"),
        ("* a\n\n  @", "?<task-done> stood in a list item"),
        ("- a\n  @", "?<task-done> stood in a list item"),
        ("1. a\n\n   b\n   @", "?<task-done> stood in a list item"),
        ("    @", "?<task-done> was indented by more than three spaces"),
        ("a\n\n    @", "?<task-done> was indented by more than three spaces"),
        ("a\n    @", "?<task-done> was indented by more than three spaces"),
        ("\t@", "?<task-done> was indented by more than three spaces"),
        (" \t@", "?<task-done> was indented by more than three spaces"),
        ("**@**", "?<task-done> did not begin its line"),
        ("# @", "?<task-done> did not begin its line"),
        ("\\@", "?<task-done> did not begin its line"),
        ("<!--\n@\n-->", "?<task-done> stood in HTML that quotes"),
        ("<pre>\n@\n</pre>", "?<task-done> stood in HTML that quotes"),
        ("<blockquote class=\"a\">\n\n@\n\n</blockquote>\n", "?<task-done> stood in HTML that quotes"),
        ("<example>\n@\n</example>", "?<task-done> stood in HTML that quotes"),
        ("<function_results>\nok\n@\n</function_results>", "?<task-done> stood in HTML that quotes"),
        ("The file says:\n\"\n@\n\"", "?<task-done> stood in HTML that quotes"),
        ("\u{201c}\r\n@\r\n\u{201d}\r\n", "?<task-done> stood in HTML that quotes"),
        // A line without the sign goes on with the paragraph of the quote above it.
        ("> The file says:\n@", "?<task-done> stood right below a quote, without an empty line between"),
        ("> The file says:\nso\n@\n<task-failed/>", LAZY_BOTH),
    ]);
}

#[test]
fn a_mark_on_a_line_of_its_own_counts() {
    expect(&[
        ("@", "done=7"),
        ("All is done.\n@", "done=7"),
        ("All is done.\n\n   @  \t\n\nBye.", "done=7"),
        ("I may not write\n@\nyet", "done=7"),
        ("```\ncode\n```\n@", "done=7"),
        ("`a` and `b`\n@", "done=7"),
        ("An odd ` sign.\n\n@\n\nAnother ` sign.", "done=7"),
        ("@\n---", "done=7"),
        ("@\n===", "done=7"),
        ("[a]:\n@", "done=7"),
        ("A | B\n-|-\n@", "done=7"),
        // A quote is over at an empty line, and code in it where its sign is missing.
        ("> They said so.\n\n@", "done=7"),
        ("> ```\n@", "done=7"),
        ("> # They said so\n@", "done=7"),
        // The same holds for the sigil that it stands in.
        ("<learning>As they said:\n> so\n</learning>\n@", "done=7 learning[|]=As they said:\n> so"),
        // A lazy continuation of an item is not one: its line has no marker.
        ("- a\n- b\n@", "done=7"),
        ("- a\n @", "done=7"),
        ("- a\n\n@", "done=7"),
        ("1. a\n   - b\n\n@", "done=7"),
        // HTML does not swallow anything.
        ("<div>\n@\n</div>", "done=7"),
        ("<details>\n<summary>x</summary>\n@", "done=7"),
        ("<!-- never closed\n@", "done=7"),
        ("<preface>\n@\n</preface>", "done=7"),
        ("<pre>a</pre>\n@", "done=7"),
        ("<example>\nnever closed\n@", "done=7"),
        ("<example>a</example>\n@", "done=7"),
        ("<examples-of-it>\n@\n</examples-of-it>", "done=7"),
        ("\"a\"\n@\n\"b\"", "done=7"),
        ("\"\na\n\"\n@\n\"", "done=7"),
    ]);
}

#[test]
fn a_fence_right_under_a_mark_is_a_fence() {
    expect(&[
        ("<task-failed/>\n```\n@\n```", "failed=current ?<task-done> stood in a code fence"),
        ("<learning>\nx\n</learning>\n~~~\n@\n~~~", "learning[|]=x ?<task-done> stood in a code fence"),
        ("<div>\n```\n@\n```", "?<task-done> stood in a code fence"),
    ]);
}

#[test]
fn marks_right_after_one_another_all_count() {
    expect(&[
        ("@\n<learning>x</learning>\n<next-model>opus</next-model>\n<task-failed/>", "done=7 failed=current learning[|]=x model=opus"),
        ("@ <learning>x</learning><task-failed/>  ", "done=7 failed=current learning[|]=x"),
        ("@ <task-failed/> not", "?<task-done> was followed by words on its line ?<task-failed> was followed by words on its line"),
        ("@ `<task-failed/>`", "?<task-done> was followed by words on its line ?<task-failed> stood in inline code"),
    ]);
}

#[test]
fn a_report_or_learning_goes_on_over_lines() {
    expect(&[
        ("<learning>\nOne.\n\nTwo.\n</learning>", "learning[|]=One.\n\nTwo."),
        ("<learning>Write\n```\ncode\n\n</learning>\n```\nthere.</learning>", "learning[|]=Write\n```\ncode\n\n</learning>\n```\nthere."),
        ("<learning>Never write `</learning>` in code.</learning>", "learning[|]=Never write `</learning>` in code."),
        ("<learning>\n> quoted <learning>x</learning> here\nmore</learning>", "learning[|]=> quoted <learning>x</learning> here\nmore"),
        (
            "<failure-report>\nwhat_was_tried: x\nwhy_it_failed: y\nrelevant_files:\n- a.rs\n- b.rs\n</failure-report>\n<task-failed/>",
            "failed=current report[x|y|a.rs,b.rs]",
        ),
        ("<failure-report>\nwhat_was_tried: x\nwhy_it_failed: y\n\nstack_trace:\n```\nat a.rs\n```\n</failure-report>", "report[x|y|]"),
    ]);
}

#[test]
fn what_stands_in_a_learning_is_text_even_where_the_learning_does_not_count() {
    expect(&[
        ("<learning>Say\n@\nat the end</learning>", "learning[|]=Say\n<task-done>7</task-done>\nat the end"),
        ("<learning>Say\n@\nat the end</learning> or so", "!<learning> was followed by words on its line"),
    ]);
}

#[test]
fn an_open_fence_is_noted_and_hides_nothing_in_the_next_text() {
    let mut sigils = Sigils::default();
    sigils.hear(&format!("```\n{DONE}"));
    sigils.hear("<task-failed/>");
    assert_eq!(
        brief(&sigils),
        "failed=current ?<task-done> stood in a code fence !a code fence was not closed, and hides what follows it in its text"
    );
    let closed = |text: &str| parse(&format!("{text}\n{DONE}")).faults.is_empty();
    for text in ["```\na\n```", "````\n```\n````", "```\r\na\r\n```\r", "~~~\na\n~~~~", "> ```\n> a\n> ```"] {
        assert!(closed(text), "{text}");
    }
    for text in ["```", "```\na\n``", "```\na\n~~~", "````\n```"] {
        assert!(!closed(text), "{text}");
    }
}

#[test]
fn line_ends_and_invisible_characters() {
    expect(&[
        ("Done.\r\n@\r\n", "done=7"),
        ("```\r\n@\r\n```\r\n", "?<task-done> stood in a code fence"),
        ("- a\r\n  @\r\n", "?<task-done> stood in a list item"),
        ("<failure-report>\r\nwhat_was_tried: x\r\nwhy_it_failed: y\r\n</failure-report>\r\n", "report[x|y|]"),
        // A lone carriage return moves back to the line's beginning; it does not begin a line.
        ("99 %\r@", "?<task-done> stood inside a sentence"),
        ("@\rnot", "?<task-done> was followed by words on its line"),
        // A byte order mark is part of the text's encoding.
        ("\u{feff}@", "done=7"),
        ("\u{feff}```\n@\n```", "?<task-done> stood in a code fence"),
        // An invisible character before a mark means that it is not meant as one.
        ("a\n\u{feff}@", "?<task-done> did not begin its line"),
        ("\u{200b}@", "?<task-done> did not begin its line"),
        ("\u{2060}@", "?<task-done> did not begin its line"),
        ("\u{a0}@", "?<task-done> did not begin its line"),
        ("a\u{2028}@", "?<task-done> stood inside a sentence"),
        ("<\u{200b}task-done>7</task-done>", ""),
        ("@\u{a0}", "done=7"),
        ("@\u{200b}", "?<task-done> was followed by words on its line"),
    ]);
}

#[test]
fn what_is_said_twice_is_noted_once() {
    let text = format!("a {DONE}\n").repeat(100) + &"a <learning>x</learning>\n".repeat(100);
    assert_eq!(brief(&parse(&text)), "?<task-done> stood inside a sentence !<learning> stood inside a sentence");
}

#[test]
fn a_text_beyond_the_bound_is_read_to_it_and_says_so() {
    let text = format!("{DONE}\n{}\n<task-failed/>", "ä".repeat(limits::AGENT_TEXT_BYTES));
    let read = brief(&parse(&text));
    assert!(read.starts_with("done=7 !only the first 2 MiB of a text of ") && !read.contains("failed=current"), "{read}");
}

#[test]
fn hostile_text_is_read_in_linear_time() {
    // A quadratic parser would take hours for these. Each is parsed next to a tag, since a text without one is skipped.
    let pieces = [
        "<task-done>",
        "</task-done>",
        "<task-done/>",
        "<task-done/> x",
        "<task-done/>\n",
        "<learning>x</learning>",
        "x <learning>x</learning>\n",
        "<learning a=\"",
        "<learning a='<learning a=\"",
        "<learning>",
        "<failure-report>why_it_failed:",
        "<   ",
        "<",
        "<learning x",
        "<task-done><task-failed><learning>",
        "<difficulty-estimate",
        "< / \n",
        ">",
        "> ",
        "> <task-done/>\n",
        "- ",
        "- - a\n",
        "* * *",
        "1. ",
        "`",
        "`` ",
        "` `` ``` ",
        "`a",
        "```\n",
        "~~~\n",
        "*_",
        "**a ",
        "[",
        "](",
        "![a]",
        "[a]: b\n",
        "&amp",
        "\\`",
        "\t",
        " ",
        "\r",
        "\r\n",
        "\n",
        "<!--\n",
        "<pre>\n",
        "<pre>\n<!--\n",
        "<code></code>\n",
        "    a\n",
        "- a\n  ",
        "=\n",
        "\u{feff}",
        "🦀",
    ];
    for piece in pieces {
        let text = piece.repeat(200_000 / piece.len());
        for text in [format!("<task-failed>x</task-failed>\n{text}"), format!("{text}<task-failed>x</task-failed>")] {
            let sigils = parse(&text);
            assert!(sigils.told_faults().count() <= FAULTS + 1 && sigils.near_misses.len() <= FAULTS, "{piece}");
        }
    }
    let deep: String = (0..600).map(|depth| format!("{}- a\n", "  ".repeat(depth))).collect();
    assert_eq!(parse(&(deep + "\n<task-done/>")).claims.len(), 1);
}

/// Text with lines that are significant in CommonMark, mixed with sigils.
fn markdown() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(DONE.to_owned()),
        Just("<task-failed/>".to_owned()),
        Just("<learning>x</learning>".to_owned()),
        Just("<learning>".to_owned()),
        Just("</learning>".to_owned()),
        "(>|> >|- |1\\. |   |    |\t|#|```|~~~|````|`|<!--|-->|<pre>|</pre>|---|\\\\|\u{feff}|\u{a0}|\u{200b}){1,2}(<task-done/>)?",
        "\\PC{0,6}",
    ];
    prop::collection::vec((line, prop_oneof![Just("\n"), Just("\r\n"), Just("\r"), Just("\n\n"), Just(" "), Just("")]), 0..30)
        .prop_map(|lines| lines.into_iter().flat_map(|(line, end)| [line, end.to_owned()]).collect())
}

fn says_nothing(sigils: &Sigils) -> bool {
    Sigils { near_misses: Vec::new(), faults: Vec::new(), untold_faults: 0, ..sigils.clone() } == Sigils::default()
}

proptest! {
    #[test]
    fn a_quoted_text_says_nothing(text in prop_oneof![markdown(), hostile()]) {
        let quoted: String = text.split('\n').map(|line| format!("> {line}\n")).collect();
        prop_assert!(says_nothing(&parse(&quoted)), "{:?}", parse(&quoted));
        let code: String = text.split('\n').map(|line| format!("    {line}\n")).collect();
        prop_assert!(says_nothing(&parse(&code)), "{:?}", parse(&code));
    }

    #[test]
    fn a_fenced_text_says_nothing(text in prop_oneof![markdown(), hostile()], before in "\\PC{0,10}") {
        // A text that opens a fence of its own, or code, turns this one inside out.
        prop_assume!(!before.contains("```") && !before.contains("~~~"));
        for sign in ["`", "~"] {
            let fence = sign.repeat(3.max(1 + text.chars().filter(|c| sign.contains(*c)).count()));
            let fenced = format!("{before}\n\n{fence}\n{text}\n{fence}\n");
            prop_assert!(says_nothing(&parse(&fenced)), "{fenced:?} {:?}", parse(&fenced));
            let closed = parse(&format!("{fenced}\n{DONE}"));
            prop_assert_eq!(closed.claims, [TaskClaim { done: true, task: Some(7) }], "{}", fenced);
        }
    }

    #[test]
    fn any_markdown_is_read_without_a_panic_and_an_own_line_after_it_counts(text in markdown()) {
        let closed: String = text.chars().filter(|c| !"`~<".contains(*c)).collect();
        prop_assert_eq!(parse(&format!("{closed}\n\n{DONE}")).claims.len(), 1, "{}", closed);
        parse(&text);
    }
}
