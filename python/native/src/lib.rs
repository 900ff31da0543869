//! The native module `gauntlet._native`: games in batches, for the Python module `gauntlet`.
//!
//! Each call checks its arguments, and every fault is a Python exception, that of a bug too. A batch is used by one thread
//! at a time, and only in the process that made it: after a fork, parent and child would draw the same random games.
//! Other Python threads run while a batch works.

mod games;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard};

use games::{Facts, Games};
use numpy::ndarray::IntoDimension;
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArray4, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// A batch of games.
#[pyclass(frozen, module = "gauntlet._native")]
struct Batch {
    /// The process that made it.
    process: u32,
    facts: Facts,
    /// None after `close`.
    games: Mutex<Option<Games>>,
}

/// What a message of the games means in Python.
fn wrong(message: String) -> PyErr {
    PyValueError::new_err(message)
}

/// Runs work on games; a panic is a bug, and an exception.
fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let said = said.unwrap_or("no message");
        Err(PyRuntimeError::new_err(format!("a bug of gauntlet: {said}; the environment is closed")))
    })
}

impl Batch {
    fn of(games: Games) -> Batch {
        Batch { process: std::process::id(), facts: games.facts(), games: Mutex::new(Some(games)) }
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, Option<Games>>> {
        let message = "this environment is in use by another thread: give each thread a clone";
        self.games.try_lock().map_err(|_| PyRuntimeError::new_err(message))
    }

    /// Works with the games, alone and without the lock of the interpreter.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Games) -> PyResult<T> + Send) -> PyResult<T> {
        if self.process != std::process::id() {
            let message = "this environment belongs to the process that made it: make one after the fork";
            return Err(PyRuntimeError::new_err(message));
        }
        py.detach(|| {
            let mut games = self.lock()?;
            let Some(open) = games.as_mut() else {
                return Err(PyRuntimeError::new_err("this environment is closed: make another one"));
            };
            let mut completed = false;
            let answer = guarded(|| {
                let answer = work(open);
                completed = true;
                answer
            });
            if !completed {
                *games = None;
            }
            answer
        })
    }

    /// An array of zeros that the games write to.
    fn array<'py, T: Element, D: IntoDimension>(
        &self,
        py: Python<'py>,
        size: D,
        write: impl FnOnce(&mut Games, &mut [T]) + Send,
    ) -> PyResult<Bound<'py, PyArray<T, D::Dim>>> {
        let array = PyArray::zeros(py, size, false);
        {
            let mut open = array.readwrite();
            let values = open.as_slice_mut()?;
            self.with(py, |games| {
                write(games, values);
                Ok(())
            })?;
        }
        Ok(array)
    }

    /// The games with these numbers.
    fn indices(&self, indices: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
        indices.as_array().iter().map(|&index| self.index(index)).collect()
    }

    /// The game with this number.
    fn index(&self, index: i64) -> PyResult<usize> {
        let found = usize::try_from(index).ok().filter(|&index| index < self.facts.games);
        let message = || format!("there is no game {index} in a batch of {}", self.facts.games);
        found.ok_or_else(|| PyIndexError::new_err(message()))
    }
}

#[pymethods]
impl Batch {
    #[new]
    fn new(
        py: Python<'_>,
        game: &str,
        encoded: Option<&str>,
        games: usize,
        seed: u64,
        auto_reset: bool,
    ) -> PyResult<Batch> {
        py.detach(|| guarded(|| Games::new(game, encoded, games, seed, auto_reset).map(Batch::of).map_err(wrong)))
    }

    /// The name of the game.
    #[getter]
    fn name(&self) -> &str {
        &self.facts.name
    }

    /// Number of games.
    #[getter]
    fn games(&self) -> usize {
        self.facts.games
    }

    /// Number of actions of the game.
    #[getter]
    fn actions(&self) -> usize {
        self.facts.actions
    }

