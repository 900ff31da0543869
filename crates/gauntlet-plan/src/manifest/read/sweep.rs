//! Axes: cross products, zipped axes, searches, added and excluded cells.

use std::sync::Arc;

use super::search::searched;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node, Setting, Table, Value};

/// The keys of a stage that make its cells.
pub const KEYS: [&str; 5] = ["sweep", "zip", "search", "exclude", "include"];

/// One cell: a value for every axis.
pub type SweepCell = Vec<Arc<Setting>>;

/// Maximum number of cells of a stage and of jobs of a plan; more is taken for a mistake.
pub const MOST: usize = 1_000_000;

/// The expanded axes of a stage.
#[derive(Debug, Clone, Default)]
pub struct Axes {
    /// The cells, in order.
    pub cells: Vec<SweepCell>,
    /// Exclusions by other axes than the stage's own: those of the upstream stage, and `variant`.
    pub excluded: Vec<SweepCell>,
}

/// Removes `sweep`, `zip`, `search`, `include` and `exclude` from a stage and expands them into cells, in order.
///
/// Cells are the cross product of all swept axes, zipped groups and search samples, without the excluded ones, then the
/// included ones. A stage without axes has one empty cell.
pub fn axes(stage: &mut Table, problems: &mut Vec<Problem>) -> Axes {
    let [sweep, zip, search, exclude, include] = KEYS.map(|key| stage.remove(key));
    let place = sweep.as_ref().or(zip.as_ref()).map(|entry| entry.key_span.clone());
    let mut groups: Vec<Vec<SweepCell>> = Vec::new();
    if let Some(entry) = sweep {
        let axes = table(&entry.node, "sweep", problems);
        groups.extend(axes.iter().map(|entry| values(entry, problems).into_iter().map(|value| vec![value]).collect()));
    }
    groups.extend(list(zip, problems).iter().map(|group| zipped(group, problems)));
    groups.extend(search.map(|entry| searched(&entry, problems)));
    check_axes(&groups, problems);
    let mut cells = match number_of_cells(&groups) {
        Some(0..=MOST) => groups.iter().fold(vec![Vec::new()], |cells, group| cross(&cells, group)),
        _ => {
            let message = format!("the axes make more than {MOST} cells");
            problems.extend(place.map(|place| Problem::at(place, message)));
            vec![Vec::new()]
        }
    };
    let excluded = exclude_cells(&mut cells, &groups, list(exclude, problems), problems);
    for group in list(include, problems) {
        let cell = one_cell(&group, "include", problems);
        if cells.iter().any(|known| known.len() == cell.len() && known.iter().zip(&cell).all(|(a, b)| same(a, b))) {
            problems.push(Problem::at(group.span, "this cell is a duplicate"));
        } else {
            cells.push(cell);
        }
    }
    Axes { cells, excluded }
}

/// Removes the excluded cells, and returns the exclusions that name other axes than the stage's own.
fn exclude_cells(
    cells: &mut Vec<SweepCell>,
    groups: &[Vec<SweepCell>],
    exclusions: Vec<Node>,
    problems: &mut Vec<Problem>,
) -> Vec<SweepCell> {
    let mut excluded = Vec::new();
    if exclusions.is_empty() {
        return excluded;
    }
    let all = cells.clone();
    for exclusion in exclusions {
        let unwanted = one_cell(&exclusion, "exclude", problems);
        let fits = |cell: &SweepCell| unwanted.iter().all(|unwanted| cell.iter().any(|own| same(own, unwanted)));
        if unwanted.is_empty() {
            // The reading of the list reports entries that are not tables.
            problems.extend(exclusion.table().map(|_| no_axes(&exclusion, "an exclusion")));
        } else if unwanted.iter().any(|setting| firsts(groups).all(|axis| axis.path != setting.path)) {
            excluded.push(unwanted);
        } else if all.iter().any(fits) {
            cells.retain(|cell| !fits(cell));
            if cells.is_empty() {
                problems.push(Problem::at(exclusion.span, "this excludes the last cells").hint("exclude fewer"));
                break;
            }
        } else {
            problems.push(hits_nothing(exclusion.span));
        }
    }
    excluded
}

