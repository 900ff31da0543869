//! Progress of trainings: Elo of their kept networks against one fixed player, over the games of self-play.

use schemars::JsonSchema;
use serde::Deserialize;

use super::abscissa::Abscissa;
use super::draft::Draft;
use super::league::{League, RatingPool, leagues};
use super::progress_by_run::{ProgressByRun, ProgressCurve, draw_levels, line, longest};
use super::ratings::rating_point;
use super::sheet::{Axis, Panel, Point};
use super::{About, Content, Context, Kind, axes};
use gauntlet_ratings::Ladder;

const CAPTION: &str = "Elo by maximum likelihood (Bradley and Terry, a draw as half a win), as the difference to the \
    anchor, whose rating is 0. Errors are of that difference, from a sandwich covariance over pairs of games. They \
    are match noise alone: other trainings would add their own. A network that won or lost all of its games has no \
    rating.";

/// Ratings of the kept networks of trainings that met in a stage's tournaments, over the games of self-play.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Progress {
    /// The stage.
    pub stage: String,
    /// The player whose rating is 0.
    pub anchor: String,
    /// The trainings.
    pub curves: Vec<ProgressCurve>,
    /// Axes whose values make tournaments that are rated separately.
    #[serde(default)]
    pub panels: Vec<String>,
    /// The unit of the abscissa. Default: games.
    pub x: Option<Abscissa>,
    /// Whether the tournament of each seed is rated separately, by the AlphaGateau paper's least squares and by maximum
    /// likelihood; the exhibit then shows means over these runs. Default: games of several seeds are added up, by the
    /// players' names.
    #[serde(default)]
    pub by_run: bool,
}

impl Progress {
    /// The unit of the abscissa.
    #[must_use]
    pub fn abscissa(&self) -> Abscissa {
        self.x.unwrap_or(Abscissa::Games)
    }

    /// The tournaments.
    #[must_use]
    pub fn league(&self) -> League {
        League::of(&self.stage, &self.panels)
    }
}

impl Kind for Progress {
    fn about(&self) -> About<'_> {
        let trainings = self.curves.iter().map(ProgressCurve::training).collect();
        let about = About::of_networks("progress", &self.stage, trainings);
        About { cells: axes(&[&self.panels]), anchor: Some(&self.anchor), ..about }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        if self.by_run {
            let Progress { anchor, curves, .. } = self;
            return ProgressByRun { league: self.league(), anchor, curves, abscissa: self.abscissa() }.render(context);
        }
        let (mut draft, anchor) = (Draft::default(), context.show(&self.anchor));
        for league in &leagues(context, &self.league()) {
            let ladder = league.ladder();
            let (mut series, first) = (Vec::new(), draft.points.len());
            for (colour, curve) in self.curves.iter().enumerate() {
                let points = rated(context, league, ladder.as_ref(), (&anchor, self), curve);
                draft.notes.extend(unknown(context, league, curve).filter(|_| points.is_empty()));
                series.push(line(&curve.label, colour, &points, context.errors));
                points.into_iter().for_each(|point| draft.row(point.row.clone(), [point]));
            }
            draw_levels(&mut series, [(&*anchor, Some(0.0))]);
            let x = Axis::linear(self.x.map_or("games of self-play", |x| x.label("iteration")));
            draft.panels.push(Panel::new(&league.title, x, Axis::linear(column(&anchor)), series));
            draft.notes.extend(league.notes());
            let dashes = draft.points[first..].iter().filter(|point| point.value.is_none());
            let dashes: Vec<String> = dashes.map(|point| point.row.clone()).collect();
            draft.notes.extend(unrated(league, ladder.as_ref(), &anchor, &dashes));
        }
        let note = |curve: &ProgressCurve| self.abscissa().note(&curve.runs(context));
        draft.notes.extend(self.curves.iter().filter_map(note));
        let caption = format!("{CAPTION} {}", draft.errors(context, "pairs of games", "normal"));
        draft.content("Network", [column(&anchor)], 0, caption)
    }
}

/// The note on networks without a rating, if there are any.
fn unrated(league: &RatingPool, ladder: Option<&Ladder>, anchor: &str, dashes: &[String]) -> Option<String> {
    let Some(ladder) = ladder else {
        return Some(league.titled("The likelihood has no maximum, so no player has a rating."));
    };
    let Some(own) = league.names.iter().position(|known| known == anchor) else {
        return (!league.names.is_empty()).then(|| league.titled(&format!("There is no player {anchor}.")));
    };
    if dashes.is_empty() {
        return None;
    }
    let total = league.total(own);
    let ending = match total.games() {
        _ if ladder.rating(own).is_some() => {
            let reason =
                "they won or lost all games against the others, or no chain of wins and draws in both directions";
            let names = dashes.join("; ");
            return Some(format!("The distance from {anchor} is unknown for {names}: {reason} links them to it."));
        }
        games if games == total.wins => format!("won all of its {games} games"),
        games if games == total.losses => format!("lost all of its {games} games"),
        games => format!("has no finite rating after {games} games"),
    };
    Some(league.titled(&format!("{anchor} {ending}, so distances from it are unknown.")))
}

/// The note on a curve without points although games were played.
fn unknown(context: &Context<'_>, league: &RatingPool, curve: &ProgressCurve) -> Option<String> {
    let ProgressCurve { stage, prefix, .. } = curve;
    let text = match longest(&curve.runs(context)).is_none() {
        true => format!("No training of stage {stage} has a result."),
        false => format!("There is no player {prefix} with the number of an iteration of stage {stage} behind it."),
    };
    (!league.names.is_empty()).then(|| league.titled(&text))
}

fn column(anchor: &str) -> String {
    format!("Elo above {anchor}")
}

/// The rated networks of a curve, in order.
fn rated(
    context: &Context<'_>,
    league: &RatingPool,
    ladder: Option<&Ladder>,
    (anchor, show): (&str, &Progress),
    curve: &ProgressCurve,
) -> Vec<Point> {
    let player = |name: &str| league.names.iter().position(|known| known == name);
    let row = |iteration: usize| format!("{}, {iteration}", league.titled(&curve.label));
    let trainings = curve.runs(context);
    let point = |iteration: usize| {
        let own = player(&context.show(&format!("{}{iteration}", curve.prefix)))?;
        let found = ladder.zip(player(anchor)).and_then(|(ladder, anchor)| ladder.difference(own, anchor));
        let point = rating_point(league, [&column(anchor), &row(iteration)], found, league.total(own).games());
        Some(Point { x: show.abscissa().mean_at(&trainings, iteration), metric: "elo".to_owned(), ..point })
    };
    let longest = longest(&trainings);
    longest.map_or(Vec::new(), |longest| (0..=longest).filter_map(point).collect())
}
