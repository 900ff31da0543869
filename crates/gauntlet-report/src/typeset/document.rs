//! Tables and figures as a document that LaTeX compiles, each on a page of its own.

use std::collections::BTreeSet;

use super::float::length;

/// The commands before the content. `fix-cm` has letters of every size.
const HEAD: &str = r"% Compile it with pdflatex, xelatex or lualatex.
\RequirePackage{fix-cm}
\documentclass{article}
\usepackage{booktabs,graphicx}
\setlength{\topmargin}{-0.6in}
\setlength{\textheight}{9.6in}
";

/// A character that the fonts of pdflatex do not have is printed as its number. Other programs have no such command.
const UNKNOWN: &str = r"\ifdefined\DeclareUnicodeCharacter
\def\numbered#1#2{\ifcsname u8:\detokenize{#1}\endcsname\else\DeclareUnicodeCharacter{#2}{[U+#2]}\fi}
";

/// A document of some pieces, whose text has a width in points of TeX.
#[must_use]
pub fn document(pieces: &[String], width: f64) -> String {
    let width = length(width);
    let sizes = format!(
        "\\setlength{{\\textwidth}}{{{width}}}\n\
         \\setlength{{\\oddsidemargin}}{{\\dimexpr0.5\\paperwidth-0.5\\textwidth-1in\\relax}}\n\
         \\setlength{{\\parindent}}{{0pt}}\n"
    );
    let text = pieces.join("\\clearpage\n");
    format!("{HEAD}{sizes}{}\\begin{{document}}\n{text}\\end{{document}}\n", unknown(&text))
}

/// The definitions of characters beyond ASCII.
fn unknown(text: &str) -> String {
    let characters: BTreeSet<char> = text.chars().filter(|c| !c.is_ascii()).collect();
    let lines = characters.iter().map(|c| format!("\\numbered{{{c}}}{{{:04X}}}\n", u32::from(*c)));
    if characters.is_empty() { String::new() } else { format!("{UNKNOWN}{}\\fi\n", lines.collect::<String>()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_all_pieces_in_its_width() {
        let text = document(&["one\n".to_owned(), "two\n".to_owned()], 241.849);
        assert!(text.contains("\\begin{document}\none\n\\clearpage\ntwo\n\\end{document}\n"), "{text}");
        assert!(text.contains("\\setlength{\\textwidth}{241.849pt}\n") && !text.contains("numbered"), "{text}");
    }

    #[test]
    fn other_characters_have_a_fallback_each_once() {
        let text = document(&["日é日".to_owned()], 345.0);
        assert_eq!(text.matches("\\numbered{日}{65E5}\n").count(), 1);
        assert!(text.contains("\\numbered{é}{00E9}\n\\numbered"), "{text}");
    }
}
