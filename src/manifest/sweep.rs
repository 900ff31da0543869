//! Axes: cross products, zipped axes, added and excluded cells.

use super::source::{Problem, Span};
use super::tree::{Entry, Node, Table, Value};
use super::written::Setting;

/// Takes `sweep`, `zip`, `include` and `exclude` out of a stage and expands them into cells, in order.
///
/// Cells are the cross product of all swept axes and zipped groups, without the excluded ones, then the
/// included ones. A stage without axes has one empty cell.
pub fn cells(stage: &mut Table, problems: &mut Vec<Problem>) -> Vec<Vec<Setting>> {
    let mut cells = vec![Vec::new()];
    if let Some(node) = stage.remove("sweep") {
        for entry in table(&node, "sweep", problems) {
            cells = cross(cells, &axis(&entry, problems));
        }
    }
    for group in list(stage.remove("zip"), "zip", problems) {
        cells = cross(cells, &zipped(&group, problems));
    }
    let excluded = list(stage.remove("exclude"), "exclude", problems);
    for group in &excluded {
        let wanted = one_cell(group, problems);
        cells.retain(|cell| !wanted.iter().all(|unwanted| cell.iter().any(|own| same(own, unwanted))));
    }
    for group in list(stage.remove("include"), "include", problems) {
        cells.push(one_cell(&group, problems));
    }
    cells
}

fn same(a: &Setting, b: &Setting) -> bool {
    a.path == b.path && a.value == b.value
}

fn cross(cells: Vec<Vec<Setting>>, axis: &[Vec<Setting>]) -> Vec<Vec<Setting>> {
    let extended = |cell: &Vec<Setting>, step: &Vec<Setting>| cell.iter().chain(step).cloned().collect::<Vec<_>>();
    cells.iter().flat_map(|cell| axis.iter().map(move |step| extended(cell, step))).collect()
}

fn axis(entry: &Entry, problems: &mut Vec<Problem>) -> Vec<Vec<Setting>> {
    values(entry, problems).into_iter().map(|setting| vec![setting]).collect()
}

fn values(entry: &Entry, problems: &mut Vec<Problem>) -> Vec<Setting> {
    let Value::List(items) = &entry.node.value else {
        problems.push(Problem::at(entry.node.span.clone(), format!("the axis `{}` is a list of values", entry.key)));
        return Vec::new();
    };
    if items.is_empty() {
        problems.push(Problem::at(entry.node.span.clone(), format!("the axis `{}` has no values", entry.key)));
    }
    let doubled =
        items.iter().enumerate().find(|(at, item)| items[..*at].iter().any(|other| other.value == item.value));
    if let Some((_, item)) = doubled {
        problems.push(Problem::at(item.span.clone(), format!("the axis `{}` has this value twice", entry.key)));
    }
    items.iter().map(|item| setting(&entry.key, &item.span, item)).collect()
}

fn setting(path: &str, span: &Span, node: &Node) -> Setting {
    Setting { path: path.to_owned(), span: span.clone(), value: node.value.clone() }
}

fn zipped(group: &Node, problems: &mut Vec<Problem>) -> Vec<Vec<Setting>> {
    let axes: Vec<Vec<Setting>> = table(group, "zip", problems).iter().map(|entry| values(entry, problems)).collect();
    let length = axes.first().map_or(0, Vec::len);
    if axes.iter().any(|axis| axis.len() != length) {
        problems.push(Problem::at(group.span.clone(), "zipped axes have equally many values"));
        return vec![Vec::new()];
    }
    (0..length).map(|at| axes.iter().map(|axis| axis[at].clone()).collect()).collect()
}

fn one_cell(group: &Node, problems: &mut Vec<Problem>) -> Vec<Setting> {
    table(group, "include and exclude", problems)
        .iter()
        .map(|entry| setting(&entry.key, &entry.key_span, &entry.node))
        .collect()
}

fn table(node: &Node, what: &str, problems: &mut Vec<Problem>) -> Vec<Entry> {
    match node.table() {
        Some(table) => table.entries().to_vec(),
        None => {
            problems.push(Problem::at(node.span.clone(), format!("`{what}` takes tables of `path = value`")));
            Vec::new()
        }
    }
}

fn list(node: Option<Node>, what: &str, problems: &mut Vec<Problem>) -> Vec<Node> {
    match node {
        None => Vec::new(),
        Some(Node { value: Value::List(items), .. }) => items,
        Some(node) => {
            problems.push(Problem::at(node.span, format!("`{what}` is a list of tables")));
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::source::Sources;
    use crate::manifest::tree::parse;

    fn expand(text: &str) -> (Vec<String>, usize) {
        let (mut stage, _) = parse(&mut Sources::default(), "test.toml", text);
        let mut problems = Vec::new();
        let cells = cells(&mut stage, &mut problems);
        let show = |cell: &Vec<Setting>| {
            cell.iter().map(|s| format!("{}={}", s.path, s.value.label())).collect::<Vec<_>>().join(",")
        };
        (cells.iter().map(show).collect(), problems.len())
    }

    #[test]
    fn axes_cross_and_groups_zip() {
        let (cells, problems) = expand("sweep = { a = [1, 2] }\nzip = [{ b = [3, 4], c = [5, 6] }]");
        assert_eq!(cells, ["a=1,b=3,c=5", "a=1,b=4,c=6", "a=2,b=3,c=5", "a=2,b=4,c=6"]);
        assert_eq!(problems, 0);
    }

    #[test]
    fn cells_are_excluded_and_included() {
        let (cells, _) =
            expand("sweep = { a = [1, 2], b = [3, 4] }\nexclude = [{ a = 1, b = 4 }]\ninclude = [{ a = 9 }]");
        assert_eq!(cells, ["a=1,b=3", "a=2,b=3", "a=2,b=4", "a=9"]);
    }

    #[test]
    fn no_axes_are_one_cell() {
        assert_eq!(expand("x = 1"), (vec![String::new()], 0));
    }

    #[test]
    fn uneven_zips_and_doubled_values_are_problems() {
        assert_eq!(expand("zip = [{ b = [3, 4], c = [5] }]").1, 1);
        assert_eq!(expand("sweep = { a = [1, 1] }").1, 1);
        assert_eq!(expand("sweep = { a = [] }").1, 1);
        assert_eq!(expand("sweep = { a = 3 }").1, 1);
    }
}
