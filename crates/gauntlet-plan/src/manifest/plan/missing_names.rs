//! Cautions for names that readers of CSV take for a missing value or for a formula.

use std::collections::BTreeSet;

use super::Plan;

/// Words that pandas, and in part R, read as a missing value unless told otherwise.
const MISSING: [&str; 18] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
    "NaN", "None", "n/a", "nan", "null",
];

/// A caution for names of agents, games and variants, and labels of axes, that are such words.
pub(super) fn missing_names(plan: &Plan) -> Option<String> {
    let written = &plan.written;
    let keys = [&written.agents, &written.games].map(|table| table.entries().iter().map(|entry| &*entry.key));
    let variants = written.variants.iter().map(|variant| variant.name.as_str());
    let labels = plan.configs.iter().flat_map(|config| config.labels.iter().map(|(_, label)| &**label));
    let named: BTreeSet<&str> =
        keys.into_iter().flatten().chain(variants).chain(labels).filter(|name| MISSING.contains(name)).collect();
    let names: Vec<String> = named.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| {
        format!(
            "pandas and other readers of CSV take the name {} for a missing value. Give another name, or read the files \
             with `keep_default_na=False, na_values=[\"\"]`, as the module `gauntlet` does",
            names.join(" and ")
        )
    })
}
