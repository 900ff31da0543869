//! The programs that manifests start: they are named, and start only with the consent of the user.

use super::errors::Misuse;
use super::options::Options;
use crate::players::EngineAgent;
use gauntlet_games::base::visible;

/// Asks the user to allow some programs; returns the answer. `None` without a terminal.
pub type Ask = fn(&str) -> Option<bool>;

/// Requires the consent of the user to start these engines, and that they exist. Returns their names if the consent was
/// given by an option, so that nothing starts without a word.
///
/// # Errors
/// If a program or a file of an engine is missing, or there is no consent.
pub fn require_consent<'a>(
    options: &Options,
    engines: impl IntoIterator<Item = &'a EngineAgent>,
    ask: Option<Ask>,
) -> anyhow::Result<Option<String>> {
    let engines: Vec<&EngineAgent> = engines.into_iter().collect();
    engines.iter().try_for_each(|engine| require_files(engine))?;
    if engines.is_empty() {
        return Ok(None);
    }
    let mut programs: Vec<String> = engines.iter().map(|engine| shown(engine)).collect();
    programs.sort();
    programs.dedup();
    let told = format!("this starts other programs:\n  {}", programs.join("\n  "));
    if options.yes || options.allow_engines {
        return Ok(Some(told));
    }
    match ask.and_then(|ask| ask(&told)) {
        Some(true) => Ok(None),
        Some(false) => Err(Misuse::new("no program was started", "--allow-engines starts them without asking")),
        None => Err(Misuse::new(told, "add --allow-engines if you trust them")),
    }
}

/// The command of an engine, with its directory.
fn shown(engine: &EngineAgent) -> String {
    let directory = engine.directory.0.display().to_string();
    format!("{} (in {})", visible(&engine.command.join(" ")), visible(&directory))
}

fn require_files(engine: &EngineAgent) -> anyhow::Result<()> {
    let Some(file) = engine.missing_file() else { return Ok(()) };
    let (file, directory) = (visible(file), visible(&engine.directory.0.display().to_string()));
    if engine.command.first().is_some_and(|program| *program == file) {
        let what = format!("there is no program `{file}` for the engine {}", visible(&shown(engine)));
        return Err(Misuse::new(what, "install it, or write its path, relative to the manifest"));
    }
    Err(Misuse::new(
        format!("there is no file `{file}` in {directory}"),
        "the engine needs it: see `needs` and `directory`",
    ))
}
