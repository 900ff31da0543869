//! A sheet's table as a LaTeX float with the rules of booktabs; a figure without a table includes its picture.

use super::grid::{Grid, Head};
use super::profile::stated;
use super::sheet::{Criterion, Sheet};
use gauntlet_exhibits::estimate::IN_CSV;
use gauntlet_games::base::is_obeyed;

/// Renders a sheet; `picture` is the file name of its plot without extension.
pub fn render(sheet: &Sheet, picture: &str) -> String {
    match Grid::new(sheet) {
        Some(grid) => table(sheet, &grid),
        None => figure(sheet, picture),
    }
}

/// Text that LaTeX prints unchanged, on one line.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    // The character before a quote tells whether it opens.
    let mut opens = true;
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match symbol(c) {
            Some(_) if c == '"' && opens => escaped.push_str("``"),
            Some(symbol) => escaped.push_str(symbol),
            None if is_obeyed(c) => {}
            None => escaped.push(c),
        }
        opens = c.is_whitespace() || matches!(c, '(' | '[' | '/' | '-' | '–' | '—');
    }
    escaped
}

/// The command for a character that is special to LaTeX or missing from its usual fonts.
fn symbol(c: char) -> Option<&'static str> {
    Some(match c {
        '\\' => r"\textbackslash{}",
        '{' => r"\{",
        '}' => r"\}",
        '$' => r"\$",
        '&' => r"\&",
        '#' => r"\#",
        '_' => r"\_",
        '%' => r"\%",
        '~' => r"\textasciitilde{}",
        '^' => r"\textasciicircum{}",
        '<' => r"\textless{}",
        '>' => r"\textgreater{}",
        '|' => r"\textbar{}",
        '"' => r"''",
        // After the end of a row, LaTeX would parse these as its argument.
        '[' => r"{[}",
        '*' => r"{*}",
        '−' => r"$-$",
        '±' => r"$\pm$",
        '×' => r"$\times$",
        '–' => r"--",
        '—' => r"---",
        '≈' => r"$\approx$",
        '≠' => r"$\neq$",
        '≤' => r"$\leq$",
        '≥' => r"$\geq$",
        '○' => r"$\circ$",
        '†' => r"\dag{}",
        '∞' => r"$\infty$",
        'ε' => r"$\varepsilon$",
        'μ' | 'µ' => r"$\mu$",
        'ρ' => r"$\rho$",
        'σ' => r"$\sigma$",
        'λ' => r"$\lambda$",
        'α' => r"$\alpha$",
        _ => return None,
    })
}

fn figure(sheet: &Sheet, picture: &str) -> String {
    let body = format!("  \\includegraphics[width=\\linewidth]{{{picture}}}");
    Float { body, ..Float::figure(sheet) }.text()
}

fn table(sheet: &Sheet, grid: &Grid) -> String {
    Float { body: tabular(grid, &Breaks { names: None, head: &escape }), ..Float::table(sheet, grid) }.text()
}

/// The lines that long texts of a table are broken into.
pub(super) struct Breaks<'a> {
    /// The width of the names of rows, if some are longer.
    pub names: Option<String>,
    /// A heading as LaTeX.
    pub head: &'a dyn Fn(&str) -> String,
}

impl Breaks<'_> {
    /// The name of a row as LaTeX.
    fn name(&self, name: &str) -> String {
        format!("{}{}", if self.names.is_some() { "\\raggedright " } else { "" }, escape(name))
    }
}

/// The environment of a table.
pub(super) fn tabular(grid: &Grid, breaks: &Breaks<'_>) -> String {
    let columns: String = grid.heads.iter().map(|head| if head.compared { " rcl" } else { " r" }).collect();
    let names = breaks.names.as_ref().map_or("l".to_owned(), |width| format!("p{{{width}}}"));
    let mut lines = vec![format!("  \\begin{{tabular}}{{{names}{columns}}}"), "    \\toprule".into()];
    lines.extend(heads(grid, breaks));
    lines.push("    \\midrule".into());
    lines.extend(grid.rows.iter().map(|(label, cells)| {
        let texts = cells.iter().zip(&grid.heads).flat_map(|(cell, head)| cell.texts(head.compared));
        row(std::iter::once(breaks.name(label)).chain(texts.map(escape)))
    }));
    lines.extend(["    \\bottomrule".into(), "  \\end{tabular}".into()]);
    lines.join("\n")
}

