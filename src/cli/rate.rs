//! `gauntlet rate`: ratings of the players of any tournament, from files of many tools.

mod remarks;
mod settings;
mod standings;
mod watch;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use super::output::{self, Misuse, note, result, table, visible};
use super::{Exit, Flags};
use crate::app::PlayerNames;
use gauntlet_games::base::files::content_hash;
use gauntlet_games::formats::results::{BadInput, GameResults, ReadFile, Reading, read};
use gauntlet_jobs::JobSpec;
use gauntlet_plan::manifest::Name;
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::measure::match_table;
use gauntlet_ratings::bradley_terry::Advantage;
use gauntlet_ratings::intervals::percent;
use gauntlet_report::standings::{RankedPlayer, Ranking};
use gauntlet_report::{resignations, standings as report, write};
use gauntlet_store::{frames, read_path};
use remarks::{left_out, remarks, unplayed};
use settings::{RateSettings, Unplayed};

/// The columns of counted results, and those of single games.
const COLUMNS: &str = "player_a,player_b,wins_a,draws,losses_a for counts, or white,black,result for games";

/// The text after the options in `gauntlet rate --help`.
const FORMATS: &str = "\
The format follows from the content of a file:
  PGN               games with the tags White, Black and Result
  CSV               the first line names the columns, in any order and with or without others;
                    then comes a row for any two players with their counts:
                      player_a,player_b,wins_a,draws,losses_a
                      alice,bob,12,3,5
                    or a row for each game, white moving first (1-0, 0-1, 1/2-1/2):
                      white,black,result,opening
                      alice,bob,1-0,17
                    two games of one opening with colours swapped make a pair; `opening` may be
                    any text, and may be left out. Other tables have a game a row, too:
                      model_a,model_b,winner     model_a, model_b, tie, tie (bothbad)
                      player1,player2,score      0, 0.5, 1
                      winner,loser
                    semicolons, tabs or bars may stand between the fields
  JSON lines        the same tables: an object a line, with the columns as keys; or a list of them
  SGF               games with PB, PW and RE; Black moves first
  games.jsonl       the records of a playing job of this program
  rankings.json     the results that the authors of AlphaGateau published
  config.json       the state that fastchess saves, with counts of pairs of games
  run of fishtest   the JSON of its server (/api/get_run/...)
  log               the output of fastchess or cutechess, or a summary of OpenBench or fishtest: lines such as
                      Results of alice vs bob (10+0.1, 1t, 16MB):
                      Ptnml(0-2): 1, 12, 30, 15, 2
                    the last report of a match counts; a summary without names is of `new` against `base`
Errors are computed over pairs of games where these are known. In PGN, two games make a pair if they have one Event,
Round and FEN (or start), swapped players, and no third game shares these. A Round of 12.1 and 12.2 counts as one.";

/// Rate the players of a tournament: PGN and SGF files, tables of counts or games, this program's records,
/// AlphaGateau's rankings.json, states and logs of fastchess, logs of cutechess, OpenBench and fishtest. Prints them; with --reports DIR also writes CSV, JSON, Markdown, LaTeX and a picture
#[derive(Debug, Args)]
#[command(after_help = FORMATS)]
pub struct Rate {
    /// Files of results, of any known format; `-` is the standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    #[command(flatten)]
    settings: RateSettings,
    /// Skip and count bad games and rows instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
    /// Also read the moves of PGN files, SGF files and records, to count distinct games
    #[arg(long)]
    moves: bool,
    /// Games that were decided without play, by a forfeit or without a move
    #[arg(long, value_enum, default_value = "count", value_name = "count|leave", hide_possible_values = true)]
    unplayed: Unplayed,
    /// Name of the files that --reports writes, in the subdirectory `rate` [default: ratings]
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<Name>,
}