/// The problem of an exclusion without effect: it matches no cell.
pub(in crate::manifest) fn hits_nothing(place: Span) -> Problem {
    Problem::at(place, "no cell is excluded by this")
        .hint("name values that the axes have; `exclude = []` undoes a list")
}

fn no_axes(group: &Node, what: &str) -> Problem {
    Problem::at(group.span.clone(), format!("{what} names at least one axis"))
}

fn same(a: &Setting, b: &Setting) -> bool {
    a.path == b.path && a.node.value.same(&b.node.value)
}

fn number_of_cells(groups: &[Vec<SweepCell>]) -> Option<usize> {
    groups.iter().try_fold(1_usize, |product, group| product.checked_mul(group.len()))
}

fn cross(cells: &[SweepCell], axis: &[SweepCell]) -> Vec<SweepCell> {
    let extended = |cell: &SweepCell, step: &SweepCell| cell.iter().chain(step).cloned().collect::<SweepCell>();
    cells.iter().flat_map(|cell| axis.iter().map(move |step| extended(cell, step))).collect()
}

/// The axes of the groups, each by its first value.
fn firsts(groups: &[Vec<SweepCell>]) -> impl Iterator<Item = &Arc<Setting>> {
    groups.iter().filter_map(|group| group.first()).flatten()
}

fn check_axes(groups: &[Vec<SweepCell>], problems: &mut Vec<Problem>) {
    let axes: Vec<&Arc<Setting>> = firsts(groups).collect();
    for (at, axis) in axes.iter().enumerate() {
        if axes[..at].iter().any(|other| other.path == axis.path) {
            problems.push(Problem::at(axis.span.clone(), format!("the axis `{}` occurs twice", axis.path)));
        }
    }
}

/// The values of one axis, as written.
fn written<'e>(entry: &'e Entry, problems: &mut Vec<Problem>) -> Option<&'e [Node]> {
    if let Value::List(items) = &entry.node.value {
        return Some(items);
    }
    let problem = Problem::at(entry.node.span.clone(), format!("the axis `{}` has no list of values", entry.key));
    problems.push(match &entry.node.value {
        Value::Table(_) => {
            let (mut path, mut below) = (entry.key.to_string(), &entry.node);
            while let Some(inner) = below.table().and_then(|table| table.entries().first()) {
                path = format!("{path}.{}", inner.key);
                below = &inner.node;
            }
            problem.hint(format!("a dotted path stands in quotes: `\"{path}\" = [...]`"))
        }
        _ => problem.hint(format!("write `\"{}\" = [...]`", entry.key)),
    });
    None
}

/// The values of one axis by itself: there are some, and all are different.
fn values(entry: &Entry, problems: &mut Vec<Problem>) -> Vec<Arc<Setting>> {
    let Some(items) = written(entry, problems) else { return Vec::new() };
    if items.is_empty() {
        problems.push(Problem::at(entry.node.span.clone(), format!("the axis `{}` has no values", entry.key)));
    }
    problems.extend(doubled(items).map(|item| {
        let message = format!("the axis `{}` has the value {} twice", entry.key, item.value.label());
        Problem::at(item.span.clone(), message)
    }));
    settings(entry, items)
}

fn settings(entry: &Entry, items: &[Node]) -> Vec<Arc<Setting>> {
    items.iter().map(|item| Arc::new(setting(&entry.key, &entry.key_span, item))).collect()
}

/// The repeated values of a list.
fn doubled(items: &[Node]) -> impl Iterator<Item = &Node> {
    let mut known = std::collections::HashSet::new();
    items.iter().filter(move |item| !known.insert(item.value.identity()))
}

fn setting(path: &Arc<str>, span: &Span, node: &Node) -> Setting {
    Setting { path: path.clone(), span: span.clone(), node: node.clone() }
}