/// A float around a table or picture: lines of the caption, settings and notes around the body.
pub(super) struct Float {
    kind: &'static str,
    package: &'static str,
    /// The title and the sentences of the caption, as LaTeX.
    pub caption: Vec<String>,
    pub label: String,
    /// Commands after the label.
    pub settings: Vec<String>,
    pub body: String,
    /// Sentences below the body, as LaTeX.
    pub notes: Vec<String>,
    /// The width of the notes; without one, they are lines in small type.
    pub width: Option<String>,
}

impl Float {
    /// The float of a table, without its body.
    pub fn table(sheet: &Sheet, grid: &Grid) -> Float {
        Float { kind: "table", package: "booktabs", ..Float::of(sheet, &grid.legend) }
    }

    /// The float of a picture, without its body.
    pub fn figure(sheet: &Sheet) -> Float {
        Float::of(sheet, &[])
    }

    fn of(sheet: &Sheet, legend: &[String]) -> Float {
        let criteria: Vec<_> = sheet.criteria.iter().map(Criterion::sentence).collect();
        let notes = sheet.notes.iter().filter(|note| !note.starts_with(IN_CSV));
        let title = format!("{}.", sheet.title.trim_end_matches('.'));
        let profile = stated(&sheet.profile).map(|profile| format!("{profile}."));
        let caption = [title, sheet.caption.clone()].into_iter().chain(profile).map(|text| escape(&text));
        Float {
            kind: "figure",
            package: "graphicx",
            caption: caption.filter(|text| !text.is_empty()).collect(),
            label: label(&sheet.artefact),
            settings: vec!["\\par\\smallskip".into()],
            body: String::new(),
            notes: legend.iter().chain(&criteria).chain(notes).map(|text| escape(text)).collect(),
            width: None,
        }
    }

    /// All lines.
    pub fn text(&self) -> String {
        let kind = self.kind;
        let mut lines = vec![
            format!("% Needs \\usepackage{{{}}}.", self.package),
            format!("\\begin{{{kind}}}"),
            "  \\centering".into(),
            format!("  \\caption{{{}}}", self.caption.join(" ")),
            format!("  \\label{{{}}}", self.label),
        ];
        lines.extend(self.settings.iter().map(|command| format!("  {command}")));
        lines.push(self.body.clone());
        let notes = self.notes.join(" ");
        match &self.width {
            _ if notes.is_empty() => {}
            None => lines.push(format!("  \\par\\smallskip\\footnotesize {notes}")),
            Some(width) => lines.push(format!("  \\par\\smallskip\\parbox{{{width}}}{{{notes}}}")),
        }
        lines.push(format!("\\end{{{kind}}}\n"));
        lines.join("\n")
    }
}

/// A label may hold letters, digits and a few signs only.
fn label(artefact: &str) -> String {
    artefact.chars().map(|c| if c.is_ascii_alphanumeric() || "-/:.".contains(c) { c } else { '-' }).collect()
}

/// Up to three lines: groups, columns, ours and the paper's.
fn heads(grid: &Grid, breaks: &Breaks<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if grid.is_grouped() {
        let spans: Vec<_> =
            grid.groups().into_iter().map(|(group, heads)| (group.unwrap_or_default(), width(heads))).collect();
        lines.extend(spanned(&spans, breaks));
    }
    let labels: Vec<_> =
        grid.heads.iter().map(|head| (head.label.as_str(), width(std::slice::from_ref(head)))).collect();
    if !grid.is_compared() {
        let plain = labels.iter().map(|(label, _)| format!("\\multicolumn{{1}}{{c}}{{{}}}", (breaks.head)(label)));
        lines.push(row(std::iter::once(breaks.name(&grid.corner)).chain(plain)));
        return lines;
    }
    lines.extend(spanned(&labels, breaks));
    let kinds = grid.heads.iter().flat_map(|head| if head.compared { vec!["ours", "", "paper"] } else { vec![""] });
    lines.push(row(std::iter::once(breaks.name(&grid.corner)).chain(kinds.map(String::from))));
    lines
}

