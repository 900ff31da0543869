//! The options of a Gomocup engine: keys of `INFO`. The protocol declares some; engines have more of their own.

use serde_json::{Map, Value};

use super::super::error::shown;
use super::super::messages::Budget;
use super::super::options::{spelled, text, undeclared};

/// The lines of `INFO` for some options. Known keys have the protocol's spelling and its values.
pub(super) fn infos(options: &Map<String, Value>, rule: u8, budget: Option<Budget>) -> Result<Vec<String>, String> {
    let is_timed = matches!(budget, Some(Budget::TimeMs(_)));
    let mut infos = Vec::new();
    for (written, value) in undeclared(options)? {
        let value = text(written, value)?;
        let is_from = |least: u64, most: u64| value.parse().is_ok_and(|number: u64| (least..=most).contains(&number));
        let key = spelled(written, KEYS.into_iter()).unwrap_or(written);
        let wanted = match key {
            "rule" if !is_from(rule.into(), rule.into()) => format!("{rule}, the rule of the game"),
            "timeout_turn" | "timeout_match" | "time_left" if is_timed => "nothing beside a budget of time".to_owned(),
            "game_type" if !is_from(0, 3) => "0 to 3".to_owned(),
            "timeout_turn" | "timeout_match" | "time_left" | "max_memory" if !is_from(0, u64::MAX) => {
                "a whole number from 0".to_owned()
            }
            _ => {
                infos.push(format!("INFO {key} {value}"));
                continue;
            }
        };
        return Err(format!("cannot take `{}` for `{key}`: the protocol allows {wanted}", shown(&value)));
    }
    Ok(infos)
}

/// The keys of `INFO` in the protocol.
const KEYS: [&str; 8] =
    ["timeout_turn", "timeout_match", "max_memory", "time_left", "game_type", "rule", "evaluate", "folder"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn options_are_keys_of_the_protocol_or_of_the_engine() {
        let said = |options: Value, budget| infos(&serde_json::from_value(options).unwrap(), 1, budget);
        let known = said(json!({"MAX_memory": 1000, "rule": 1, "THREAD_NUM": 4, "pondering": true}), None).unwrap();
        assert_eq!(known, ["INFO max_memory 1000", "INFO rule 1", "INFO THREAD_NUM 4", "INFO pondering true"]);
        let time = Some(Budget::TimeMs(100));
        for (options, budget, fault) in [
            (json!({"rule": 0}), None, "`rule`: the protocol allows 1, the rule of the game"),
            (json!({"Timeout_Turn": 5}), time, "nothing beside a budget of time"),
            (json!({"timeout_turn": -5}), None, "a whole number from 0"),
            (json!({"max_memory": "much"}), None, "cannot take `much` for `max_memory`"),
            (json!({"game_type": 4}), None, "0 to 3"),
            (json!({"x": 1, "X": 2}), None, "`x` and `X`"),
            (json!({"x": [1]}), None, "takes a text"),
            (json!({"folder": "a\nEND"}), None, "one line"),
        ] {
            let said = said(options.clone(), budget).unwrap_err();
            assert!(said.contains(fault), "{options}: {said}");
        }
    }
}
