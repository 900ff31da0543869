//! Input files of jobs: the text of a file replaces its name, so that it is part of the job's identity.
//!
//! Such files are descriptions of games, `mine = { ludeme = { file = "my.lud" } }`, and openings: `openings = { file =
//! "book.sgf" }` in a job of a stage or, with more settings, `openings = { file = { name = "games.pgn", plies = 8 } }`.
//! A file named by an axis is not read: axes are expanded later.

use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node, Table, Value};

/// Returns a file's path and text for its name in the manifest, or an error message.
type Read<'a> = dyn Fn(&str) -> Result<(String, String), String> + 'a;

/// Reads the files of all stages and games.
pub fn put_in_place(root: &mut Table, read: &Read<'_>, problems: &mut Vec<Problem>) {
    descriptions(root, read, problems);
    let Some(Node { value: Value::Table(stages), .. }) = root.get_mut("stages") else { return };
    let names: Vec<String> = stages.keys().map(str::to_owned).collect();
    for name in names {
        let Some(Node { value: Value::Table(stage), .. }) = stages.get_mut(&name) else { continue };
        for kind in ["train", "play", "measure"] {
            let Some(Node { value: Value::Table(kind), .. }) = stage.get_mut(kind) else { continue };
            if let Some(job) = kind.tagged_mut() {
                openings(job, read, problems);
            }
        }
    }
}

/// Reads the file of a job's openings.
fn openings(job: &mut Table, read: &Read<'_>, problems: &mut Vec<Problem>) {
    let Some(Node { value: Value::Table(openings), .. }) = job.get_mut("openings") else { return };
    let found = openings.get_mut("file").map_or(Ok(()), |node| in_place(node, read));
    if let Err(problem) = found {
        problems.push(problem);
        // The missing text is not a second problem.
        job.remove("openings");
    }
}

/// Inserts the descriptions of games beside the names of their files.
fn descriptions(root: &mut Table, read: &Read<'_>, problems: &mut Vec<Problem>) {
    let Some(Node { value: Value::Table(games), .. }) = root.get_mut("games") else { return };
    let names: Vec<String> = games.keys().map(str::to_owned).collect();
    for name in names {
        let Some(Node { value: Value::Table(game), .. }) = games.get_mut(&name) else { continue };
        let Some(Node { value: Value::Table(game), .. }) = game.get_mut("ludeme") else { continue };
        let Some(file) = game.get_mut("file").filter(|file| file.text().is_some()) else { continue };
        let (found, span) = (file.text().map(read), file.span.clone());
        match found {
            Some(Ok((path, text))) => {
                file.value = Value::Text(path.into());
                game.insert(entry("description", &text, span));
            }
            Some(Err(message)) => problems.push(Problem::at(span, message)),
            None => {}
        }
    }
}

fn in_place(node: &mut Node, read: &Read<'_>) -> Result<(), Problem> {
    if let Some(name) = node.text().map(str::to_owned) {
        node.value = Value::Table(Table::from(vec![entry("name", &name, node.span.clone())]));
    }
    let Value::Table(file) = &mut node.value else { return Ok(()) };
    let Some(name) = file.get("name").filter(|_| file.get("text").is_none()) else { return Ok(()) };
    let (Some(text), span) = (name.text().map(read), name.span.clone()) else { return Ok(()) };
    let (_, text) = text.map_err(|message| Problem::at(span.clone(), message))?;
    file.insert(entry("text", &text, span));
    Ok(())
}

