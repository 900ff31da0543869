//! The script of an array: options for `sbatch`, the user's lines, and the start of a worker, which replaces the shell
//! so that signals reach it.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;

use super::parse::write_indices;
use super::request::Request;
use crate::scheduler::process::Launch;

/// The script of an array with these indices, whose files are in `directory`; it excludes the nodes `shunned`.
pub(super) fn script(
    (name, directory): (&str, &Path),
    indices: &[u32],
    request: &Request,
    shunned: &[&str],
    launch: &Launch,
) -> String {
    let mut text = "#!/bin/bash\n".to_owned();
    let shunned = (!shunned.is_empty()).then(|| format!("--exclude={}", shunned.join(",")));
    for option in options(name, directory, indices, request).into_iter().chain(shunned) {
        let _ = writeln!(text, "#SBATCH {option}");
    }
    for line in &request.setup {
        let _ = writeln!(text, "{}", line.as_str());
    }
    let worker = launch.arguments.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ");
    let (program, directory) = (quoted(launch.program.as_os_str()), quoted(directory.as_os_str()));
    let _ = writeln!(text, "exec {program} {worker} --threads-per-job {} --submission {directory}", request.cores);
    text
}

fn options(name: &str, directory: &Path, indices: &[u32], request: &Request) -> Vec<String> {
    let at_a_time = request.at_a_time.map_or(String::new(), |tasks| format!("%{tasks}"));
    // Slurm expands percent signs.
    let log = directory.join("logs").to_string_lossy().replace('%', "%%");
    let mut options = vec![
        format!("--job-name={name}"),
        format!("--array={}{at_a_time}", write_indices(indices)),
        format!("--output=\"{log}/%a.log\""),
        "--open-mode=append".to_owned(),
        "--no-requeue".to_owned(),
        format!("--signal=B:TERM@{}", request.notice),
        "--nodes=1".to_owned(),
        "--ntasks=1".to_owned(),
        format!("--cpus-per-task={}", request.cores),
    ];
    let asked = [
        ("--partition", request.partition.as_deref()),
        ("--account", request.account.as_deref()),
        ("--time", request.time.as_deref()),
        ("--mem", request.memory.as_deref()),
    ];
    options.extend(asked.iter().filter_map(|(option, value)| Some(format!("{option}={}", (*value)?))));
    options.extend((request.gpus > 0).then(|| format!("--gres=gpu:{}", request.gpus)));
    options.extend(request.options.iter().map(|option| option.as_str().to_owned()));
    options
}

/// An argument in shell quotes.
fn quoted(argument: &OsStr) -> String {
    format!("'{}'", argument.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_plan::manifest::Cluster;

    #[test]
    fn a_script_says_everything_that_was_asked_for() {
        let section = "partition = \"long\"\ntime = \"2:00:00\"\ngpus = 1\ncores = 4\nat-a-time = 5\n\
                       options = [\"--qos=high\"]\nsetup = [\"module load cuda\"]";
        let cluster: Cluster = toml::from_str(section).expect("a section");
        let launch =
            Launch { program: "/opt/it's/gauntlet".into(), arguments: vec!["worker".into()], gpus: Vec::new() };
        let request = Request::of(&cluster, "train");
        let text = script(("g-1", Path::new("/r 1/50%")), &[0, 1, 2, 7], &request, &["n7", "n9"], &launch);
        let expected = [
            "#!/bin/bash",
            "#SBATCH --job-name=g-1",
            "#SBATCH --array=0-2,7%5",
            "#SBATCH --output=\"/r 1/50%%/logs/%a.log\"",
            "#SBATCH --open-mode=append",
            "#SBATCH --no-requeue",
            "#SBATCH --signal=B:TERM@120",
            "#SBATCH --nodes=1",
            "#SBATCH --ntasks=1",
            "#SBATCH --cpus-per-task=4",
            "#SBATCH --partition=long",
            "#SBATCH --time=2:00:00",
            "#SBATCH --gres=gpu:1",
            "#SBATCH --qos=high",
            "#SBATCH --exclude=n7,n9",
            "module load cuda",
            "exec '/opt/it'\\''s/gauntlet' 'worker' --threads-per-job 4 --submission '/r 1/50%'",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