/// The cells of a zipped group, all different. A group of empty axes has none: the versions of a ladder begin so.
fn zipped(group: &Node, problems: &mut Vec<Problem>) -> Vec<SweepCell> {
    let entries = table(group, "zip", problems).iter();
    let axes: Vec<Vec<Arc<Setting>>> =
        entries.map(|entry| written(entry, problems).map_or(Vec::new(), |items| settings(entry, items))).collect();
    let Some(length) = axes.first().map(Vec::len) else {
        problems.extend(group.table().map(|_| no_axes(group, "a zipped group")));
        return vec![Vec::new()];
    };
    if let Some(uneven) = axes.iter().find(|axis| axis.len() != length) {
        let place = uneven.first().map_or(&group.span, |setting| &setting.span);
        problems.push(Problem::at(place.clone(), "zipped axes have equally many values"));
        return vec![Vec::new()];
    }
    let cells: Vec<SweepCell> = (0..length).map(|at| axes.iter().map(|axis| axis[at].clone()).collect()).collect();
    problems.extend(repeated(&cells).filter_map(|cell| {
        let last = cell.last()?;
        Some(Problem::at(last.node.span.clone(), "the zipped axes have these values twice"))
    }));
    cells
}

/// The repeated cells.
fn repeated(cells: &[SweepCell]) -> impl Iterator<Item = &SweepCell> {
    let mut known = std::collections::HashSet::new();
    let identity = |cell: &SweepCell| cell.iter().map(|setting| setting.node.value.identity()).collect::<Vec<_>>();
    cells.iter().filter(move |cell| !known.insert(identity(cell)))
}

fn one_cell(group: &Node, what: &str, problems: &mut Vec<Problem>) -> SweepCell {
    table(group, what, problems).iter().map(|entry| Arc::new(Setting::from(entry))).collect()
}

fn table<'a>(node: &'a Node, what: &str, problems: &mut Vec<Problem>) -> &'a [Entry] {
    match node.table() {
        Some(table) => table.entries(),
        None => {
            problems.push(Problem::at(node.span.clone(), format!("`{what}` takes tables of `path = value`")));
            &[]
        }
    }
}