impl Rate {
    /// Reads, rates, prints, and writes files if --reports is given.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        if self.name.is_some() && !flags.options.names_reports {
            return Err(Misuse::new("--name names files, and no file is written", "say where to, with --reports DIR"));
        }
        self.check_files()?;
        let mut results = GameResults::default();
        let leave_unplayed = self.unplayed == Unplayed::Leave;
        let how = Reading { skip_bad: self.skip_bad, moves: self.moves, leave_unplayed };
        let names = PlayerNames::of(self.files.iter().map(Path::new));
        let read = |file: &String| {
            results.rename(names.in_file(Path::new(file)));
            read(file, how, &mut results)
        };
        let sources = self.files.iter().map(read).collect::<Result<Vec<_>, _>>();
        let sources = sources.map_err(refused)?;
        let games: u64 = sources.iter().map(|source| source.games).sum();
        if games == 0 {
            return Err(unread(&sources));
        }
        let is_fitted = self.settings.advantage == Advantage::Fitted;
        let separated = if is_fitted { results.separate_unordered_pairs() } else { 0 };
        let ranking = standings::rank(&self.settings, &results, &match_table(&results), flags.quiet)?;
        let mut json = as_json(self, &results, &sources, &ranking);
        let mut remarks = remarks((&self.settings, self.unplayed), &results, &sources, &ranking);
        remarks.extend(names.remarks());
        remarks.extend(self.copies());
        remarks.extend(self.sums());
        remarks.extend((separated > 0).then(|| {
            format!(
                "{separated} pairs count as single games: their colours are unknown, and --advantage fit needs them"
            )
        }));
        json["remarks"] = json!(remarks);
        match flags.json {
            true => output::json(&json),
            false => {
                result(&format!("{}\n", printed(&ranking)));
                remarks.iter().for_each(|remark| note(flags.quiet, remark));
                note(flags.quiet, &ranking.width());
            }
        }
        if flags.options.names_reports {
            self.write(flags, &ranking, &remarks, &json)?;
        }
        Ok(Exit::Done)
    }

    /// Refuses a file that is named twice: its games would count twice.
    fn check_files(&self) -> anyhow::Result<()> {
        let known = |file: &String| std::fs::canonicalize(file).unwrap_or_else(|_| file.into());
        let paths: Vec<_> = self.files.iter().map(known).collect();
        match (1..paths.len()).find(|&at| paths[..at].contains(&paths[at])) {
            Some(at) => {
                let message =
                    format!("{} is named twice, so that its games would count twice", visible(&self.files[at]));
                Err(Misuse::new(message, "name every file once"))
            }
            None => Ok(()),
        }
    }

    /// A caution for files with the same bytes: their games count once for each of them.
    fn copies(&self) -> Option<String> {
        let size = |file: &&String| Some(std::fs::metadata(file).ok().filter(|own| own.is_file())?.len());
        let mut by_size: BTreeMap<u64, Vec<&String>> = BTreeMap::new();
        for file in &self.files {
            by_size.entry(size(&file).unwrap_or_default()).or_default().push(file);
        }
        let mut copies: Vec<[&String; 2]> = Vec::new();
        for (_, alike) in by_size.into_iter().filter(|(size, alike)| *size > 0 && alike.len() > 1) {
            let mut known: HashMap<blake3::Hash, &String> = HashMap::new();
            for file in alike {
                let Ok(hash) = content_hash(Path::new(file)) else { continue };
                copies.extend(known.insert(hash, file).map(|earlier| [file, earlier]));
            }
        }
        let [copy, original] = copies.first()?.map(|file| visible(file));
        let more = match copies.len() - 1 {
            0 => String::new(),
            1 => "; 1 more file is a copy".to_owned(),
            more => format!("; {more} more files are copies"),
        };
        Some(format!("{copy} has the bytes of {original}{more}. The same games count again, and errors are too small"))
    }

    /// A caution for the records of a tournament beside those of its matches, whose games it has too.
    fn sums(&self) -> Option<String> {
        let job = |file: &String| {
            let bytes = read_path(&Path::new(file).parent()?.join("key.json")).ok()?;
            serde_json::from_slice::<KeyInputs>(&bytes).ok()
        };
        let jobs: Vec<(&String, KeyInputs)> = self.files.iter().filter_map(|file| Some((file, job(file)?))).collect();
        let matches_of = |sum: &KeyInputs| {
            let upstream = sum.upstream.to_string();
            let is_own = |job: &KeyInputs| matches!(job.spec, JobSpec::Play(_)) && upstream.contains(&job.key.hex());
            jobs.iter().filter(|(_, job)| is_own(job)).count()
        };
        let is_sum = |job: &KeyInputs| matches!(job.spec, JobSpec::Play(PlaySpec::Tournament(_)));
        let sums = jobs.iter().filter(|(_, job)| is_sum(job)).map(|(file, job)| (file, matches_of(job)));
        let (file, matches) = sums.max_by_key(|(_, matches)| *matches).filter(|(_, matches)| *matches > 0)?;
        let file = visible(file);
        Some(format!(
            "{file} has the games of {matches} other files: its matches. They count twice, and errors are too small; \
             hint: rate the file of the tournament without those of its matches"
        ))
    }

    /// Writes CSV, JSON, Markdown, LaTeX and the picture.
    fn write(&self, flags: &Flags, ranking: &Ranking, remarks: &[String], json: &Value) -> anyhow::Result<()> {
        let name = self.name.as_ref().map_or("ratings", Name::as_str);
        let sheet = report::sheet(ranking, name, remarks);
        let (mut files, stem) = (write::render(&sheet)?, write::stem(name));
        let directory = flags.options.reports.join("rate");
        // One row for each player replaces the tidy table.
        files.insert(format!("{stem}.csv"), frames::to_csv(standings::columns(ranking))?);
        files.insert(format!("{stem}.json"), serde_json::to_vec_pretty(json)?);
        for (name, bytes) in &files {
            output::write(&flags.options.reports, &directory.join(name), bytes, output::REPORT)?;
        }
        let written = directory.join(format!("{stem}.{{csv,json,md,tex,png,svg,pdf}}"));
        note(flags.quiet || flags.json, &format!("written: {}", written.display()));
        Ok(())
    }
}

