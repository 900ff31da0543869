//! Macros that descriptions share: a few built-in ones, and those of files that a user names.

use std::path::Path;

use super::text::Source;
use crate::base::files::{LARGEST_NOTE, read_text};

/// Built-in macros under names that Ludii's descriptions use.
const OWN: Source = Source { name: "shared macros", text: include_str!("library/shared.def") };

/// The built-in macros and those of these files, each with name and text. Later ones replace earlier ones.
pub fn shared(files: &[(String, String)]) -> Vec<Source<'_>> {
    std::iter::once(OWN).chain(files.iter().map(|(name, text)| Source { name, text })).collect()
}

/// Maximum number of macro files, and maximum depth of their directories.
const MOST: [usize; 2] = [2000, 8];

/// The macro files in a directory and its subdirectories, by name. The directory is resolved as written, then
/// relative to the description.
///
/// # Errors
/// If the directory does not exist or a file cannot be read; the message is a sentence for the user.
pub fn files(folder: &str, description: Option<&str>) -> Result<Vec<(String, String)>, String> {
    let beside = description.and_then(|file| Path::new(file).parent()).map(|parent| parent.join(folder));
    let found = [Some(Path::new(folder).to_owned()), beside].into_iter().flatten().find(|path| path.is_dir());
    let folder = found.ok_or_else(|| format!("there is no directory {folder} of macros"))?;
    let mut files = Vec::new();
    collect(&folder, 0, &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, depth: usize, into: &mut Vec<(String, String)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && depth < MOST[1] {
            collect(&path, depth + 1, into)?;
        } else if path.extension().is_some_and(|ending| ending == "def") && into.len() < MOST[0] {
            let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            into.push((name, read_text(&path, LARGEST_NOTE)?));
        }
    }
    Ok(())
}
