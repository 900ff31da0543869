//! Versions of an agent in a row: each against an earlier one, with the ruling of its test, and the sum of the
//! differences since the first version.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

use super::counted::most_repeated;
use super::draft::Draft;
use super::estimate::at_level;
use super::frame::Frame;
use super::number::thousands;
use super::sheet::{Axis, AxisScale, Mark, Panel, Point, Series, Spread, Vertex};
use super::uncertainty::ANYWHERE;
use super::version_tree::{EloDifference, Ruling, VersionNode, VersionTree};
use super::{About, Basis, Content, Context, Fact, Kind, Need, blank, config_ids, distinct};

/// Versions of an agent, each against the one before.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Versions {
    /// The stage: matches of a version (`agent`) against an earlier one (`opponent`).
    pub stage: String,
    /// The versions, the first one first. Default: in the order of the matches.
    #[serde(default)]
    pub versions: Vec<Version>,
}

/// A version of an agent.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Version {
    /// Its name in `[agents]`.
    pub name: String,
    /// Its date. If all versions have one, the picture shows the sum over time.
    pub date: Option<VersionDate>,
    /// Its commit.
    pub commit: Option<String>,
}

/// A date: 2026-01-31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct VersionDate(Date);

impl TryFrom<String> for VersionDate {
    type Error = String;

    fn try_from(text: String) -> Result<VersionDate, String> {
        text.parse().map(VersionDate).map_err(|_| format!("`{text}` is not a date: write it as 2026-01-31"))
    }
}

impl VersionDate {
    /// Days since 1970-01-01.
    fn days(self) -> f64 {
        f64::from((self.0 - Date::constant(1970, 1, 1)).get_days())
    }
}

impl Versions {
    /// The versions and their matches. Versions that are not listed come last.
    #[must_use]
    pub fn tree(&self, frame: &Frame<'_>) -> VersionTree {
        self.tree_of(&frame.stage(&self.stage))
    }

    fn tree_of(&self, facts: &[Fact<'_>]) -> VersionTree {
        let listed = self.versions.iter().map(|version| version.name.clone());
        let met = facts.iter().flat_map(|fact| ["opponent", "agent"].map(|side| fact.label(side)));
        VersionTree::new(distinct(listed.chain(met)), facts)
    }

    fn listed(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    fn date(&self, name: &str) -> Option<VersionDate> {
        self.listed(name)?.date
    }
}

impl Kind for Versions {
    fn about(&self) -> About<'_> {
        let about = About::of_stage("versions", Basis::Results, &self.stage, Need::Match);
        about.with_cell("agent").with_cell("opponent")
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let tree = self.tree_of(&facts);
        let drawing = TreeDrawing { show: self, context, facts: &facts, tree: &tree };
        let (mut draft, columns) = drawing.draft();
        let first = tree.nodes.first().map_or_else(|| "the first version".to_owned(), |node| context.show(&node.name));
        let how = "that of the test, or Wilson's; those of sums add the squares of the arms";
        let caption = format!("{} {}", caption(&first), draft.errors(context, "games", how));
        draft.content("Version", columns, 1, caption)
    }
}

fn caption(first: &str) -> String {
    format!(
        "Each version met the one in the column Against. Elo is the difference (logistic) that their match shows: \
         median-unbiased if a sequential test ended the match, else from the pairs of games. The last column adds the \
         differences since {first}; the matches are independent, so their variances add. A sum of median-unbiased \
         numbers is only approximately so, and a sum over accepted versions alone is too high: luck helps to be \
         accepted. A match of the newest version against {first} checks it."
    )
}

const AGAINST: &str = "Against";
const TEST: &str = "Test";
const ELO: &str = "Elo";
const GAMES: &str = "Games";

const ENDS: &str = "An interval that ends at ∞ is open on that side: the games do not bound it. If all games of a match were \
    won or lost, its difference has one bound and no estimate, and no sum follows from it.";

/// The effect of repeated games on a sequential test.
const TESTED_ALL: &str = " The test counted each of them as a new one: its error rates and its interval do not hold there. \
    Give the match more openings.";

/// The inputs of the table and the picture.
struct TreeDrawing<'a> {
    show: &'a Versions,
    context: &'a Context<'a>,
    facts: &'a [Fact<'a>],
    tree: &'a VersionTree,
}

