//! Check: no axis replaces a value of the profile or the command line in all cells. Such a value would have no effect.

use super::stage::KINDS;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Node, Table, Value};

/// A value that a profile or the command line gives.
pub(super) struct Given<'a> {
    /// Its dotted path from the root of the manifest.
    pub path: &'a str,
    /// The place of the path.
    pub span: &'a Span,
    /// The value; a table gives each value in it.
    pub node: &'a Node,
    /// Whether the command line gives it.
    pub is_flag: bool,
}

/// An axis and the key of the stage that sets it: `sweep`, `zip` or `search`.
type Axis<'a> = (&'static str, &'a str);

/// Reports values of a stage's job that an axis of the stage replaces in all cells. `root` is the merged manifest.
pub(super) fn tell_of_replaced(root: &Table, given: &Given<'_>, problems: &mut Vec<Problem>) {
    if let Some((stage, axis)) = replacing(root, given.path) {
        problems.push(problem(given, stage, axis));
        return;
    }
    for entry in given.node.table().into_iter().flat_map(Table::entries) {
        let path = format!("{}.{}", given.path, entry.key);
        let inner = Given { path: &path, span: &entry.key_span, node: &entry.node, is_flag: given.is_flag };
        tell_of_replaced(root, &inner, problems);
    }
}

/// The stage of a path, and its axis that replaces the value there.
fn replacing<'a>(root: &'a Table, path: &'a str) -> Option<(&'a str, Axis<'a>)> {
    // `stages.NAME.KIND.JOB.PATH`, of which JOB may be left out.
    let (name, rest) = path.strip_prefix("stages.")?.split_once('.')?;
    let (kind, rest) = rest.split_once('.')?;
    let stage = root.get("stages")?.table()?.get(name)?.table()?;
    let job = stage.get(kind).filter(|_| KINDS.contains(&kind))?;
    let tag = job.table().and_then(Table::tagged).map(|(tag, _)| &*tag.key);
    let own = match rest.split_once('.') {
        Some((head, inner)) if tag == Some(head) => inner,
        _ => rest,
    };
    let is_replaced = |axis: &str| own.strip_prefix(axis).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    // An included cell without the axis keeps the value of the job.
    let is_in_all = |axis: &str| {
        list(stage.get("include")).iter().filter_map(Node::table).all(|cell| cell.keys().any(|key| key == axis))
    };
    let axis = axes(stage).into_iter().find(|(_, axis)| is_replaced(axis) && is_in_all(axis))?;
    Some((name, axis))
}

/// The axes of a stage.
fn axes(stage: &Table) -> Vec<Axis<'_>> {
    let sweep = stage.get("sweep").and_then(Node::table).into_iter().flat_map(Table::keys);
    let zip = list(stage.get("zip")).iter().filter_map(Node::table).flat_map(Table::keys);
    let search = stage.get("search").and_then(|search| search.table()?.get("space")?.table());
    let search = search.into_iter().flat_map(Table::keys);
    let named = sweep.map(|axis| ("sweep", axis)).chain(zip.map(|axis| ("zip", axis)));
    named.chain(search.map(|axis| ("search", axis))).collect()
}

