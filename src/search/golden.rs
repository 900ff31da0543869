//! Golden test: whole trees, written with all digits, against recorded ones.

use serde_json::{Value, json};

use super::testing::{Hashed, Noughts, grow, spec};
use super::{Branch, Tree};
use crate::golden;

fn picture(tree: &Tree) -> Value {
    let branch = |(branch, below): (Branch, Value)| {
        let Branch { action, prior, visits, value, .. } = branch;
        json!({ "action": action.0, "prior": prior, "visits": visits, "value": value, "below": below })
    };
    tree.walk(&|value, branches| {
        let branches: Vec<Value> = branches.into_iter().map(branch).collect();
        json!({ "value": value, "branches": branches })
    })
}

fn compare(name: &str, settings: &str) {
    let tree = grow(&Noughts::after(&[4]), &spec(settings), &mut Hashed);
    golden::compare(&format!("trees/{name}"), &picture(&tree));
}

#[test]
fn trees_are_what_they_were() {
    compare("puct", "simulations = 40");
    compare("noise", "simulations = 25\nnoise = { alpha = 0.3 }\nrule.puct = { c = 4.0, unvisited = \"one\" }");
    compare("uct", "simulations = 40\nrule.uct = {}\nsolve = true");
    let polygames = "simulations = 40\nforced-visits = 2\nforced-by = \"simulations\"\nterminal-weight = 2";
    let rule = "rule.puct = { c = 1.1, unvisited = \"siblings\", first-visit = \"own-visit\" }";
    compare("polygames", &format!("{polygames}\n{rule}"));
    compare("gumbel", "simulations = 40\nrule.gumbel = { considered = 4 }");
}