impl TreeDrawing<'_> {
    fn name(&self, at: usize) -> String {
        self.context.show(&self.tree.nodes[at].name)
    }

    fn names(&self, places: impl IntoIterator<Item = usize>) -> String {
        places.into_iter().map(|at| self.name(at)).collect::<Vec<_>>().join(", ")
    }

    /// Whether every version has a date, so that the abscissa is time.
    fn is_dated(&self) -> bool {
        !self.tree.nodes.is_empty() && self.tree.nodes.iter().all(|node| self.show.date(&node.name).is_some())
    }

    /// The abscissa of a version: its date, or its number from 1.
    fn x(&self, at: usize) -> f64 {
        let date = self.show.date(&self.tree.nodes[at].name).filter(|_| self.is_dated());
        date.map_or((at + 1) as f64, VersionDate::days)
    }

    /// The name of a version with its commit, if that is known.
    fn name_with_commit(&self, at: usize) -> String {
        let commit = self.show.listed(&self.tree.nodes[at].name).and_then(|version| version.commit.as_deref());
        commit.map_or_else(|| self.name(at), |commit| format!("{}, {commit}", self.name(at)))
    }

    /// The points, the picture and the notes, and the columns that have any content.
    fn draft(&self) -> (Draft, Vec<String>) {
        let nodes = &self.tree.nodes;
        let sum = format!("Sum since {}", if nodes.is_empty() { "the first".to_owned() } else { self.name(0) });
        let mut draft = Draft::of(self.facts);
        nodes.iter().enumerate().for_each(|(at, node)| draft.row(self.name(at), self.points(at, node, &sum)));
        let shown = |point: &Point| point.value.is_some() || point.text.is_some();
        let mut columns = ["Date", "Commit", AGAINST, TEST, ELO, GAMES, &sum].map(str::to_owned).to_vec();
        columns.retain(|column| draft.points.iter().any(|point| point.column == *column && shown(point)));
        draft.under(&columns);
        draft.panels.extend(self.panel(&draft.points));
        draft.notes.extend(self.notes());
        draft.notes.extend(self.repeats());
        (draft, columns)
    }

    /// The points of a version, in the order of the columns.
    fn points(&self, at: usize, node: &VersionNode, sum: &str) -> Vec<Point> {
        let row = self.name(at);
        let own: Vec<Fact<'_>> = self.facts.iter().filter(|fact| self.judges(fact, node)).copied().collect();
        let point = |metric: &str, column: &str| Point {
            x: Some(self.x(at)),
            n_games: node.patch.map_or(0, |patch| patch.games),
            n_runs: node.patch.map_or(0, |patch| patch.runs),
            n_requested: own.len() as u64,
            config_ids: config_ids(&own),
            ..blank(metric, &row, column)
        };
        let text = |metric: &str, column: &str, text: Option<String>| {
            Some(Point { text: Some(text?), ..blank(metric, &row, column) })
        };
        let listed = self.show.listed(&node.name);
        let date = listed.and_then(|version| version.date).map(|date| date.0.to_string());
        let ruling = node.patch.and_then(|patch| patch.ruling.word());
        let texts = [
            text("date", "Date", date),
            text("commit", "Commit", listed.and_then(|version| version.commit.clone())),
            text("against", AGAINST, node.against.map(|place| self.name(place))),
            text("test", TEST, ruling.map(str::to_owned)),
        ];
        let difference = node.patch.map(|patch| patch.difference);
        let games = node.patch.map(|patch| patch.games as f64);
        let of_match = node.against.map(|_| {
            let text = games.map(|games| thousands(games as u64));
            let played = Point { value: games, text, ..point("games", GAMES) };
            [measured(point("elo", ELO), difference), played]
        });
        let sum = match at {
            // The zero of the sums.
            0 => Point { value: Some(0.0), text: Some("0".to_owned()), ..point("sum of elo", sum) },
            _ => measured(point("sum of elo", sum), node.sum),
        };
        texts.into_iter().flatten().chain(of_match.into_iter().flatten()).chain([sum]).collect()
    }

    /// Whether a match is that of a version against the one that it is compared with.
    fn judges(&self, fact: &Fact<'_>, node: &VersionNode) -> bool {
        let opponent = node.against.map(|place| &self.tree.nodes[place].name);
        fact.label("agent") == node.name && opponent.is_some_and(|name| fact.label("opponent") == *name)
    }

    /// The sums over the versions: a line along the branch of the newest version that was not refused, diamonds for
    /// the others.
    fn panel(&self, points: &[Point]) -> Option<Panel> {
        let branch = self.tree.head().map_or(Vec::new(), |head| self.tree.branch(head));
        let names: Vec<String> = (0..self.tree.nodes.len()).map(|at| self.name(at)).collect();
        let series = |name: &str, mark, colour, on_branch: bool| {
            let places = (0..names.len()).filter(|at| branch.contains(at) == on_branch);
            let vertex = |at: usize| {
                let sum = points.iter().find(|point| point.metric == "sum of elo" && point.row == names[at])?;
                let x = if self.is_dated() { self.x(at) } else { at as f64 };
                match at {
                    // The band begins at the zero of the sums.
                    0 => Some(Vertex::around(x, 0.0, Some(0.0))),
                    _ => sum.vertex(x, self.context.errors, ANYWHERE),
                }
            };
            let drawn = places.filter_map(|at| Some((self.name_with_commit(at), vertex(at)?)));
            let (names, points): (_, Vec<_>) = drawn.unzip();
            Series { names, ..Series::new(name, mark, colour, points) }
        };
        let mut all = vec![series("the newest version, and those before it", Mark::Line, 0, true)];
        all.extend(Some(series("other versions", Mark::Diamond, 1, false)).filter(|own| !own.points.is_empty()));
        if all[0].points.len() < 2 && all.len() < 2 {
            return None;
        }
        let ends = if self.is_dated() { [self.x(0), self.x(names.len() - 1)] } else { [0.0, names.len() as f64 - 1.0] };
        all.insert(0, Series::rule(ends.map(|x| (x, 0.0))));
        let y = Axis::linear(format!("Elo above {}", self.name(0)));
        let x = match self.is_dated() {
            true => Axis { scale: AxisScale::Dates, ..Axis::linear("date") },
            false => Axis::categories("", names),
        };
        Some(Panel::new("", x, y, all))
    }

    fn notes(&self) -> Vec<String> {
        let nodes = self.tree.nodes.iter().enumerate();
        let ruled = |wanted: Ruling| {
            let is_so = |node: &VersionNode| node.patch.is_some_and(|patch| patch.ruling == wanted);
            nodes.clone().filter(|(_, node)| is_so(node)).map(|(at, _)| at).collect::<Vec<_>>()
        };
        let rulings = [
            (Ruling::Accepted, "Accepted"),
            (Ruling::Refused, "Refused"),
            (Ruling::Undecided, "Undecided, as the games ran out"),
        ];
        let rulings = rulings.map(|(ruling, word)| (word, ruled(ruling)));
        let rulings = rulings.into_iter().filter(|(_, places)| !places.is_empty());
        let mut notes: Vec<String> = rulings.map(|(word, places)| format!("{word}: {}.", self.names(places))).collect();
        for (at, node) in nodes {
            let name = self.name(at);
            match node.against {
                None if at > 0 => notes.push(format!("{name} has no match against an earlier version.")),
                Some(place) if node.patch.is_none() => {
                    notes.push(format!("The match of {name} against {} has no result.", self.name(place)));
                }
                Some(_) if node.sum.is_none() => {
                    notes.push(format!("{name} has no sum: a match on its branch is missing."));
                }
                _ => {}
            }
            notes.extend(node.checks.iter().map(|(place, found)| self.check(at, *place, found)));
        }
        let matches = self.tree.nodes.iter().filter_map(|node| Some(node.patch?.difference));
        let checks = self.tree.nodes.iter().flat_map(|node| node.checks.iter().map(|(_, found)| *found));
        notes.extend(matches.chain(checks).any(|found| !found.is_bounded()).then(|| ENDS.to_owned()));
        notes
    }

    /// The note on the match whose games repeat each other most, if each of them counts once.
    fn repeats(&self) -> Option<String> {
        let (fact, repeats) = most_repeated(self.facts).filter(|(_, repeats)| repeats.once.is_some())?;
        let is_test = fact.matched().is_some_and(|own| own.sprt.is_some());
        let effect = if is_test { TESTED_ALL } else { repeats.effect() };
        let [agent, opponent] = ["agent", "opponent"].map(|side| self.context.show(&fact.label(side)));
        Some(repeats.at(&format!("{agent} against {opponent}"), "games") + effect)
    }

    /// The note on another match of a version.
    fn check(&self, at: usize, place: usize, found: &EloDifference) -> String {
        let sum = self.tree.above(at, place);
        let sum = sum.map_or(String::new(), |sum| format!("; by the sums, {}", sum.in_words()));
        format!("{} against {} directly: {}{sum}.", self.name(at), self.name(place), found.in_words())
    }
}

/// A point with a difference in Elo.
fn measured(point: Point, found: Option<EloDifference>) -> Point {
    let Some(found) = found else { return point };
    let value = Some(found.elo).filter(|elo| elo.is_finite());
    if let Some(text) = found.open_cell() {
        return Point { value, text: Some(text), ..point };
    }
    let error = Some(found.error).filter(|error| error.is_finite()).map(Spread::over_games);
    Point { value, error, interval: Some(at_level(found.interval)), ..point }
}

impl Ruling {
    /// The ruling in the table; none for a match without a test.
    fn word(self) -> Option<&'static str> {
        match self {
            Ruling::Accepted => Some("accepted (H1)"),
            Ruling::Refused => Some("refused (H0)"),
            Ruling::Undecided => Some("undecided"),
            Ruling::Untested => None,
        }
    }
}
