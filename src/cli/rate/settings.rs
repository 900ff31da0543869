//! The settings of ratings.

use clap::{Args, ValueEnum};

use crate::cli::output::{Misuse, visible};
use gauntlet_plan::manifest::source::nearest;
use gauntlet_ratings::bradley_terry::{Advantage, LARGEST_RATING};

/// Most players that are listed if no name is similar to the given one.
const PLAYERS_SHOWN: usize = 8;

/// The settings of ratings.
#[derive(Debug, Args)]
pub struct RateSettings {
    /// Estimator: maximum likelihood (Bradley-Terry, calibrated errors) or weighted least squares (as in the
    /// AlphaGateau paper, with errors from the binomial variances of its weights) [default: both]
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(super) method: Option<RatingMethod>,
    /// Give a player its rating; all others are relative to it (repeatable)
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor)]
    pub(super) anchor: Vec<(String, f64)>,
    /// Mean rating without anchors
    #[arg(long, default_value_t = 1000.0, value_name = "ELO", value_parser = elo)]
    pub(super) mean: f64,
    /// First-player advantage in Elo: a number, or `fit` to estimate it
    #[arg(long, default_value = "0", value_name = "ELO|fit", value_parser = advantage)]
    pub(super) advantage: Advantage,
    /// Virtual draws of every player (BayesElo's default is 2), which give ratings even to players that won
    /// or lost every game
    #[arg(long, default_value_t = 0.0, value_name = "DRAWS", value_parser = draws)]
    pub(super) prior: f64,
    /// Coverage of the intervals
    #[arg(long, default_value_t = 0.95, value_name = "SHARE", value_parser = level)]
    pub(super) level: f64,
}

/// The use of games that were decided without play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Unplayed {
    /// They count as results.
    Count,
    /// They are left out.
    Leave,
}

/// An estimator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RatingMethod {
    /// Bradley and Terry's model by maximum likelihood.
    Bt,
    /// Weighted least squares.
    Wls,
}

fn anchor(text: &str) -> Result<(String, f64), String> {
    let (name, elo) = text.rsplit_once('=').ok_or("write it as NAME=ELO")?;
    Ok((name.trim().to_owned(), self::elo(elo.trim())?))
}

fn advantage(text: &str) -> Result<Advantage, String> {
    match text {
        "fit" => Ok(Advantage::Fitted),
        text => elo(text).map(Advantage::Fixed).map_err(|problem| format!("{problem}, or `fit`")),
    }
}

fn elo(text: &str) -> Result<f64, String> {
    between(text, -LARGEST_RATING)
        .ok_or_else(|| format!("write a number from -{LARGEST_RATING:e} to {LARGEST_RATING:e}"))
}

fn draws(text: &str) -> Result<f64, String> {
    between(text, 0.0).ok_or_else(|| format!("write a number from 0 to {LARGEST_RATING:e}"))
}

/// A number from a least one to the largest rating.
fn between(text: &str, least: f64) -> Option<f64> {
    text.parse().ok().filter(|number| (least..=LARGEST_RATING).contains(number))
}

fn level(text: &str) -> Result<f64, String> {
    let level: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if level > 0.0 && level < 1.0 { Ok(level) } else { Err("a coverage is between 0 and 1".to_owned()) }
}

impl RateSettings {
    /// Players with given ratings, by index.
    pub(super) fn anchors(&self, players: &[String]) -> anyhow::Result<Vec<(usize, f64)>> {
        let place = |(name, elo): &(String, f64)| match players.iter().position(|player| player == name) {
            Some(place) => Ok((place, *elo)),
            None => {
                let message = format!("--anchor names `{}`, who played no game", visible(name));
                Err(Misuse::new(message, way_to_player(name, players)))
            }
        };
        let twice = |at: &usize| self.anchor[..*at].iter().any(|(name, _)| *name == self.anchor[*at].0);
        if let Some(at) = (0..self.anchor.len()).find(twice) {
            let name = visible(&self.anchor[at].0);
            return Err(Misuse::new(format!("--anchor names `{name}` twice"), "give every player one rating"));
        }
        self.anchor.iter().map(place).collect()
    }
}

/// Suggestions for an unknown player.
fn way_to_player(name: &str, players: &[String]) -> String {
    let names: Vec<&str> = players.iter().map(String::as_str).collect();
    if let Some(near) = nearest(name, &names) {
        return format!("did you mean `{}`?", visible(near));
    }
    let some = names.iter().take(PLAYERS_SHOWN).map(|name| visible(name)).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(PLAYERS_SHOWN) {
        0 => format!("the players are {some}"),
        more => format!("the players are {some}, and {more} more"),
    }
}
