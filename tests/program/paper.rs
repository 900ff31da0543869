//! LaTeX and figures for a paper: `gauntlet export` of a report. A document is compiled where `pdflatex` is installed.

use std::fs;
use std::process::Command;

use crate::workshop::Workshop;

const LEAGUE: &str = r#"schema = 1
name = "test/league"
title = "A league"

[labels]
weak = "50 % of {a}_b^2 & ~ # $ \\ <c> | é 日本 – ε"

[agents]
weak.uct = { simulations = 2 }
strong.uct = { simulations = 6 }
naive.naive = {}

[stages.league]
play.tournament = { game = { othello = { size = 4 } }, players = ["naive", "weak", "strong"], games = 4, format = "round-robin", openings = { random = { plies = 3 } } }

[[exhibit]]
name = "ratings"
title = "Ratings: 100 % & more_or_less #1"
show.ratings = { stage = "league" }

[[exhibit]]
name = "crosstable"
title = "Who beats whom"
typeset = { digits = 1, font-size = "7.5pt" }
show.crosstable = { stage = "league" }
"#;

/// A workshop with a report.
fn reported() -> Workshop {
    let workshop = Workshop::with(LEAGUE);
    let none = workshop.ends(2, &["export", "m.toml", "paper.tex"]).stderr;
    assert!(
        none.contains("m.toml has no whole report at profile base") && none.contains("gauntlet run m.toml"),
        "{none}"
    );
    workshop.done("run m.toml --quiet");
    workshop
}

/// The headings of the columns of an artefact's table, as Markdown has them.
fn headings(workshop: &Workshop, artefact: &str) -> Vec<String> {
    let markdown = workshop.read(&format!("reports/test/base/{artefact}.md"));
    let head = markdown.lines().find(|line| line.starts_with('|')).unwrap();
    head.trim_matches('|').split('|').skip(1).map(|cell| cell.trim().to_owned()).collect()
}

#[test]
fn tables_of_a_report_are_set_as_asked() {
    let workshop = reported();
    let said = workshop.done("export m.toml ratings.tex --artefact ratings").stderr;
    assert!(said.contains("1 artefact written to ratings.tex"), "{said}");
    assert_eq!(workshop.read("ratings.tex"), workshop.read("reports/test/base/ratings.tex"));
    let names = headings(&workshop, "ratings");
    let few = ["export", "m.toml", "few.tex", "--artefact", "test/ratings", "--bare", "--columns", &names[0]];
    workshop.ends(0, &few);
    let text = workshop.read("few.tex");
    assert!(text.starts_with("\\begin{tabular}{l r}\n") && !text.contains("caption"), "{text}");
    assert_eq!(text.lines().filter(|line| line.ends_with("\\\\")).count(), 1 + 4, "{text}");
    workshop.done("export m.toml own.tex --artefact crosstable");
    assert!(workshop.read("own.tex").contains("\\fontsize{7.5pt}{9pt}\\selectfont"), "the manifest's own setting");
    workshop.done("export m.toml other.tex --artefact crosstable --font-size 8pt --caption short");
    let other = workshop.read("other.tex");
    assert!(other.contains("\\fontsize{8pt}{9.6pt}") && other.contains("\\caption{Who beats whom.}"), "{other}");
}

#[test]
fn figures_have_the_width_of_a_column() {
    let workshop = reported();
    for ending in ["pdf", "svg", "png"] {
        workshop.done(&format!("export m.toml fig.{ending} --artefact ratings --width 85mm --font-size 8pt"));
    }
    let pdf = String::from_utf8_lossy(&fs::read(workshop.path("fig.pdf")).unwrap()).into_owned();
    let page = pdf.split("/MediaBox [0 0 ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let width: f64 = page.parse().unwrap();
    assert!((width - 85.0 / 25.4 * 72.0).abs() < 0.01, "{width}");
    assert!(pdf.contains("/FontFile2") && pdf.contains("/ToUnicode"), "its texts are texts");
    assert!(workshop.read("fig.svg").contains("width=\"3.3465in\""));
    let own = workshop.files("reports/test/base", "ratings.pdf").into_values().next().unwrap();
    assert!(!String::from_utf8_lossy(&own).contains("/FontFile2"), "the report's own is as before");
}

/// Every table and figure, with names that LaTeX would read as commands.
#[test]
fn a_document_of_a_report_compiles() {
    let workshop = reported();
    let said = workshop.done("export m.toml paper.tex --document --width 85mm").stderr;
    assert!(said.contains("2 artefacts written to paper.tex, and 2 figures"), "{said}");
    let text = workshop.read("paper.tex");
    for part in [
        "\\includegraphics{paper-ratings.pdf}",
        "\\includegraphics{paper-crosstable.pdf}",
        "\\label{test/ratings}",
        "\\label{test/ratings-figure}",
        "\\caption{Ratings: 100 \\% \\& more\\_or\\_less \\#1.}",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    let latex = ["-halt-on-error", "-interaction=nonstopmode", "paper.tex"];
    let Ok(compiled) = Command::new("pdflatex").args(latex).current_dir(workshop.path("")).output() else {
        return eprintln!("skipped: pdflatex is missing");
    };
    let log = String::from_utf8_lossy(&compiled.stdout);
    assert!(compiled.status.success() && workshop.path("paper.pdf").is_file(), "{log}");
    assert!(!log.contains("Overfull \\hbox"), "{log}");
}

#[test]
fn what_cannot_be_set_is_refused() {
    let workshop = reported();
    let refused = |arguments: &str, words: [&str; 2]| {
        let said = workshop.ends(2, &arguments.split_whitespace().collect::<Vec<_>>()).stderr;
        assert!(words.iter().all(|word| said.contains(word)), "{arguments}: {said}");
    };
    for width in ["0mm", "-85mm", "85", "19mm", "600mm", "wide"] {
        refused(&format!("export m.toml a.tex --width={width}"), ["--width", "write 20mm to 500mm"]);
    }
    refused("export m.toml a.tex --font-size 0pt", ["--font-size", "write 4pt to 30pt"]);
    refused("export m.toml a.tex --digits 10", ["--digits", "from 0 to 9"]);
    refused("export m.toml a.tex --artefact ratigs", ["no artefact `ratigs`", "did you mean `ratings`?"]);
    refused("export m.toml a.tex --artefact ratings --columns xyz", ["has no column `xyz`", "its columns: "]);
    refused("export m.toml a.pdf", ["2 artefacts, and a picture shows one", "ratings, crosstable"]);
    refused("export m.toml a.pdf --artefact ratings --digits 1", ["a.pdf is a picture", "--digits"]);
    refused("export m.toml a.pdf --artefact ratings --width 20mm --font-size 30pt", ["no room", "larger width"]);
    refused("export m.toml a.csv --width 85mm", ["a.csv is neither LaTeX nor a picture", ".svg"]);
    refused("export m.toml a.tex --artefact ratings --width 20mm", ["needs about", "smaller letters"]);
    assert!(!workshop.path("a.tex").exists() && !workshop.path("a.pdf").exists());
    for (right, wrong, words) in [
        ("font-size = \"7.5pt\"", "width = \"0mm\"", ["`0mm` is no width", "write 20mm to 500mm"]),
        ("digits = 1", "digits = 10", ["10 is outside", "0 to 9"]),
        ("digits = 1", "digit = 1", ["unknown key `digit`", "did you mean `digits`?"]),
    ] {
        workshop.write("wrong.toml", &LEAGUE.replace(right, wrong));
        refused("check wrong.toml", words);
        refused("check wrong.toml", ["wrong.toml:24:", "typeset = {"]);
    }
}