/// One line of heads that span columns, and the rules below those that have a text.
fn spanned(spans: &[(&str, usize)], breaks: &Breaks<'_>) -> [String; 2] {
    let cells = spans.iter().map(|(text, width)| format!("\\multicolumn{{{width}}}{{c}}{{{}}}", (breaks.head)(text)));
    let heads = row(std::iter::once(String::new()).chain(cells));
    let mut start = 2;
    let mut rules = Vec::new();
    for (text, width) in spans {
        if !text.is_empty() && *width > 1 {
            rules.push(format!("\\cmidrule(lr){{{start}-{}}}", start + width - 1));
        }
        start += width;
    }
    [heads, format!("    {}", rules.join(" "))]
}

fn width(heads: &[Head]) -> usize {
    heads.iter().map(|head| if head.compared { 3 } else { 1 }).sum()
}

fn row(cells: impl Iterator<Item = String>) -> String {
    format!("    {} \\\\", cells.collect::<Vec<_>>().join(" & "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use gauntlet_exhibits::estimate::in_csv;
    use gauntlet_plan::manifest::written::BASE;

    #[test]
    fn quotes_open_and_close() {
        assert_eq!(escape("\"a\" and (\"b\"), \"c d\"."), "``a'' and (``b''), ``c d''.");
    }

    #[test]
    fn a_small_table() {
        insta::assert_snapshot!(render(&samples::small_table(), "table2"), @r"
        % Needs \usepackage{booktabs}.
        \begin{table}
          \centering
          \caption{Table 2. Scalability of trained networks. Correlation of the fitness on 7x7 with that on larger boards, 100 networks per scenario. Profile: paper.}
          \label{schaul2009/table2}
          \par\smallskip
          \begin{tabular}{l rcl rcl r}
            \toprule
             & \multicolumn{6}{c}{CONV} & \multicolumn{1}{c}{} \\
            \cmidrule(lr){2-7}
             & \multicolumn{3}{c}{Correlation} & \multicolumn{3}{c}{p} & \multicolumn{1}{c}{ties} \\
            \cmidrule(lr){2-4} \cmidrule(lr){5-7}
            Sizes & ours &  & paper & ours &  & paper &  \\
            \midrule
            7x7 vs. 9x9 & 0.84 $\pm$ 0.03 & $\approx$ & 0.86 $\pm$ 0.026 & 0.12 $\pm$ 0.10 & $\circ$ & 0.20 $\pm$ 0.10 & 0.07 $\pm$ 0.02 \\
            7x7 vs. 11x11 & $-$0.05 $\pm$ 0.10 & $\neq$ & 0.72 $\pm$ 0.05 &  &  &  &  \\
            \bottomrule
          \end{tabular}
          \par\smallskip\footnotesize Every number rests on n = 100 runs. $\pm$ is one standard error. Ours against the paper's: $\approx$ agrees within twice the combined standard error; $\neq$ differs by more than twice the combined standard error; $\circ$ not comparable, as it was measured at another scale. One network was lost \& replaced.
        \end{table}
        ");
    }

    #[test]
    fn a_float_names_neither_the_csv_nor_a_profile_that_the_manifest_has_not() {
        let mut sheet = Sheet { profile: BASE.to_owned(), ..samples::small_table() };
        sheet.notes.push(in_csv(sheet.errors, "normal"));
        let text = render(&sheet, "table2");
        assert!(!text.contains("CSV") && !text.contains("Profile") && text.contains("replaced."), "{text}");
        assert!(text.contains("per scenario.}"), "{text}");
    }

    #[test]
    fn a_figure_includes_its_picture() {
        let sheet = Sheet { table: None, ..samples::small_table() };
        assert!(render(&sheet, "table2").contains("\\includegraphics[width=\\linewidth]{table2}"));
    }

    #[test]
    fn outside_text_stays_text() {
        assert_eq!(escape("[1] *"), "{[}1] {*}");
        assert_eq!(escape("a\u{1b}b\u{202e}c\0"), "abc");
        let text = escape("\\input{x} 50% a_b & c#d $e$ ~ ^ <f> | −1 ± 2");
        assert_eq!(
            text,
            "\\textbackslash{}input\\{x\\} 50\\% a\\_b \\& c\\#d \\$e\\$ \\textasciitilde{} \\textasciicircum{} \
             \\textless{}f\\textgreater{} \\textbar{} $-$1 $\\pm$ 2"
        );
    }
}
