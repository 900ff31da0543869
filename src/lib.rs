//! Gauntlet: reproducible experiments with board-game agents.
//!
//! Gauntlet turns a declarative TOML manifest into a finished result: it trains board-game agents and lets them
//! play, measures and compares them, and renders tables and figures beside the published ones. One command reproduces
//! one table. This page is the architecture: the rooms, their dependencies and their invariants. The guide in `docs/`
//! explains how to use the program, CONTRIBUTING how to extend it.
//!
//! # From manifest to report
//!
//! ```text
//! experiments/<paper>/<artefact>.toml
//!    -> manifest    as written: parsed and checked; every mistake with its line and a hint
//!    -> plan        resolved: profile, overrides, sweeps and seeds applied; jobs, each with a key
//!    -> scheduler   jobs without a result become tasks, which run on threads, in processes or on a cluster;
//!                   one task is one pure function
//!         train     random weights or evolution          -> weights, learning curve
//!         play      a match between two players          -> game records
//!         measure   the strength of an agent             -> numbers
//!    -> store       results/: a directory per job, committed atomically, shared by all manifests
//!    -> ratings     pure statistics over those numbers
//!    -> reports     CSV, Markdown, LaTeX, PNG, SVG, PDF and a page: disposable, rebuilt from the store
//! ```
//!
//! Nothing flows back: a report never starts a game, a net never sees a game, a game never knows a net. While a job
//! works it reports progress and checkpoints through one [`Sink`](gauntlet_games::base::Sink), so that no job
//! touches a file. The scheduler connects that sink to the store and turns the rest into
//! [`RunEvent`](gauntlet_run::scheduler::RunEvent)s, from which bars, `status`, `watch` and recordings are made. By the same sink a job gets the cores that help it
//! ([`Cores`](gauntlet_games::base::Cores)).
//!
//! Inside a job that plays, data flows in one direction too, many games at a time:
//!
//! ```text
//! games::Position -> encoders::Stones -> nets::Kernel -> players::Decision -> arena::Cohort -> base::Record
//! ```
//!
//! # The crates
//!
//! Each crate can be used without those above it; `gauntlet` puts them together. An arrow leads from a crate to one that
//! it depends on, directly or through others. Cargo enforces these arrows.
//!
//! ```text
//!                    gauntlet                      commands: app, diagnosis, cli
//!                    /      \
//!                   v        v
//!         gauntlet-run      gauntlet-report        plans become results; results become reports
//!                    \      /
//!                     v    v
//!                  gauntlet-plan                   manifests become plans of jobs
//!                    /      \
//!                   v        v
//!        gauntlet-jobs      gauntlet-exhibits      one job and its code; kinds of tables and figures
//!                    \      /       \
//!                     v    v         v
//!                  gauntlet-play    gauntlet-store    search, players, matches, training; results on the disk
//!                  /     |     \            |
//!                 v      v      \           |
//!  gauntlet-ratings  gauntlet-nets \        |          statistics; encoders, networks, kernels
//!                           \       \       |
//!                            v       v      v
//!                             gauntlet-games         the vocabulary, rules, files of games
//! ```
//!
//! `crates/<name>` holds a crate with its tests; the package `gauntlet` stands at the top. Paths name the crate of an item:
//! [`gauntlet_games::base::Seed`], [`gauntlet_nets::nets::NetSpec`], [`gauntlet_plan::manifest::Plan`].
//!
//! `python/native` is a workspace of its own: games in batches for Python, over the games and the encoders. No command at
//! the top builds it, so that a build of the program needs no Python.
//!
//! # The rooms
//!
//! A room is a folder of a crate's `src`, or a whole crate: `ratings`, `store`, `specs`, `exhibits`, `reports`. They are
//! listed in dependency order: a room knows only rooms above its own. A test reads the sources, collects the rooms that
//! each names, and compares with the last column, so that this table is the rule and not a memory of it. Files do not need each
//! other in a circle either, within a room or between rooms: a test follows every path to the file that defines what it
//! names. `cli` is the only room that prints, and `main.rs` only calls it, or the guard of an engine.
//!
//! | room | crate | holds | may import |
//! |---|---|---|---|
//! | `ratings` | `gauntlet-ratings` | statistics: intervals, correlations, bootstrap, ladders, sequential tests | nothing |
//! | `base` | `gauntlet-games` | sides, actions, outcomes, records, seeds, keys, the sink, cores: the fixed vocabulary | nothing |
//! | `games` | `gauntlet-games` | rules, one file a game; board, topology, notation; the conformance kit that every game passes | base |
//! | `formats` | `gauntlet-games` | games and results of other programs, in and out | base games |
//! | `encoders` | `gauntlet-nets` | positions to numbers; knows games only through their neutral view | base games |
//! | `nets` | `gauntlet-nets` | networks, one file an architecture with its paper; the kernels that make them fast | base encoders |
//! | `search` | `gauntlet-play` | trees: selection rules plugged into one loop, evaluators behind one trait | base games |
//! | `engines` | `gauntlet-play` | programs that play: their processes, the list of protocols, a client for each | base games encoders |
//! | `networks` | `gauntlet-play` | networks of other programs: their process and protocol | base encoders nets engines |
//! | `players` | `gauntlet-play` | players, one file each | base games encoders nets search engines networks |
//! | `serving` | `gauntlet-play` | our players as engines of other programs: one file a protocol, a state machine from lines to lines | base games formats search engines players |
//! | `jobs` | `gauntlet-play` | the interface of a job: its inputs and its files | base games nets players |
//! | `arena` | `gauntlet-play` | many games at once; matches and tournaments | base games engines players jobs ratings formats |
//! | `learning` | `gauntlet-play` | training: self-play, replay, optimisation, evolution, trainers of others | base games encoders nets search engines networks players jobs arena |
//! | `measure` | `gauntlet-play` | jobs that measure numbers | base games encoders nets engines players jobs arena ratings formats |
//! | `store` | `gauntlet-store` | job directories, atomic commit, look-up, frames, requests of manifests, the trash; jobs are opaque names and bytes to it | base |
//! | `specs` | `gauntlet-jobs` | one job: its specification, composed of the specs of its parts; its work; the fingerprint of its code | base nets players jobs arena learning measure ratings |
//! | `regression` | `gauntlet-plan` | the nightly gate: baselines, tests, verdicts | base ratings store |
//! | `exhibits` | `gauntlet-exhibits` | kinds of tables and figures, one file a kind: its settings, the results that it needs, from runs to points, table and chart | base engines players arena learning measure store ratings |
//! | `manifest` | `gauntlet-plan` | TOML to plan: profiles, sweeps, seeds, names, identity | base games nets players jobs arena learning measure ratings regression exhibits specs |
//! | `costs` | `gauntlet-plan` | estimates of jobs: counted work, seconds on this machine, memory; no result depends on them | base games encoders nets players arena learning measure specs |
//! | `scheduler` | `gauntlet-run` | the road from plans to workers: batches, tasks, slots, arrays of a cluster, events, stopping, rounds of repair and of races | base nets jobs ratings store manifest costs specs |
//! | `verification` | `gauntlet-run` | checks that finished results are reproduced: the choice of jobs, the comparison of their files, bounds | base ratings jobs learning manifest scheduler store specs |
//! | `reports` | `gauntlet-report` | plans with results to sheets, sheets to every format; starts nothing | base arena learning measure manifest store ratings exhibits specs |
//! | `app` | `gauntlet` | what commands do: manifests to plans, plans to runs, results to reports, suites to verdicts; prints nothing | base games formats encoders nets search engines players jobs arena learning ratings regression costs exhibits manifest scheduler verification store reports specs |
//! | `diagnosis` | `gauntlet` | checks of a machine: what it is, whether it computes right, how fast | base games encoders nets search players learning app |
//! | `cli` | `gauntlet` | flags, printing and exit codes; one file a subcommand | everything |
//!
//! The specs that a manifest is made of (`GameSpec`, `NetSpec`, `PlayerSpec`, `TrainSpec`, ...) live in the rooms that do
//! the work; `specs` and `manifest` only compose them. A new game, net or player therefore touches one room. So does a new kind of
//! exhibit: `exhibits` lies below `manifest`, and a kind renders a frame of runs that names no plan. `reports` makes the
//! frame of a plan and its results.
//!
//! # Invariants
//!
//! * **A result is a function of plan, seed, code and device class.** It never depends on the number of slots or cores, on the
//!   timing of threads, on the other games of a batch, or on caches. Every random stream is a child of one
//!   [`Seed`](gauntlet_games::base::Seed), named by a label and an index. There is no global generator and no clock below the
//!   scheduler, except in `serving`, whose answers other programs limit in time, in players with a limit of time and matches with a clock,
//!   whose results are marked, and in `diagnosis`, which measures speed.
//!   Clock readings go to the store's timing journal, outside all hashes. The device is that of the process, chosen once before the first network
//!   ([`compute_on`](gauntlet_nets::nets::deep::compute_on)).
//! * **A GPU has one owner**: a thread of the process that holds the device, its only stream, and all tensors on it
//!   ([`Owner`](gauntlet_nets::nets::deep::Owner)). All other threads send it positions and closures. Its short wait for more
//!   positions decides which of them share a batch. By design, no answer depends on that; `gauntlet doctor` checks it on
//!   the card. It has run on one H100.
//! * **The key of a job is a hash of its inputs**: the resolved settings, the seed, the keys of the jobs that it waits for, the
//!   device class, and the items of source that it reaches from its own game, players, networks and trainer
//!   ([`gauntlet_jobs::code`]). A change of a plot or a comment repeats no training; a new game repeats no game of another one.
//!   The layout of the code, slots, paths and log levels are never part of a key.
//! * **`done.json` is the only proof of completion**, and the last file that is written. A torn or damaged file counts as
//!   absent: there is a warning, and the job runs again. A file that the system does not let be read is an error, and nothing
//!   is renamed. A run resumes by design: it computes the wanted jobs, subtracts the finished ones and runs the rest.
//! * **No engine starts without consent**: commands ask in one place (`app/programs.rs`), whatever names the program, and
//!   a start that was not asked for is refused. An old version of an engine plays on a copy of its kept files alone, after
//!   a comparison with their hashes.
//! * **Only own files are removed**: in a tree with the mark, by names of their own kind, and never through a link. Commands
//!   that only read change nothing ([`gauntlet_store::Store::look`]).
//! * **Files are opened in two places.** [`gauntlet_games::base::files`] reads regular files with a limit, and waits for no
//!   pipe. [`gauntlet_store::open_to_write`] and [`gauntlet_store::create_directory`] write through no link below the root of a tree. A file
//!   that several processes change is locked from reading to writing ([`gauntlet_store::Alone`]). A test finds other openings.
//! * **On a cluster the store is the truth.** A job is done when its `done.json` is there, whatever Slurm says. Slurm's answers
//!   and the heartbeats of workers only decide how long to wait and which jobs to submit again
//!   (`scheduler/slurm/decide.rs` of `gauntlet-run` has the table). A submission is on the disk before it is submitted, under a name by which
//!   it is found again, and outlives the run. Every directory that a process works in names its owner, and makes way only
//!   when that owner is known to be gone.
//! * **Mistakes are found before anything runs**, all of a file at once, each with its line. Input from outside (manifests,
//!   checkpoints, results) is checked when it is read; inside, an illegal action is a bug.
//! * **A result at reduced scale is never presented as a paper's.** The scale of a plan or an exhibit is decided by comparing
//!   its runs with those of the profile `paper`. Errors name their kind, and n is shown.
//! * **Speed is paid for in kernels, not in clarity above them.** Games advance in cohorts, positions are evaluated in lanes,
//!   buffers are reused. A kernel has a slow twin, straight from the equations, as its oracle. `unsafe` exists in kernel
//!   files, in `card.rs`, which opens a GPU, and in `main.rs`, which sets up the threads of the process.
//!
//! # Vocabulary
//!
//! Each word has one meaning. Where common usage has several, a qualifier tells them apart.
//!
//! Games and search:
//!
//! | word | meaning |
//! |---|---|
//! | game, position, action, side, outcome | the rules; a state of them; a choice of the side to move; first or second; win or draw |
//! | view | the content of a position without rules: all that encoders and players read |
//! | step | where an action begins and ends on the board |
//! | past | the earlier positions and actions that an encoder reads |
//! | logit | a network's number for an action or a site; several actions may share one |
//! | logit slot | the index of a logit; *slot* alone is a place where a task runs |
//! | evaluation | an evaluator's answer for a leaf: priors and a value |
//! | search result | the outcome of a search: the root children with visits and values |
//! | kernel | a network bound to weights and a board, on lanes; `nets/kernels` are its numeric loops |
//! | decision, record, trajectory | an action with its policy; a played game; a game as training examples |
//! | window, sampler | the packed examples that a training draws from; the object that draws |
//! | segment | bytes of a checkpoint that never change and are written once |
//! | mask | the actions that are kept out of a softmax |
//! | fitness | the mean outcome of a set of games: win 1, draw 0, loss -1 |
//! | engine | a player that is a program of its own; it speaks a *protocol*. *Budget*: the limit of a move; *clock*: of a game |
//!
//! Experiments:
//!
//! | word | meaning |
//! |---|---|
//! | manifest, profile, variant | a TOML file; a named set of overrides; one arm of an ablation |
//! | stage, axis | a job template; a parameter that it is expanded over |
//! | plan, configuration, job | a resolved manifest; a resolved job without its seed; a configuration with a seed |
//! | dependency | a configuration whose results another one reads |
//! | run | one seed of one configuration: the unit of standard errors; with crossed opponents one for each *opponent run* |
//! | key, code-free key | the hash of all inputs of a job; the same without its code |
//! | batch | the jobs of several plans, each once, with their states in the store; *batch of positions* in networks |
//! | task, slot, worker | a job that has to run, as plain data; a place for one task at a time; the thread or process that runs it |
//! | submission, array task, pack | an array of a cluster with its files; one process of it; the tasks that this process runs |
//! | run event | what happens in a run, for everything that shows or records it |
//! | exhibit, sheet, artefact | a table or figure as the manifest asks for it; the same with its numbers; its name and files |
//! | suite run, verdict | one run of a nightly suite; its decision on a match. *Agreement* is the comparison with a paper |
//! | core | a core of the processor |
//! | device class | the properties of a device that results may depend on; jobs in number formats other than `f32` have it without the instruction set of the CPU |
//! | number format | the rounding of the factors of matrix products: `f32`, `bf16`, `int8` |

pub mod app;
pub mod cli;
pub mod diagnosis;
