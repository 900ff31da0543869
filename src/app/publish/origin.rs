//! The origin of a manifest's results, as far as the store noted it: the form in which the manifest was planned, the commits
//! of the programs that made the results, and the reasons for which a page may not name a commit.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use crate::app::options::Options;
use crate::app::plans::{Planned, ResolvedForm};
use gauntlet_games::base::count;
use gauntlet_store::{Error, JobId, Planning, Reading, Requests, Store};

/// The notes on the planning of a manifest.
pub struct RequestOrigin {
    form: ResolvedForm,
    requests: Option<Requests>,
}

impl RequestOrigin {
    /// The notes of a store.
    ///
    /// # Errors
    /// If a note cannot be read.
    pub fn read(options: &Options, planned: &Planned, store: &Store) -> Result<RequestOrigin, Error> {
        let requests = store.requests()?.into_iter().find(|requests| requests.manifest == planned.place);
        Ok(RequestOrigin { form: options.form(planned), requests })
    }

    /// The hash of the resolved manifest, as pages show it.
    pub fn resolved(&self) -> String {
        self.form.key.to_string()
    }

    /// The time at which this form was first planned.
    pub fn planned(&self) -> Option<String> {
        let time: Timestamp = self.same().next()?.time.parse().ok()?;
        Some(time.strftime("%Y-%m-%d %H:%M UTC").to_string())
    }

    /// The notes on this form.
    fn same(&self) -> impl Iterator<Item = &Planning> {
        let plannings = self.requests.iter().flat_map(|requests| &requests.plannings);
        plannings.filter(|planning| planning.resolved == self.form.key.hex())
    }

    /// The reasons for which no commit can be named for the results of some jobs, which a program with the commit `today`
    /// shows. None for results of clean trees that hold the manifest in this form.
    pub fn doubts(&self, jobs: &[&JobId], readings: &HashMap<String, Reading>, today: &str) -> Vec<String> {
        let mut makers: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        for job in jobs {
            let maker = readings.get(&job.directory()).and_then(|reading| reading.commit.as_deref());
            *makers.entry(maker).or_default() += 1;
        }
        let of_maker = |(maker, jobs): (&Option<&str>, &usize)| match maker {
            None => Some(format!("the program of {} is not known", count(*jobs, "job"))),
            Some(maker) if maker.contains(' ') => Some(format!("{} made by {maker}", count(*jobs, "job"))),
            Some(_) => None,
        };
        let shown = today.contains(' ').then(|| format!("the report is made by {today}"));
        makers.iter().filter_map(of_maker).chain(shown).chain(self.unheld(jobs)).collect()
    }

    /// The jobs that were requested before a commit held the manifest.
    fn unheld(&self, jobs: &[&JobId]) -> Option<String> {
        let time = |text: &str| text.parse::<Timestamp>().ok();
        let held = self.same().filter(|planning| planning.is_held).find_map(|planning| time(&planning.time));
        let asked = |job: &JobId| time(self.requests.as_ref()?.jobs.get(&job.directory())?);
        let is_early = |job: &&&JobId| held.is_none_or(|held| asked(job).is_none_or(|asked| asked < held));
        let early = jobs.iter().filter(is_early).count();
        (early > 0).then(|| {
            let jobs = count(early, "job");
            format!("no commit of the program held the manifest in this form when it requested {jobs}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Key;
    use serde_json::json;

    fn job(name: &str) -> JobId {
        JobId { kind: "play".into(), slug: "x".into(), key: Key::of("run", &json!(name)) }
    }

    fn reading(commit: Option<&str>) -> Reading {
        Reading { seconds: 1.0, is_whole: true, processor: None, commit: commit.map(str::to_owned) }
    }

    /// Two jobs, requested at these times; the forms of the manifest; the commits of the jobs.
    fn doubts(asked: [&str; 2], forms: Vec<(&str, bool, &str)>, makers: [Option<&str>; 2], today: &str) -> Vec<String> {
        let store = tempfile::tempdir().unwrap();
        let store = Store::open(store.path()).unwrap();
        let (jobs, form) = ([job("a"), job("b")], |name: &str| Key::of("form", &json!(name)));
        for (time, job) in asked.iter().zip(&jobs) {
            let planning = Planning { time: (*time).to_owned(), ..Planning::now(form("none"), "c0ffee", false) };
            store.request("/m.toml", "m", &planning, [job]).unwrap();
        }
        for (name, is_held, time) in forms {
            let planning = Planning { time: time.to_owned(), ..Planning::now(form(name), "c0ffee", is_held) };
            store.request("/m.toml", "m", &planning, []).unwrap();
        }
        let form = ResolvedForm { key: form("own"), is_held: true };
        let origin = RequestOrigin { form, requests: store.requests().unwrap().pop() };
        let readings = jobs.iter().zip(makers).map(|(job, maker)| (job.directory(), reading(maker))).collect();
        origin.doubts(&jobs.each_ref(), &readings, today)
    }

    #[test]
    fn a_commit_is_named_only_if_it_held_the_manifest_before_its_jobs() {
        let (noon, later) = ("2026-11-27T12:00:00Z", "2026-11-27T12:00:00.5Z");
        let (clean, changed) = (Some("0a1b2c3"), Some("0a1b2c3 (changed)"));
        let unheld =
            |jobs: &str| format!("no commit of the program held the manifest in this form when it requested {jobs}");
        for (asked, forms, makers, today, found) in [
            ([noon; 2], vec![("own", true, noon)], [clean; 2], "0a1b2c3", vec![]),
            ([later; 2], vec![("own", true, noon)], [clean; 2], "0a1b2c3", vec![]),
            ([noon, later], vec![("own", true, later)], [clean; 2], "0a1b2c3", vec![unheld("1 job")]),
            ([later; 2], vec![("own", false, noon)], [clean; 2], "0a1b2c3", vec![unheld("2 jobs")]),
            ([later; 2], vec![("other", true, noon)], [clean; 2], "0a1b2c3", vec![unheld("2 jobs")]),
            ([later; 2], vec![], [clean; 2], "0a1b2c3", vec![unheld("2 jobs")]),
            (
                [noon; 2],
                vec![("own", true, noon)],
                [None, changed],
                "b (changed)",
                vec![
                    "the program of 1 job is not known".to_owned(),
                    "1 job made by 0a1b2c3 (changed)".to_owned(),
                    "the report is made by b (changed)".to_owned(),
                ],
            ),
        ] {
            let reported = format!("{asked:?} {forms:?} {makers:?}");
            assert_eq!(doubts(asked, forms, makers, today), found, "{reported}");
        }
    }
}