fn entry(key: &str, text: &str, span: Span) -> Entry {
    let node = Node { span: span.clone(), value: Value::Text(text.into()) };
    Entry { key: key.into(), key_span: span, node }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::manifest::{Overrides, Plan, load};
    use gauntlet_jobs::JobSpec;
    use gauntlet_play::arena::{OpeningsSpec, PlaySpec};

    const MANIFEST: &str = r#"
        schema = 1
        name = "test"
        title = "A tournament"
        [games]
        gomoku.gomoku = { size = 5 }
        [agents]
        naive.naive = {}
        random.random = {}
        [stages.league.play.tournament]
        game = "gomoku"
        players = ["naive", "random", { name = "another", agent = { random = {} } }]
        games = 2
        openings = { file = "book.sgf" }
    "#;

    fn plan(manifest: &str, book: Option<&str>) -> Result<Plan, String> {
        let files = [("test.toml", Some(manifest)), ("book.sgf", book)];
        let present = files.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.to_owned())));
        let source: BTreeMap<String, String> = present.collect();
        let messages = |problems: crate::manifest::Problems| format!("{problems:?}");
        load(&source, "test.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")).map_err(messages)
    }

    #[test]
    fn names_of_players_and_files_are_written_out() {
        let plan = plan(MANIFEST, Some("(;GM[4]SZ[5];B[cc])")).unwrap();
        let JobSpec::Play(PlaySpec::Tournament(job)) = &*plan.configs.last().unwrap().spec else {
            panic!("a tournament")
        };
        let players: Vec<_> = job.players.iter().map(|player| (player.name.as_str(), player.agent.name())).collect();
        let of = |name: &str| name.to_owned();
        assert_eq!(players, [("naive", of("naive")), ("random", of("random")), ("another", of("random"))]);
        let OpeningsSpec::File(file) = &job.openings else { panic!("a file") };
        assert_eq!((file.name.as_str(), file.text.as_str()), ("book.sgf", "(;GM[4]SZ[5];B[cc])"));
    }

    #[test]
    fn more_may_be_said_about_a_file() {
        let manifest = MANIFEST.replace("\"book.sgf\"", "{ name = \"book.sgf\", plies = 1 }");
        let plan = plan(&manifest, Some("(;GM[4]SZ[5];B[cc];W[bb])")).unwrap();
        let JobSpec::Play(PlaySpec::Tournament(job)) = &*plan.configs.last().unwrap().spec else {
            panic!("a tournament")
        };
        let OpeningsSpec::File(file) = &job.openings else { panic!("a file") };
        assert_eq!((file.plies, file.text.as_str()), (Some(1), "(;GM[4]SZ[5];B[cc];W[bb])"));
    }

    /// Openings of measurements and tunings are files, too.
    #[test]
    fn every_kind_of_job_reads_its_openings() {
        let (head, _) = MANIFEST.split_once("[stages.league").unwrap();
        let tuned =
            head.replace("[agents]", "[agents]\nmine.tuned = { agent.uct = {}, numbers.c = { from = 0.2, to = 4 } }");
        for (manifest, stage) in [
            (head, "measure.optimal = { game = \"gomoku\", agent = \"random\", plies = 3"),
            (head, "measure.solutions = { game = \"gomoku\", plies = 3"),
            (&tuned, "train.spsa = { game = \"gomoku\", agent = \"mine\""),
        ] {
            let manifest = format!("{manifest}\n[stages.one]\n{stage}, openings = {{ file = \"book.sgf\" }} }}\n");
            let plan = plan(&manifest, Some("(;GM[4]SZ[5];B[cc])")).unwrap();
            let spec = serde_json::to_string(&*plan.configs.last().unwrap().spec).unwrap();
            assert!(spec.contains("\"text\":\"(;GM[4]SZ[5];B[cc])\""), "{spec}");
        }
    }

    #[test]
    fn two_names_with_one_label_are_refused() {
        let labels = |text: &str| plan(&format!("{MANIFEST}\n[labels]\n{text}\n"), Some("(;GM[4]SZ[5];B[cc])"));
        assert!(labels("naive = \"A\"\nrandom = \"B\"").is_ok());
        let refused = labels("naive = \"A\"\nrandom = \"A\"").unwrap_err();
        assert!(refused.contains("`naive` and `random` have one label: `A`"), "{refused}");
        let refused = labels("naive = \"random\"").unwrap_err();
        assert!(refused.contains("the label of `naive` is the name of another player: `random`"), "{refused}");
        assert!(labels("naive = \"random\"\nrandom = \"naive\"").is_ok(), "both are shown under other names");
        assert!(labels("naive = \"naive\"\nother = \"random\"").is_ok());
    }

    #[test]
    fn the_text_of_a_file_belongs_to_the_identity() {
        let key = |book| plan(MANIFEST, Some(book)).unwrap().configs[0].key;
        assert_eq!(key("(;GM[4]SZ[5];B[cc])"), key("(;GM[4]SZ[5];B[cc])"));
        assert_ne!(key("(;GM[4]SZ[5];B[cc])"), key("(;GM[4]SZ[5];B[bb])"));
    }

    #[test]
    fn invalid_files_report_the_reason() {
        let wrong = |manifest: &str, book| plan(manifest, book).unwrap_err();
        assert!(wrong(MANIFEST, None).contains("there is no manifest `book.sgf`"));
        assert!(wrong(&MANIFEST.replace("book.sgf", "../book.sgf"), None).contains("would leave"));
        let book = Some("(;GM[4]SZ[5];B[zz])");
        assert!(wrong(MANIFEST, book).contains("book.sgf, line 1: move 1: expected a point of the board"));
        let typo = MANIFEST.replace("[\"naive\",", "[\"naiv\",");
        let message = wrong(&typo, Some("(;GM[4]SZ[5])"));
        assert!(message.contains("unknown player `naiv`") && message.contains("did you mean `naive`?"), "{message}");
    }
}
