//! Whole trees, written to the last digit and compared with what they were. Test code.
//!
//! `UPDATE_GOLDEN=1` writes the files anew: read the difference before you commit it.

use std::path::Path;

use serde_json::{Value, json};

use super::testing::{Hashed, Noughts, grow, spec};
use super::{Branch, Tree};

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
    let (seen, path) = (picture(&tree), format!("tests/golden/trees/{name}.json"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let text = serde_json::to_string_pretty(&seen).expect("JSON");
        std::fs::write(&path, text + "\n").expect("the folder is there");
    }
    let text = std::fs::read_to_string(&path).expect("the golden tree is committed");
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), seen, "{name}");
}

#[test]
fn trees_are_what_they_were() {
    compare("puct", "simulations = 40");
    compare("noise", "simulations = 25\nnoise = { alpha = 0.3 }\nrule.puct = { c = 4.0, unvisited = \"one\" }");
    compare("uct", "simulations = 40\nrule.uct = {}\nsolve = true");
}
