//! Profiles in the texts of reports: the name, and its meaning for readers.

use super::standings::RATE;
use gauntlet_plan::manifest::written::{BASE, CUSTOM};

/// `Profile: laptop`; nothing where there are no profiles: for a manifest as it is written, and for games of others.
#[must_use]
pub fn stated(profile: &str) -> Option<String> {
    (!matches!(profile, BASE | RATE)).then(|| format!("Profile: {profile}"))
}

/// The meaning of a profile, for readers.
pub fn meaning(profile: &str) -> &'static str {
    match profile {
        "paper" => "The published setting, at full scale. Verdicts compare our numbers with the published ones.",
        // Some artefacts have the same jobs here as at full scale; their captions say so.
        "laptop" => {
            "A scale that takes about an hour on two cores. Captions name the scale of each table. Numbers are compared \
             with published ones only at the paper's scale."
        }
        "smoke" => "A tiny scale that tests the program in seconds. Its numbers mean nothing.",
        CUSTOM => {
            "Settings changed on the command line. Captions list the changes, and say what may be compared with a paper."
        }
        "night" => "A scale between `laptop` and `paper` that takes hours on two cores. It is not the paper's scale.",
        "many" | "more" => "The published setting with more networks than in the paper.",
        BASE => "The manifest as it is written.",
        _ => "A profile of this manifest. Captions say what may be compared with a paper.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_custom_was_changed_on_the_command_line() {
        assert!(meaning("custom").contains("command line"));
        for name in ["code", "base", "paper", "laptop", "smoke"] {
            assert!(!meaning(name).contains("command line"), "{name}");
        }
    }

    #[test]
    fn what_has_no_profiles_names_none() {
        assert_eq!(["laptop", BASE, RATE].map(stated), [Some("Profile: laptop".to_owned()), None, None]);
    }
}
