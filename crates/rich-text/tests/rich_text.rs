//! Texts as EtherCalc shows them, and attacks that must leave nothing that runs.
//!
//! `wiki.tsv` has wiki texts and the HTML that the library of EtherCalc's page makes of them (wikiwyg, in
//! npm's `ethercalc` 0.20200127.0), with `\n` for line breaks.

use proptest::prelude::*;
use quadrille_rich_text::{RichText, pieces, to_html, to_runs};
use quadrille_workbook::TextFormat;

fn html(format: TextFormat, text: &str) -> String {
    to_html(&pieces(format, text), true).replace(" target=\"_blank\" rel=\"noopener noreferrer\"", "")
}

fn runs(format: TextFormat, text: &str) -> RichText {
    to_runs(&pieces(format, text), 1_000)
}

#[test]
fn wiki_text_is_that_of_ethercalc() {
    let unescaped = |text: &str| text.replace("\\n", "\n").replace("\\\\", "\\");
    let joined = |html: &str| html.replace('\n', "").trim().to_owned();
    let mut different = Vec::new();
    for line in include_str!("wiki.tsv").lines() {
        let (text, expected) = line.split_once('\t').expect("two columns");
        let expected = unescaped(expected)
            .replace("<br />", "<br>")
            .replace("<hr />", "<hr>")
            .replace(" class=\"wafl\"", "")
            .replace("&apos;", "&#39;");
        let shown = html(TextFormat::Wiki, &unescaped(text));
        if joined(&shown) != joined(&expected) {
            different.push(format!("{text}\n  {shown}\n  {expected}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn html_keeps_the_elements_and_attributes_of_texts() {
    for (text, expected) in [
        ("a <b>bold</b> word", "a <b>bold</b> word"),
        ("<B>a</b>", "<b>a</b>"),
        ("1 < 2 &amp; 3 > 2", "1 &lt; 2 &amp; 3 &gt; 2"),
        ("<a href='https://example.org/'>x</a>", "<a href=\"https://example.org/\">x</a>"),
        ("<font color=red size=2>x</font>", "<font color=\"red\" size=\"2\">x</font>"),
        ("<span style=\"color:#f00;position:fixed\">x</span>", "<span style=\"color:#f00\">x</span>"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<p>a<p>b", "<p>a</p><p>b</p>"),
        (
            "<table><tr><td colspan=2>a<td>b<tr><td>c</table>",
            "<table><tr><td colspan=\"2\">a</td><td>b</td></tr><tr><td>c</td></tr></table>",
        ),
        ("<img src=/logo.png alt=Logo width=20>", "<img src=\"/logo.png\" alt=\"Logo\" width=\"20\">"),
        ("a<br/>b<hr>", "a<br>b<hr>"),
        ("</b>a</i>", "a"),
        ("<custom>a</custom>", "a"),
    ] {
        assert_eq!(html(TextFormat::Html, text), expected, "{text}");
    }
}

#[test]
fn attacks_leave_nothing_that_runs() {
    for (text, expected) in [
        ("<script>alert(1)</script>a", "a"),
        ("<scr<script>ipt>alert(1)</script>", "ipt&gt;alert(1)"),
        ("<img src=x onerror=alert(1)>", "<img src=\"x\">"),
        ("<img src=\"javascript:alert(1)\">", "<img>"),
        ("<b onclick=alert(1) id=x class=y>a</b>", "<b>a</b>"),
        ("<a href=\"java\nscript:alert(1)\">a</a>", "<a>a</a>"),
        ("<a href=\"&#106;avascript:alert(1)\">a</a>", "<a>a</a>"),
        // Not a control character any more, but a part of a relative address.
        ("<a href=\"&#1;javascript:alert(1)\">a</a>", "<a href=\"&amp;#1;javascript:alert(1)\">a</a>"),
        ("<svg><script>alert(1)</script></svg>b", "b"),
        ("<svg onload=alert(1)>", ""),
        ("<iframe src=https://example.org></iframe>a", "a"),
        ("<style>@import 'x';</style>a", "a"),
        ("<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>", ""),
        ("<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">", "<img src=\"x\">&quot;&gt;"),
        (
            "<b title='\"><img src=x onerror=alert(1)>'>a</b>",
            "<b title=\"&quot;&gt;&lt;img src=x onerror=alert(1)&gt;\">a</b>",
        ),
        ("<!-- <b> --><b>a", "<b>a</b>"),
        ("<div style=\"background:url(//example.org/x)\">a</div>", "<div>a</div>"),
        ("<form action=x><input name=y><button>a</button></form>", "a"),
        ("<a href=x", ""),
        ("<", "&lt;"),
        ("<meta http-equiv=refresh content=0><base href=//x><link rel=stylesheet href=x>a", "a"),
    ] {
        assert_eq!(html(TextFormat::Html, text), expected, "{text}");
    }
}

#[test]
fn links_and_images_are_those_of_socialcalc() {
    for (text, expected) in [
        ("http://example.org/", "<a href=\"http://example.org/\">example.org/</a>"),
        ("https://example.org/", "<a href=\"https://example.org/\">https://example.org/</a>"),
        ("Home<http://example.org/>", "<a href=\"http://example.org/\">Home</a>"),
        ("\"My home\" <<http://example.org/>>", "<a href=\"http://example.org/\">My home</a>"),
        ("<http://example.org/>", "<a href=\"http://example.org/\">Link</a>"),
        ("Home[Page]", "Home"),
        ("a<b<javascript:alert(1)>", "a&lt;b"),
        ("javascript:alert(1)", "javascript:alert(1)"),
    ] {
        assert_eq!(html(TextFormat::Link, text), expected, "{text}");
    }
    let image = html(TextFormat::Image, "https://example.org/a b.png");
    assert_eq!(image, "<img src=\"https://example.org/a%20b.png\">");
    assert_eq!(html(TextFormat::Image, "javascript:x\"onerror=y"), "javascript:x&quot;onerror=y");
    let link = to_html(&pieces(TextFormat::Image, "https://example.org/a.png"), false);
    let address = "https://example.org/a.png";
    assert_eq!(
        link,
        format!("<a href=\"{address}\" target=\"_blank\" rel=\"noopener noreferrer\">{address}</a>")
    );
}

#[test]
fn the_grid_gets_lines_and_formats() {
    let rich = runs(TextFormat::Html, "<h1>Plan</h1>a <b>b</b>  \n c<ul><li>one<li>two</ul>end");
    assert_eq!(rich.text, "Plan\na b c\n• one\n• two\nend");
    let bold: Vec<(u32, bool, u16)> = rich.runs.iter().map(|run| (run.end, run.bold, run.size)).collect();
    assert_eq!(bold, [(4, true, 200), (7, false, 100), (8, true, 100), (26, false, 100)]);
    let rich = runs(TextFormat::Wiki, "see *http://example.org/* 😀");
    let links: Vec<_> = rich.runs.iter().map(|run| (run.end, run.bold, run.link.as_deref())).collect();
    let address = Some("http://example.org/");
    assert_eq!(links, [(4, false, None), (23, true, address), (26, false, None)]);
    let rich = runs(TextFormat::Html, "<ol><li>a</li><li>b<ul><li>c</ul></ol><table><tr><td>1<td>2</table>");
    assert_eq!(rich.text, "1. a\n2. b\n   • c\n1    2");
    let rich = runs(TextFormat::Image, "https://example.org/logo.png?v=1");
    assert_eq!(rich.text, "▣ logo.png");
    assert_eq!(rich.runs[0].link.as_deref(), Some("https://example.org/logo.png?v=1"));
    assert_eq!(to_runs(&pieces(TextFormat::Html, &"x".repeat(50)), 10).text.len(), 10);
}

#[test]
fn long_and_deep_texts_take_no_long_time() {
    for part in ["<b>", "*a _", "> ", "<li>", "[a", "\"", "{a ", "*", "&", "<script>", "<!--", "http://a "] {
        let text = part.repeat(32_767 / part.len());
        for format in [TextFormat::Html, TextFormat::Wiki, TextFormat::Link, TextFormat::Image] {
            let written = html(format, &text);
            assert!(written.len() < 40 * text.len() + 100, "{part}");
        }
    }
}

proptest! {
    /// The only markup in the HTML is that of the elements of the list, with quoted attributes.
    #[test]
    fn every_text_becomes_safe_html(
        parts in prop::collection::vec(prop::sample::select(PARTS.to_vec()), 0..30),
        format in prop::sample::select(vec![
            TextFormat::Html, TextFormat::Wiki, TextFormat::Link, TextFormat::Image,
        ]),
    ) {
        let text = parts.concat();
        let written = html(format, &text);
        let mut open: Vec<&str> = Vec::new();
        for tag in written.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').expect("each tag has an end");
            match tag.strip_prefix('/') {
                Some(name) => prop_assert_eq!(open.pop(), Some(name), "{}", written),
                None => {
                    let name = tag.split(' ').next().unwrap_or_default();
                    prop_assert!(!["script", "iframe", "svg", "style", "object"].contains(&name), "{}", written);
                    if !["br", "hr", "img", "wbr", "col"].contains(&name) {
                        open.push(name);
                    }
                    // Outside of quotes there is no handler.
                    let bare: String = tag.split('"').step_by(2).collect();
                    prop_assert!(!bare.contains(" on"), "{}", written);
                    let address = tag.split("href=\"").nth(1).or_else(|| tag.split("src=\"").nth(1));
                    let address = address.unwrap_or_default().to_lowercase();
                    prop_assert!(!address.starts_with("javascript:"), "{}", written);
                }
            }
        }
        prop_assert!(open.is_empty(), "{}", written);
        let rich = runs(format, &text);
        let units = rich.text.encode_utf16().count() as u32;
        prop_assert_eq!(rich.runs.last().map_or(0, |run| run.end), units, "{:?}", rich);
        prop_assert!(rich.runs.is_sorted_by(|a, b| a.end <= b.end), "{:?}", rich);
    }
}

const PARTS: [&str; 40] = [
    "<",
    ">",
    "/",
    "\"",
    "'",
    "=",
    " ",
    "\n",
    "&",
    "&lt;",
    "&#60;",
    "a",
    "b>",
    "<b",
    "</b>",
    "<a href=",
    "<img src=",
    "javascript:",
    "onerror=x",
    "<script>",
    "</script>",
    "<svg>",
    "<table>",
    "<td>",
    "<li>",
    "<p>",
    "<!--",
    "-->",
    "*",
    "_",
    "[",
    "]",
    "{",
    "}",
    "^ ",
    "* ",
    "> ",
    "http://x.org/",
    "x@y.org",
    "😀",
];
