//! Entrants with a `sweep`: one player for each combination of values, named after them.
//!
//! `{ name = "uct", agent = "uct", sweep = { simulations = [10, 20] } }` is the players `uct, simulations 10` and
//! `uct, simulations 20`.

use crate::manifest::text::source::Problem;
use crate::manifest::text::tree::{Entry, Node, Value};

/// The key of an entrant with the values.
const SWEEP: &str = "sweep";

/// The players of an entrant whose agent is written out: itself, if it has no `sweep`.
pub(in crate::manifest) fn swept(mut entrant: Node, problems: &mut Vec<Problem>) -> Vec<Node> {
    let Some(sweep) = entrant.table_mut().and_then(|table| table.remove(SWEEP)) else { return vec![entrant] };
    let axes = sweep.node.table().map(|table| table.entries().to_vec()).unwrap_or_default();
    let is_list = |axis: &Entry| matches!(&axis.node.value, Value::List(values) if !values.is_empty());
    if axes.is_empty() || !axes.iter().all(is_list) {
        let problem = Problem::at(sweep.node.span, "a `sweep` has a list of values for each key of the agent");
        problems.push(problem.hint("for example: `sweep = { simulations = [10, 20] }`"));
        return vec![entrant];
    }
    axes.iter().fold(vec![entrant], |players, axis| {
        let Value::List(values) = &axis.node.value else { return players };
        players.iter().flat_map(|player| values.iter().map(|value| with(player, &axis.key, value))).collect()
    })
}

/// The entrant with another value of its agent, and with that value in its name.
fn with(entrant: &Node, path: &str, value: &Node) -> Node {
    let mut player = entrant.clone();
    if let Some(table) = player.table_mut() {
        let name = table.get("name").and_then(Node::text).unwrap_or_default();
        let word = path.rsplit('.').next().unwrap_or(path);
        let name = Value::Text(format!("{name}, {word} {}", value.value.label()).into());
        table.set("name", &value.span, Node { span: value.span.clone(), value: name });
        table.set(&format!("agent.{path}"), &value.span, value.clone());
    }
    player
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::text::parse::parse;
    use crate::manifest::text::source::Sources;

    fn names(text: &str) -> Result<Vec<String>, String> {
        let (table, mut problems) = (parse(&mut Sources::default(), "test.toml", text).0, Vec::new());
        let entrant = table.get("entrant").cloned().expect("an entrant");
        let players = swept(entrant, &mut problems);
        let described = players.iter().map(|player| {
            let table = player.table().expect("a table");
            assert!(table.get("sweep").is_none());
            format!(
                "{}: {}",
                table.get("name").and_then(Node::text).unwrap_or_default(),
                table.lookup("agent.c").map_or_else(String::new, Value::label)
            )
        });
        let described = described.collect();
        if problems.is_empty() { Ok(described) } else { Err(problems.remove(0).message) }
    }

    #[test]
    fn every_combination_is_a_player() {
        let swept =
            |sweep: &str| names(&format!("entrant = {{ name = \"u\", agent = {{ uct = {{ c = 3 }} }}{sweep} }}"));
        assert_eq!(swept("").unwrap(), ["u: 3"]);
        assert_eq!(swept(", sweep = { c = [1, 2.5] }").unwrap(), ["u, c 1: 1", "u, c 2.5: 2.5"]);
        let both = swept(", sweep = { simulations = [9, 8], c = [1, 2] }").unwrap();
        assert_eq!(both[2], "u, simulations 8, c 1: 1");
        assert_eq!(both.len(), 4);
        let deep = swept(", sweep = { rave.bias = [0.1] }");
        assert!(deep.is_err(), "a table is no list: {deep:?}");
        assert_eq!(swept(", sweep = { \"rave.bias\" = [0.1] }").unwrap(), ["u, bias 0.1: 3"]);
        for wrong in ["{}", "{ c = [] }", "{ c = 1 }", "[1]", "3"] {
            let error = swept(&format!(", sweep = {wrong}")).unwrap_err();
            assert!(error.contains("a `sweep` has a list of values for each key of the agent"), "{wrong}: {error}");
        }
    }
}