    /// Channels, rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize, usize) {
        self.facts.shape.into()
    }

    /// Number of logits of a position.
    #[getter]
    fn logits(&self) -> usize {
        self.facts.slots
    }

    /// Puts games at the start or at a position; a seed renews their random streams.
    #[pyo3(signature = (indices, state=None, seed=None))]
    fn reset(
        &self,
        py: Python<'_>,
        indices: PyReadonlyArray1<'_, i64>,
        state: Option<String>,
        seed: Option<u64>,
    ) -> PyResult<()> {
        let indices = self.indices(&indices)?;
        self.with(py, |games| games.reset(&indices, state.as_deref(), seed).map_err(wrong))
    }

    /// Plays an action in each game: rewards `[games, 2]` and ends `[games]`.
    fn step<'py>(&self, py: Python<'py>, actions: PyReadonlyArray1<'py, i64>) -> PyResult<Stepped<'py>> {
        let actions = actions.as_array().to_vec();
        if actions.len() != self.facts.games {
            let message = format!("{} actions were given for {} games", actions.len(), self.facts.games);
            return Err(PyValueError::new_err(message));
        }
        let mut stepped = Ok(());
        let ends = PyArray1::zeros(py, [self.facts.games], false);
        let rewards = {
            let mut open = ends.readwrite();
            let ends = open.as_slice_mut()?;
            self.array(py, [self.facts.games, 2], |games, rewards| stepped = games.step(&actions, rewards, ends))?
        };
        stepped.map_err(wrong)?;
        Ok((rewards, ends))
    }

    /// Which actions are legal, `[games, actions]`.
    fn legal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        self.array(py, [self.facts.games, self.facts.actions], |games, mask| games.legal(mask))
    }

    /// The legal actions of one game.
    fn legal_actions(&self, py: Python<'_>, index: i64) -> PyResult<Vec<u32>> {
        let index = self.index(index)?;
        self.with(py, |games| Ok(games.legal_actions(index)))
    }

    /// The side to move, `[games]`.
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        self.array(py, [self.facts.games], |games, players| games.players(players))
    }

    /// Random legal actions, `[games]`.
    fn sample<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        self.array(py, [self.facts.games], Games::sample)
    }

    /// Rewards of random games from here, `[games, 2]`.
    fn playouts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.array(py, [self.facts.games, 2], Games::playouts)
    }

    /// Encoded positions, `[games, channels, rows, columns]`.
    fn planes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray4<f32>>> {
        let [channels, rows, columns] = self.facts.shape;
        self.array(py, [self.facts.games, channels, rows, columns], Games::planes)
    }

    /// The logit of each legal action, `[games, actions]`.
    fn slots<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        self.array(py, [self.facts.games, self.facts.actions], Games::slots)
    }

    /// A copy of all games, or a batch of copies of these with new random streams.
    #[pyo3(signature = (indices=None))]
    fn clone(&self, py: Python<'_>, indices: Option<PyReadonlyArray1<'_, i64>>) -> PyResult<Batch> {
        let indices = indices.map(|indices| self.indices(&indices)).transpose()?;
        self.with(py, |games| {
            let copy = match indices {
                None => Ok(games.twin()),
                Some(indices) => games.copies(&indices),
            };
            copy.map(Batch::of).map_err(wrong)
        })
    }

    /// The notation of a position.
    fn state(&self, py: Python<'_>, index: i64) -> PyResult<Option<String>> {
        let index = self.index(index)?;
        self.with(py, |games| Ok(games.state(index)))
    }

    /// A board as text.
    fn text(&self, py: Python<'_>, index: i64) -> PyResult<String> {
        let index = self.index(index)?;
        self.with(py, |games| Ok(games.text(index)))
    }

    /// The notation of an action.
    fn action_name(&self, py: Python<'_>, action: usize) -> PyResult<String> {
        self.with(py, |games| games.action_name(action).map_err(wrong))
    }

    /// The legal action with this notation.
    fn action(&self, py: Python<'_>, index: i64, name: &str) -> PyResult<u32> {
        let index = self.index(index)?;
        self.with(py, |games| games.action(index, name).map_err(wrong))
    }

    /// Frees the games. In another process they are those of its parent, and nothing happens.
    fn close(&self) -> PyResult<()> {
        if self.process == std::process::id() {
            *self.lock()? = None;
        }
        Ok(())
    }
}

/// Rewards and ends.
type Stepped<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<bool>>);

/// Games of Gauntlet in batches: `gauntlet.env` is their interface.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::Batch;

    /// Without NumPy the module cannot be imported.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.py().import("numpy").map(drop)
    }
}
