//! The tables and the verdicts of pages, as values for templates.

use minijinja::{Value, context};

use super::grid::{Cell, Grid};
use super::sheet::{Agreement, Sheet};
use gauntlet_exhibits::PAPER;

/// With more compared columns than this, verdicts are below our numbers instead of beside them.
const DENSE: usize = 3;

/// The number of numbers with each verdict.
pub(super) fn tally(sheet: &Sheet) -> Vec<Value> {
    let count = |verdict| sheet.points.iter().filter(|point| point.verdict == Some(verdict)).count();
    let counted = Agreement::ALL.into_iter().map(|verdict| (verdict, count(verdict))).filter(|(_, count)| *count > 0);
    counted.map(|(verdict, count)| context! { count, word => tally_word(verdict, count), ..chip(verdict) }).collect()
}

/// `1 agrees`, `24 agree`.
fn tally_word(verdict: Agreement, count: usize) -> &'static str {
    match verdict {
        Agreement::Agrees if count > 1 => "agree",
        Agreement::Differs if count > 1 => "differ",
        verdict => verdict.word(),
    }
}

/// The class of a verdict in HTML.
pub(super) fn class(verdict: Agreement) -> &'static str {
    match verdict {
        Agreement::Agrees => "agrees",
        Agreement::Differs => "differs",
        Agreement::NotComparable => "apart",
    }
}

/// A verdict for a template.
pub(super) fn chip(verdict: Agreement) -> Value {
    context! { class => class(verdict), mark => verdict.mark(), word => verdict.word(), meaning => verdict.meaning() }
}

/// A table for the template of pages.
pub(super) fn table(grid: &Grid) -> Value {
    let is_apart = grid.is_apart();
    let dense = is_apart || grid.heads.iter().filter(|head| head.compared).count() > DENSE;
    let width = |compared: bool| match (compared, dense) {
        (false, _) => 1,
        (true, true) => 2,
        (true, false) => 3,
    };
    let groups = grid.groups().into_iter().map(|(group, heads)| {
        context! { name => group.unwrap_or_default(), width => heads.iter().map(|head| width(head.compared)).sum::<usize>() }
    });
    // Cells of a row before a column, with the label of the row.
    let places = grid.heads.iter().scan(1, |next, head| {
        let at = *next;
        *next += width(head.compared);
        Some(at)
    });
    let heads = grid.heads.iter().zip(places).map(|(head, at)| {
        let whole = head.group.iter().map(String::as_str).chain([head.label.as_str()]).collect::<Vec<_>>().join(", ");
        let kind = if whole.starts_with(PAPER) { "paper" } else { "ours" };
        context! { label => &head.label, compared => head.compared, width => width(head.compared), whole, kind, at }
    });
    let rows = grid.rows.iter().map(|(label, cells)| {
        let cells = cells.iter().zip(&grid.heads).map(|(cell, head)| cell_value(cell, head.compared, is_apart));
        context! { label, cells => cells.collect::<Vec<_>>() }
    });
    context! {
        corner => &grid.corner,
        depth => 1 + usize::from(grid.is_grouped()) + usize::from(grid.is_compared()),
        dense,
        grouped => grid.is_grouped(),
        compared => grid.is_compared(),
        groups => groups.collect::<Vec<_>>(),
        heads => heads.collect::<Vec<_>>(),
        rows => rows.collect::<Vec<_>>(),
        legend => grid.legend.join(" "),
    }
}

fn cell_value(cell: &Cell, compared: bool, is_apart: bool) -> Value {
    context! {
        ours => &cell.ours,
        published => cell.published.as_deref().unwrap_or_default(),
        chip => cell.verdict.filter(|_| !is_apart).map(chip),
        compared,
    }
}
