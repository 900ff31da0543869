//! The exhibits of a plan: the content that a kind renders, with the heading, the claims and the notes of all kinds.

mod criteria;
mod scene;
#[cfg(test)]
mod tests;
pub(super) mod verdicts;

pub use criteria::judged;
pub use scene::Scene;

use super::sheet::Sheet;
use super::{resignations, sequential};
use crate::exhibits::{Basis, published_only};

/// Renders an exhibit.
#[must_use]
pub fn render(scene: &Scene<'_>) -> Sheet {
    let context = scene.context();
    let mut content = scene.exhibit.show.kind().render(&context);
    published_only::append(&context, &mut content);
    let plan = scene.facts.plan();
    let written = &plan.written;
    let name = match &scene.exhibit.name {
        Some(name) => written.name.sibling(name),
        None => written.name.clone(),
    };
    let heading = scene.heading();
    let published = written.paper.as_ref().and_then(|paper| paper.artefact.as_ref());
    let title = match published {
        Some(artefact) if scene.exhibit.title.is_none() => format!("{artefact}. {heading}"),
        _ => heading,
    };
    let mut notes = content.notes;
    notes.extend(context.doubts(&content.points));
    // Numbers from the paper's own data differ from it in no random way.
    let is_judged = context.basis != Basis::PublishedData;
    notes.extend(Some(&content.points).filter(|_| is_judged).and_then(|all| verdicts::note(all)));
    notes.extend(resignations::note(&scene.shown()));
    notes.extend(sequential::notes(&scene.shown()));
    notes.extend(scene.few_runs(&content.points, content.table.as_ref()));
    let caption = [scene.exhibit.caption.trim(), content.caption.as_str(), &scene.scale()];
    let caption: Vec<&str> = caption.into_iter().filter(|part| !part.is_empty()).collect();
    Sheet {
        artefact: name.to_string(),
        title,
        caption: caption.join(" "),
        profile: plan.profile.clone(),
        points: content.points,
        table: content.table,
        chart: content.chart,
        errors: scene.exhibit.errors,
        criteria: criteria::decide(scene),
        notes,
    }
}
