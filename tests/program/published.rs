//! Tests of the built-in manifests: all run at smoke scale.

use crate::workshop::{Workshop, json};

#[test]
fn all_artefacts_run_at_smoke_scale() {
    let workshop = Workshop::new();
    let listed = json(&workshop.done("reproduce --list --json").stdout);
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|entry| entry["artefact"].as_str().unwrap()).collect();
    for published in
        ["fig2a", "fig2b", "fig2c", "table1", "fig3a", "fig3b", "fig3c", "table2", "fig4a", "fig4b", "fig4c"]
    {
        assert!(names.contains(&format!("schaul2009/{published}").as_str()), "{published}: {names:?}");
    }
    workshop.done("run quickstart tournament --profile smoke");
    workshop.done("reproduce schaul2009 --profile smoke");
    let csvs = workshop.files("reports/schaul2009/smoke", ".csv");
    // At least one for each artefact, and the table of runs.
    assert!(csvs.len() > names.iter().filter(|name| name.starts_with("schaul2009/")).count(), "{csvs:?}");
    assert!(workshop.path("reports/schaul2009/smoke/index.html").is_file());
    workshop.done("reproduce saz2021 --profile smoke");
    let csvs = workshop.files("reports/saz2021/smoke", ".csv");
    // A manifest may show more than one exhibit.
    assert!(csvs.len() >= names.iter().filter(|name| name.starts_with("saz2021/")).count(), "{csvs:?}");
    workshop.done("reproduce gomoku-agz --profile smoke");
    let csvs = workshop.files("reports/gomoku-agz/smoke", ".csv");
    assert!(csvs.len() >= names.iter().filter(|name| name.starts_with("gomoku-agz/")).count(), "{csvs:?}");
    // The artefacts without published results.
    let trained =
        ["fig5-trained", "fig6-trained", "fig7-trained", "time-trained", "games", "params", "layers", "search-rules"];
    let trained = trained.map(|artefact| format!("alphagateau2024/{artefact}")).join(" ");
    workshop.done(&format!("reproduce {trained} --profile smoke"));
    assert!(workshop.path("reports/alphagateau2024/smoke/fig5-trained-claims.csv").is_file());
    workshop.done("reproduce polygames2021 --profile smoke");
    assert!(workshop.path("reports/polygames2021/smoke/table1-parameters.csv").is_file());
    if let Some(data) = crate::workshop::published_results() {
        let run = "reproduce alphagateau2024 --profile smoke --data";
        let output = workshop.command(run).arg(data).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(workshop.path("reports/alphagateau2024/smoke/index.html").is_file());
    }
}

#[test]
fn all_artefacts_of_a_paper_have_its_profiles() {
    let workshop = Workshop::new();
    for profile in ["smoke", "laptop", "paper", "code"] {
        let listed = json(&workshop.done(&format!("reproduce gomoku-agz --list --json --profile {profile}")).stdout);
        assert_eq!(listed.as_array().unwrap().len(), 6, "{profile}");
    }
}
