//! Playing jobs as a manifest writes them: jobs that keep game records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::match_job::MatchJob;
use super::tournament_job::TournamentJob;
use crate::jobs::Job;

/// The kinds of playing jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaySpec {
    /// Pairs of games between two players.
    Match(MatchJob),
    /// Matches between many players.
    Tournament(TournamentJob),
}

impl PlaySpec {
    /// The job.
    #[must_use]
    pub fn job(&self) -> &dyn Job {
        match self {
            PlaySpec::Match(job) => job,
            PlaySpec::Tournament(job) => job,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::testing::Impatient;
    use super::*;
    use crate::arena::{Meeting, OpeningsSpec, Pair, RandomOpenings, Standing};
    use crate::jobs::{Files, GAMES, Given, Inputs, Job, JobError, RESULT, ReadFile, UpstreamFiles};
    use gauntlet_games::base::{Ending, Record, Resignations, ResumePoint, Silent};
    use gauntlet_games::formats::records::Records;

    fn spec(text: &str) -> PlaySpec {
        serde_json::from_str(text).unwrap()
    }

    /// The numbers and the records of a job's games.
    fn run(spec: &PlaySpec, seed: u64) -> (Value, Vec<Record>) {
        let given = Given { seed, upstream: &UpstreamFiles::default(), inputs: &Inputs::new(), checkpoint: None };
        let files = spec.job().run(&given, &mut Silent).unwrap();
        let [(games, records), (result, numbers)] = &files[..] else { panic!("two files") };
        assert_eq!((&**games, &**result), (GAMES, RESULT));
        (serde_json::from_slice(numbers).unwrap(), Records::open(&records[..]).unwrap().map(Result::unwrap).collect())
    }

    const MATCH: &str = r#"{"match":{"game":{"gomoku":{"size":5,"row":4}},"agent":{"naive":{}},
        "opponent":{"random":{}},"games":40,"openings":{"random":{"plies":2}},"max-plies":12}}"#;

