//! The exhibits of a plan: the content that a kind renders, with the heading, the claims and the notes of all kinds.

mod criteria;
mod equivalence;
mod gains;
mod scope;
#[cfg(test)]
mod tests;
pub(super) mod verdicts;

pub use criteria::judged;
pub use scope::ExhibitScope;

use super::sheet::{Chart, Sheet};
use super::{engines, resignations, sequential};
use gauntlet_exhibits::estimate::below_floor;
use gauntlet_exhibits::{Basis, Over, Show, levels, published_only};

/// Draws the numbers of success criteria in the panels of the judged value.
fn criterion_lines(scope: &ExhibitScope<'_>, chart: &mut Chart) {
    let about = scope.about();
    if about.judged.is_none() {
        return;
    }
    for panel in chart.panels.iter_mut().step_by(about.values.max(1)) {
        for success in &scope.exhibit.success {
            if let Some(Over::Number(number)) = success.over {
                levels::criterion(panel, number, about.scale);
            }
        }
    }
}

/// Renders an exhibit.
#[must_use]
pub fn render(scope: &ExhibitScope<'_>) -> Sheet {
    let context = scope.context();
    let mut content = scope.exhibit.show.kind().render(&context);
    content.points = content.points.into_iter().map(|point| context.recorded(point)).collect();
    criterion_lines(scope, &mut content.chart);
    published_only::append(&context, &mut content);
    let plan = scope.facts.plan();
    let written = &plan.written;
    let name = match &scope.exhibit.name {
        Some(name) => written.name.sibling(name),
        None => written.name.clone(),
    };
    let heading = scope.heading();
    let published = written.paper.as_ref().and_then(|paper| paper.artefact.as_ref());
    let title = match published {
        Some(artefact) if scope.exhibit.title.is_none() => format!("{artefact}. {heading}"),
        _ => heading,
    };
    let mut notes = content.notes;
    let names = scope.about().names(&context);
    notes.extend(below_floor(&content.points, &names));
    notes.extend(context.doubts(&content.points, &names));
    // Numbers from the paper's own data differ from it in no random way.
    let is_judged = context.basis != Basis::PublishedData;
    notes.extend(Some(&content.points).filter(|_| is_judged).and_then(|all| verdicts::note(all)));
    notes.extend(resignations::note(&scope.shown()));
    // Versions show the rulings of tests themselves.
    if !matches!(scope.exhibit.show, Show::Versions(_)) {
        notes.extend(sequential::notes(&scope.shown()));
        notes.extend(sequential::repeats(&scope.shown()));
    }
    notes.extend(engines::notes(&scope.shown()));
    notes.extend(scope.few_runs(&content.points, content.table.as_ref()));
    let caption = [scope.exhibit.caption.trim(), content.caption.as_str(), &scope.scale()];
    let caption: Vec<&str> = caption.into_iter().filter(|part| !part.is_empty()).collect();
    Sheet {
        artefact: name.to_string(),
        title,
        caption: caption.join(" "),
        profile: plan.profile.clone(),
        names,
        points: content.points,
        table: content.table,
        chart: content.chart,
        errors: scope.exhibit.errors,
        criteria: criteria::decide(scope),
        notes,
    }
}