/// The items of a list; none if the value is missing or another one.
fn list(node: Option<&Node>) -> &[Node] {
    match node.map(|node| &node.value) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

fn problem(given: &Given<'_>, stage: &str, (key, axis): Axis<'_>) -> Problem {
    let (does, path, value) = match key {
        "sweep" => ("sweeps over", format!("stages.{stage}.sweep.\"{axis}\""), "[...]"),
        "zip" => ("zips", format!("stages.{stage}.zip"), "[{ ... }]"),
        _ => ("searches", format!("stages.{stage}.search.space.\"{axis}\""), "[...]"),
    };
    let what = format!("the stage {does} `{axis}`, so that this value is not used");
    let hint = match given.is_flag {
        true => format!("set the axis: --set '{path}={value}'"),
        false => format!("set the axis: `{path} = {value}`"),
    };
    Problem::at(given.span.clone(), what).hint(hint)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::manifest::text::source::Problem;
    use crate::manifest::{Overrides, load};

    const HEAD: &str = "schema = 1\nname = \"p/a\"\ntitle = \"t\"\ngames.g.gomoku = { size = 7 }\n";
    const STAGE: &str = "[stages.s]\nmeasure.fitness = { game = \"g\", games = 10 }\n";

    /// The problems of a stage with these lines, under a change of the command line.
    fn problems(lines: &str, set: &[(&str, &str)]) -> Vec<String> {
        let source = BTreeMap::from([("p/a.toml".to_owned(), format!("{HEAD}{STAGE}{lines}\n"))]);
        let set = set.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let loaded = load(&source, "p/a.toml", &Overrides { set, ..Overrides::default() }).unwrap();
        let problems = loaded.problems(Vec::new());
        let hint = |problem: &Problem| problem.hint.clone().unwrap_or_default();
        problems.list().iter().map(|problem| format!("{}; {}", problem.message, hint(problem))).collect()
    }

    #[test]
    fn a_value_of_the_command_line_that_an_axis_replaces_is_refused() {
        let refused = |does: &str, axis: &str, hint: &str| {
            [format!("the stage {does} `{axis}`, so that this value is not used; set the axis: --set '{hint}'")]
        };
        let games = "stages.s.measure.fitness.games";
        let sweep = "sweep = { games = [5, 6] }";
        let by_sweep = refused("sweeps over", "games", "stages.s.sweep.\"games\"=[...]");
        assert_eq!(problems(sweep, &[(games, "7")]), by_sweep);
        assert_eq!(problems(sweep, &[("stages.s.measure.games", "7")]), by_sweep);
        assert_eq!(problems(sweep, &[("stages.s.measure.fitness", "{ game = \"g\", games = 7 }")]), by_sweep);
        let zip = "zip = [{ games = [2, 4], \"agent.c\" = [0.5, 1.0] }]";
        assert_eq!(problems(zip, &[(games, "7")]), refused("zips", "games", "stages.s.zip=[{ ... }]"));
        let search = "search = { samples = 2, space = { games = [2, 4] } }";
        let by_search = refused("searches", "games", "stages.s.search.space.\"games\"=[...]");
        assert_eq!(problems(search, &[(games, "7")]), by_search);
        let players = "sweep = { agent = [\"a\", \"b\"] }";
        let by_player = refused("sweeps over", "agent", "stages.s.sweep.\"agent\"=[...]");
        assert_eq!(problems(players, &[("stages.s.measure.fitness.agent.c", "7")]), by_player);
        // Some cells keep these values.
        assert_eq!(problems(&format!("{sweep}\ninclude = [{{ \"agent.c\" = 1 }}]"), &[(games, "7")]), [""; 0]);
        assert_eq!(problems(zip, &[(games, "7"), ("stages.s.zip", "[]")]), [""; 0]);
        assert_eq!(problems("sweep = { \"agent.c\" = [1, 2] }", &[(games, "7")]), [""; 0]);
    }

    #[test]
    fn a_value_of_a_profile_that_an_axis_replaces_is_refused() {
        let refused = "the stage sweeps over `games`, so that this value is not used; set the axis: \
                       `stages.s.sweep.\"games\" = [...]`";
        let sweep = "sweep = { games = [10, 20] }\n[profile.laptop]\n";
        for line in ["stages.s.measure.fitness.games = 2", "\"stages.s.measure.fitness.games\" = 2"] {
            assert_eq!(problems(&format!("{sweep}{line}"), &[]), [refused], "{line}");
        }
        assert_eq!(problems(&format!("{sweep}stages.s.sweep.games = [2]"), &[]), [""; 0]);
        let other = sweep.replace("laptop", "smoke");
        assert_eq!(problems(&format!("{other}stages.s.measure.fitness.games = 2"), &[]), [""; 0], "not chosen");
    }
}