    #[test]
    fn a_match_reads_as_a_fitness_and_as_a_standing() {
        let spec = spec(MATCH);
        spec.job().check().unwrap();
        let (result, records) = run(&spec, 1);
        let standing: Standing = serde_json::from_value(result.clone()).unwrap();
        let scores = result["scores"].as_str().unwrap();
        assert_eq!((scores.len(), standing.games), (40, 40));
        let points = standing.meetings[0].pentanomial.iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0]);
        let mean = points.map(|(&count, points)| count as f64 * points).sum::<f64>() / 40.0;
        assert_eq!(result["mean"].as_f64(), Some(mean));
        assert!(mean > 0.2 && standing.adjudicated > 0 && standing.distinct > 30, "{standing:?}");
        assert!(records.len() == 40 && records.iter().all(|game| game.opening == 2 && game.actions.len() <= 12));
        assert_eq!(run(&spec, 1), (result, records.clone()));
        assert_ne!(run(&spec, 2).1, records);
    }

    #[test]
    fn a_limit_of_plies_leaves_a_move_after_the_opening() {
        let check =
            |most: &str| spec(&MATCH.replace("\"max-plies\":12", &format!("\"max-plies\":{most}"))).job().check();
        let error = check("2").unwrap_err();
        assert!(error.starts_with("a random opening has 2 plies, and `max-plies = 2`"), "{error}");
        check("3").unwrap();
    }

    #[test]
    fn resignations_are_counted_and_their_mistakes_measured() {
        let resign = r#""resign":{"below":-0.3,"plies":2,"played-out":0.5},"games":40"#;
        let text = MATCH.replace("{\"naive\":{}}", "{\"uct\":{\"simulations\":8}}");
        let text = text.replace("\"games\":40", resign).replace(",\"max-plies\":12", "");
        let spec = spec(&text);
        assert_eq!(serde_json::from_str::<PlaySpec>(&serde_json::to_string(&spec).unwrap()).unwrap(), spec);
        let (result, read) = run(&spec, 1);
        let resigned = serde_json::from_value::<Standing>(result).unwrap().resignations.unwrap();
        let mut counts = Resignations::default();
        read.iter().for_each(|record| counts.add(record));
        assert_eq!(resigned.counts, counts);
        assert!(counts.resigned > 0 && counts.played_out > 0 && counts.would_be >= counts.wrong, "{counts:?}");
        assert_eq!(resigned.wrong_interval.is_some(), counts.would_be > 0);
        // The random player has no expectation and never resigns.
        let loser = |record: &Record| usize::from(record.score(1) > 0.0);
        assert!(read.iter().filter(|game| game.ending == Ending::Resigned).all(|game| loser(game) == 1));
        let plain = MATCH.replace(",\"max-plies\":12", "");
        assert!(run(&self::spec(&plain), 1).0["resignations"].is_null());
    }

    const PLAYERS: [&str; 8] = [
        r#"{"random":{}}"#,
        r#"{"naive":{}}"#,
        r#"{"uct":{"simulations":6}}"#,
        r#"{"search":{"search":{"simulations":6,"ties":"random"},"temperature":0.5}}"#,
        r#"{"search":{"search":{"simulations":6,"reuse":"keep"},"sampled-plies":3}}"#,
        r#"{"search":{"search":{"simulations":6,"rule":{"gumbel":{}}}}}"#,
        r#"{"net":{"network":{"mdlstm":{"cells":2}}}}"#,
        r#"{"guided":{"network":{"saz":{"hidden":4}},"subgraphs":{},"cache":4,
            "search":{"simulations":4,"root-noise":{"alpha":1,"at-play":true}}}}"#,
    ];

    #[test]
    fn matches_of_every_player_end_alike_after_interruptions() {
        for player in PLAYERS {
            let text = MATCH.replace("{\"naive\":{}}", player).replace("\"games\":40", "\"games\":8");
            let spec = spec(&text);
            let run = |left: usize, checkpoint: Option<&ResumePoint>| {
                let mut sink = Impatient { left, checkpoint: None };
                let given = Given { seed: 3, upstream: &UpstreamFiles::default(), inputs: &Inputs::new(), checkpoint };
                (spec.job().run(&given, &mut sink), sink.checkpoint)
            };
            let whole = run(usize::MAX, None).0.unwrap();
            let (mut checkpoint, mut interruptions) = (None, 0);
            for left in 0.. {
                let (played, state) = run(left, checkpoint.as_ref());
                if let Ok(files) = played {
                    assert!(files == whole, "{player}");
                    break;
                }
                (checkpoint, interruptions) = (state, interruptions + 1);
            }
            assert!(interruptions > 2, "{player}: {interruptions} interruptions");
        }
    }

    /// A tournament of these players in this order, each with itself, too.
    fn tournament(names: &[&str]) -> TournamentJob {
        let agent = |name: &str| match name {
            "uct" => r#"{"uct":{"simulations":4}}"#,
            "net" => r#"{"net":{"network":{"mdlstm":{"cells":2}}}}"#,
            _ => r#"{"random":{}}"#,
        };
        let player = |name: &&str| format!(r#"{{"name":{name:?},"agent":{}}}"#, agent(name));
        let players = names.iter().map(player).collect::<Vec<_>>().join(",");
        let text = format!(
            r#"{{"game":{{"gomoku":{{"size":5,"row":4}}}},"games":4,"openings":{{"random":{{"plies":2}}}},"mirrors":true,
            "resign":{{"below":-0.3,"plies":2,"played-out":0.5}},"players":[{players}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    /// The files of a job alone.
    fn alone(job: &TournamentJob, upstream: &UpstreamFiles) -> Result<Files, JobError> {
        job.check().unwrap();
        job.run(&Given { seed: 7, upstream, inputs: &Inputs::new(), checkpoint: None }, &mut Silent)
    }

    /// The files of all meetings, as their tournament reads them.
    fn meetings(job: &TournamentJob) -> Vec<ReadFile> {
        let files = |meeting: Meeting| {
            assert!(!meeting.job.is_divided(), "{}", meeting.name);
            let files = alone(&meeting.job, &UpstreamFiles::default()).unwrap();
            files.into_iter().map(move |(file, bytes)| ReadFile { owner: Some(meeting.name.clone()), file, bytes })
        };
        job.meetings().into_iter().flat_map(files).collect()
    }

    /// The counts of a sum are those of all its records, counted again.
    #[test]
    fn a_tournament_is_the_sum_of_its_meetings() {
        let job = tournament(&["uct", "a", "net"]);
        let files = meetings(&job);
        assert_eq!(files.len(), 2 * 6, "three meetings of two players, three of one");
        let summed = alone(&job, &files.iter().cloned().collect()).unwrap();
        let standing: Standing = serde_json::from_slice(&summed[1].1).unwrap();
        let records: Vec<Record> = Records::open(&summed[0].1[..]).unwrap().map(Result::unwrap).collect();
        assert!(records.iter().enumerate().all(|(at, record)| record.game == at));
        let pairs: Vec<Pair> = records.as_chunks::<2>().0.to_vec();
        let names = ["uct", "a", "net"].map(str::to_owned).to_vec();
        assert_eq!(standing, Standing::new(names, &pairs, job.resign));
        assert_eq!((standing.games, standing.meetings.len()), (24, 6));
        let openings: std::collections::HashSet<&[_]> = pairs.iter().map(|pair| &pair[0].actions[..2]).collect();
        assert!(openings.len() > 8, "the openings of {} pairs are {}", pairs.len(), openings.len());
    }

    #[test]
    fn another_player_and_another_order_change_no_game() {
        let jobs = |names: &[&str]| -> Vec<(String, TournamentJob)> {
            let mut jobs: Vec<_> = tournament(names).meetings().into_iter().map(|one| (one.name, one.job)).collect();
            jobs.sort_by(|one, other| one.0.cmp(&other.0));
            jobs
        };
        let (few, many) = (jobs(&["uct", "a", "net"]), jobs(&["z", "net", "a", "uct"]));
        assert!(few.iter().all(|one| many.contains(one)) && many.len() == 10);
        assert!(jobs(&["a"]).is_empty() && jobs(&["a", "b"]).len() == 3);
        let two = |names: &[&str]| TournamentJob { mirrors: false, ..tournament(names) };
        assert!(!two(&["a", "b"]).is_divided() && two(&["b", "a"]).is_divided());
        assert_eq!(two(&["b", "a"]).meetings()[0].job, two(&["a", "b"]));
    }

    #[test]
    fn drawn_openings_of_all_matches_can_be_the_same() {
        let (mut job, openings) = (tournament(&["a", "b", "uct"]), |job: &TournamentJob| -> Vec<Vec<_>> {
            let files = meetings(job);
            let games =
                files.iter().filter(|file| file.file == GAMES).map(|file| Records::open(&file.bytes[..]).unwrap());
            games.map(|games| games.map(|game| game.unwrap().actions[..2].to_vec()).collect()).collect()
        });
        assert_ne!(openings(&job)[0], openings(&job)[1]);
        job.openings = OpeningsSpec::Random(RandomOpenings { plies: 2, same: true });
        let found = openings(&job);
        assert!(found.iter().all(|own| *own == found[0]) && found[0][0] != found[0][2], "{found:?}");
    }

    /// Names of players are any text. So those of two meetings could be one.
    #[test]
    fn every_meeting_has_a_name_of_its_own() {
        for names in [
            &["a", "a – b", "b – c", "c"][..],
            &["a", "itself", "a –", "– c", "c"],
            &["\"", "\"a\"", "a", "\" – a"],
            &["–", " – ", "x", " "],
        ] {
            let job = tournament(names);
            let meetings: Vec<String> = job.meetings().into_iter().map(|meeting| meeting.name).collect();
            let distinct: std::collections::HashSet<&String> = meetings.iter().collect();
            assert_eq!((distinct.len(), meetings.len()), (job.matches(), job.matches()), "{meetings:?}");
        }
        let summed = alone(&tournament(&["a", "a – b", "b – c", "c"]), &{
            meetings(&tournament(&["a", "a – b", "b – c", "c"])).into_iter().collect()
        });
        let standing: Standing = serde_json::from_slice(&summed.unwrap()[1].1).unwrap();
        assert_eq!((standing.games, standing.meetings.len()), (40, 10));
        let error = tournament(&["a", "b", "a – b"]).check().unwrap_err();
        assert_eq!(error, "the player `a – b` has the name of a meeting: change it");
    }

    #[test]
    fn a_meeting_that_is_missing_is_named() {
        let job = tournament(&["uct", "a", "net"]);
        let files = meetings(&job).into_iter().filter(|file| file.owner.as_deref() != Some("a – net"));
        let error = alone(&job, &files.collect()).unwrap_err().to_string();
        assert_eq!(error, "the meeting a – net has no result.json");
    }

    #[test]
    fn random_weights_differ_by_the_name() {
        let net = r#"{"net":{"network":{"mdlstm":{"cells":2}}}}"#;
        let text = format!(
            r#"{{"tournament":{{"game":{{"gomoku":{{"size":5}}}},"games":2,"players":[
            {{"name":"a","agent":{net}}},{{"name":"b","agent":{net}}}]}}}}"#
        );
        let (_, games) = run(&spec(&text), 1);
        assert_ne!(games[0].actions, games[1].actions, "equal players would play one game twice");
    }

    #[test]
    fn invalid_jobs_report_key_and_reason() {
        let tournament = |players: &str, more: &str| {
            let text = format!(
                r#"{{"tournament":{{"game":{{"gomoku":{{"size":5}}}},"games":2,"players":[{players}]{more}}}}}"#
            );
            spec(&text).job().check().unwrap_err()
        };
        let (a, b) = (r#"{"name":"a","agent":{"naive":{}}}"#, r#"{"name":"b","agent":{"tactician":{}}}"#);
        assert_eq!(tournament(a, ""), "a tournament has at least two players, and this one has one");
        assert_eq!(tournament(&format!("{a},{a}"), ""), "two players are called `a`");
        assert!(tournament(&format!("{a},{b}"), "").contains("tactician cannot play gomoku"));
        let c = a.replace("\"a\"", "\"c\"");
        let both = format!("{a},{c}");
        assert!(tournament(&both, r#","format":{"matchmaking":{}}"#).contains("no pool of 10"));
        assert!(tournament(&both, r#","openings":{"list":["Z9"]}"#).contains("`Z9` is not a legal action"));
        let odd = MATCH.replace("40", "41");
        assert!(serde_json::from_str::<PlaySpec>(&odd).unwrap_err().to_string().contains("41 games cannot be split"));
    }
}