fn list(entry: Option<Entry>, problems: &mut Vec<Problem>) -> Vec<Node> {
    match entry {
        None => Vec::new(),
        Some(Entry { node: Node { value: Value::List(items), .. }, .. }) => items,
        Some(Entry { key, node, .. }) => {
            problems.push(Problem::at(node.span, format!("`{key}` is a list of tables")));
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::text::parse::parse;
    use crate::manifest::text::source::Sources;

    fn expand(text: &str) -> (Vec<String>, Vec<String>) {
        let (mut stage, _) = parse(&mut Sources::default(), "test.toml", text);
        let mut problems = Vec::new();
        let Axes { cells, excluded } = axes(&mut stage, &mut problems);
        assert!(excluded.is_empty() || text.contains("gaem"), "{excluded:?}");
        let show = |cell: &SweepCell| {
            cell.iter().map(|s| format!("{}={}", s.path, s.node.value.label())).collect::<Vec<_>>().join(",")
        };
        let underlined = |problem: &Problem| text[problem.span.clone().unwrap()].to_owned();
        (cells.iter().map(show).collect(), problems.iter().map(underlined).collect())
    }

    #[test]
    fn axes_cross_and_groups_zip() {
        let (cells, problems) = expand("sweep = { a = [1, 2] }\nzip = [{ b = [3, 4], c = [5, 6] }]");
        assert_eq!(cells, ["a=1,b=3,c=5", "a=1,b=4,c=6", "a=2,b=3,c=5", "a=2,b=4,c=6"]);
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn zipped_values_may_repeat_and_groups_may_be_empty() {
        let (cells, problems) = expand("zip = [{ b = [3, 4, 5], c = [6, 6, 7] }]");
        assert_eq!((cells.join(" "), problems), ("b=3,c=6 b=4,c=6 b=5,c=7".to_owned(), vec![]));
        assert_eq!(expand("zip = [{ b = [], c = [] }]"), (vec![], vec![]));
    }

    #[test]
    fn cells_are_excluded_and_included() {
        let (cells, problems) =
            expand("sweep = { a = [1, 2], b = [3, 4] }\nexclude = [{ a = 1, b = 4 }]\ninclude = [{ a = 9 }]");
        assert_eq!(cells, ["a=1,b=3", "a=2,b=3", "a=2,b=4", "a=9"]);
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn no_axes_are_one_cell() {
        assert_eq!(expand("x = 1"), (vec![String::new()], vec![]));
    }

    #[test]
    fn mistakes_are_underlined() {
        let underlined = |text: &str| expand(text).1;
        assert_eq!(underlined("zip = [{ b = [3, 4], c = [5] }]"), ["c"]);
        assert_eq!(underlined("zip = [{ b = [3, 3, 3], c = [5, 6, 5] }]"), ["5"]);
        assert_eq!(underlined("zip = [{ b = [3, 3] }]"), ["3"]);
        assert_eq!(underlined("sweep = { a = [1, 2, 1] }"), ["1"]);
        assert_eq!(underlined("sweep = { a = [1, 2, 1.0] }"), ["1.0"]);
        assert_eq!(underlined("sweep = { a = [{ b = 1e3, c = 2 }, { c = 2, b = 1000 }] }"), ["{ c = 2, b = 1000 }"]);
        assert_eq!(underlined("zip = [{ b = [3, 3.0], c = [0.0, -0.0] }]"), ["-0.0"]);
        assert_eq!(underlined("sweep = { a = [1, 2] }\nexclude = [{ a = 1.0 }]"), [""; 0]);
        assert_eq!(underlined("sweep = { a = [1] }\ninclude = [{ a = 1.0 }]"), ["{ a = 1.0 }"]);
        assert_eq!(underlined("sweep = { a = [] }"), ["[]"]);
        assert_eq!(underlined("sweep = { a = 3 }"), ["3"]);
        assert_eq!(underlined("sweep = 3"), ["3"]);
        assert_eq!(underlined("zip = { b = [3] }"), ["{ b = [3] }"]);
        assert_eq!(underlined("sweep = { a = [1] }\nzip = [{ a = [3] }]"), ["a"]);
        assert_eq!(underlined("sweep = { game = [1] }\nexclude = [{ gaem = 1 }]"), [""; 0], "it may be inherited");
        assert_eq!(underlined("sweep = { a = [1] }\ninclude = [{ a = 1 }]"), ["{ a = 1 }"]);
        assert_eq!(underlined("sweep = { a = [1, 2] }\nexclude = [{ a = 3 }]"), ["{ a = 3 }"]);
        assert_eq!(underlined("sweep = { a = [1, 2] }\nexclude = [{}]"), ["{}"]);
        assert_eq!(underlined("sweep = { a = [1] }\nexclude = [3]"), ["3"]);
        assert_eq!(underlined("sweep = { a = [1, 2] }\nexclude = [{ a = 1 }, { a = 2 }]"), ["{ a = 2 }"]);
        assert_eq!(underlined("zip = [{}]"), ["{}"]);
        assert_eq!(underlined("sweep = { a = [1, 2] }\nexclude = [{ a = 1 }, { a = 1 }]"), [""; 0]);
        assert_eq!(underlined("sweep = { a = [1] }\nexclude = []\nzip = []"), [""; 0], "so a profile undoes them");
    }

    #[test]
    fn too_many_cells_are_refused_before_they_are_made() {
        let axes: Vec<String> = (0..40).map(|axis| format!("a{axis} = [1, 2, 3, 4, 5]")).collect();
        assert_eq!(expand(&format!("sweep = {{ {} }}", axes.join(", "))).1, ["sweep"]);
    }
}
