//! Golden test: whole trees, written with all digits, against recorded ones.

use serde_json::{Value, json};

use super::testing::{Hashed, Noughts, grow, spec};
use super::{RootChild, Tree};
use crate::golden;

fn picture(tree: &Tree) -> Value {
    let child = |(child, below): (RootChild, Value)| {
        let RootChild { action, prior, visits, value, .. } = child;
        json!({ "action": action.0, "prior": prior, "visits": visits, "value": value, "below": below })
    };
    tree.walk(&|value, children| {
        let children: Vec<Value> = children.into_iter().map(child).collect();
        json!({ "value": value, "branches": children })
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
