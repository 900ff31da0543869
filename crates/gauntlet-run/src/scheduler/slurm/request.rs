//! The resource request of an array. Jobs with the same request go into one array.

use gauntlet_plan::manifest::Cluster;
use gauntlet_plan::manifest::cluster::{Line, SlurmOption, StageRequest, Word};

/// The request of an array.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Request {
    /// Partition.
    pub partition: Option<String>,
    /// Account.
    pub account: Option<String>,
    /// Time limit, in Slurm's syntax.
    pub time: Option<String>,
    /// The same in seconds.
    pub seconds: Option<u64>,
    /// Memory, in Slurm's syntax.
    pub memory: Option<String>,
    /// GPUs of a task.
    pub gpus: u16,
    /// Cores of a task.
    pub cores: u16,
    /// Most tasks that run at a time.
    pub at_a_time: Option<u32>,
    /// Seconds before the time limit at which a task is asked to stop.
    pub notice: u32,
    /// More options of `sbatch`.
    pub options: Vec<SlurmOption>,
    /// Lines of shell before the worker.
    pub setup: Vec<Line>,
}

impl Request {
    /// The request of the jobs of a stage.
    #[must_use]
    pub fn of(cluster: &Cluster, stage: &str) -> Request {
        let usual = StageRequest::default();
        let own = cluster.stages.get(stage).unwrap_or(&usual);
        let word =
            |own: &Option<Word>, all: &Option<Word>| own.as_ref().or(all.as_ref()).map(|word| word.as_str().to_owned());
        let time = own.time.as_ref().or(cluster.time.as_ref());
        Request {
            partition: word(&own.partition, &cluster.partition),
            account: word(&None, &cluster.account),
            time: time.map(|time| time.as_str().to_owned()),
            seconds: time.map(|time| time.seconds()),
            memory: word(&own.memory, &cluster.memory),
            gpus: own.gpus.unwrap_or(cluster.gpus),
            cores: own.cores.unwrap_or(cluster.cores),
            at_a_time: cluster.at_a_time,
            notice: cluster.notice,
            options: cluster.options.clone(),
            setup: cluster.setup.clone(),
        }
    }

    /// A short description of the request.
    #[must_use]
    pub fn describe(&self) -> String {
        let mut words = vec![if self.cores == 1 { "1 core".to_owned() } else { format!("{} cores", self.cores) }];
        words.extend((self.gpus > 0).then(|| format!("{} GPU", self.gpus)));
        words.extend(self.memory.clone());
        words.extend(self.time.as_ref().map(|time| format!("at most {time}")));
        words.extend(self.partition.as_ref().map(|partition| format!("on {partition}")));
        words.join(", ")
    }
}