fn name(text: &str) -> Result<Name, String> {
    Name::try_from(text.to_owned())
}

/// The error for files without games, with the first skipped fault.
fn unread(sources: &[ReadFile]) -> anyhow::Error {
    let skipped: u64 = sources.iter().map(|source| source.skipped).sum();
    match sources.iter().find_map(|source| source.first_skipped.as_deref()) {
        Some(first) => Misuse::new(
            format!("no game was read: --skip-bad left out {skipped}, the first at {}", visible(first)),
            "correct the files",
        ),
        None => match sources.iter().find_map(|source| left_out(source).or(unplayed(source, Unplayed::Leave))) {
            Some(left) => Misuse::new(format!("no game counts: {left}"), "rate files with finished games"),
            None => Misuse::new(
                "no game was read",
                "PGN, SGF, tables of counts or games, records, rankings.json, states and logs of match runners are understood",
            ),
        },
    }
}

/// Bad input as a usage error with a hint.
fn refused(bad: BadInput) -> anyhow::Error {
    let Some(line) = bad.line else {
        let hint = bad.hint.unwrap_or("is the name of the file right?");
        return Misuse::new(visible(&format!("{}: {}", bad.file, bad.what)), hint);
    };
    // The expected first line belongs into the hint, without a quotation of the file.
    if let Some((what, _)) = bad.what.split_once("; the first line must name") {
        let hint = format!("the first line must name the columns: {COLUMNS}");
        return Misuse::new(visible(&format!("{}:{line}: {what}", bad.file)), hint);
    }
    let hint = bad.hint.unwrap_or("correct the file, or leave what is wrong out with --skip-bad");
    Misuse::new(visible(&bad.to_string()), hint)
}

/// The table on the terminal.
fn printed(ranking: &Ranking) -> String {
    let number = |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |value| format!("{value:.digits$}"));
    let share = |share: f64| format!("{:.1} %", 100.0 * share);
    let width = format!("± {} %", percent(ranking.level));
    let mut header = vec!["#".to_owned(), "player".to_owned()];
    header.extend(ranking.methods.iter().flat_map(|method| [method.short().to_owned(), width.clone()]));
    header.extend(["games", "score", "draws", "opponents"].map(str::to_owned));
    header.extend((ranking.groups > 1).then(|| "group".to_owned()));
    let row = |(place, standing): (usize, &RankedPlayer)| {
        let place = standing.group.map_or("-".to_owned(), |_| (place + 1).to_string());
        let mut row = vec![place, visible(&standing.name)];
        for &method in &ranking.methods {
            let half = standing.interval(method, ranking.level).map(|interval| (interval.high - interval.low) / 2.0);
            let half = if standing.is_anchor { "anchor".to_owned() } else { number(half, 1) };
            row.extend([number(standing.rating(method).map(|rating| rating.elo), 1), half]);
        }
        row.extend([standing.games.to_string(), share(standing.score), share(standing.draw_rate)]);
        row.push(standing.opponents.to_string());
        row.extend((ranking.groups > 1).then(|| standing.group.map_or("-".to_owned(), |group| group.to_string())));
        row
    };
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table(&header, ranking.standings.iter().enumerate().map(row))
}

fn as_json(rate: &Rate, results: &GameResults, sources: &[ReadFile], ranking: &Ranking) -> Value {
    let files = sources.iter().map(|source| {
        json!({ "file": source.file, "format": source.format, "games": source.games,
            "pairs": source.pairs, "notes": source.notes, "skipped": source.skipped, "kinds": source.kinds,
            "unplayed": source.unplayed.games, "left_out": source.left_out.values().map(|left| left.games).sum::<u64>(),
            "first_skipped": source.first_skipped })
    });
    let anchors: serde_json::Map<String, Value> =
        rate.settings.anchor.iter().map(|(name, elo)| (name.clone(), json!(elo))).collect();
    let advantage = match rate.settings.advantage {
        Advantage::Fixed(elo) => json!(elo),
        Advantage::Fitted => json!("fit"),
    };
    json!({
        "players": ranking.standings,
        "groups": ranking.groups,
        "components": ranking.components,
        "advantage": ranking.advantage.map(|advantage| json!({ "elo": advantage.elo, "error": advantage.error })),
        "level": ranking.level,
        "settings": { "mean": rate.settings.mean, "prior": rate.settings.prior, "advantage": advantage, "anchors": anchors },
        "distinct_games": results.distinct_games(),
        "look_alikes": results.look_alikes(),
        "resignations": resignations::json(&results.resignations),
        "files": files.collect::<Vec<_>>(),
    })
}
