//! The laws that every game obeys, checked along random games. The tests run them over
//! [`crate::games::GameSpec::examples`].
//!
//! The kit knows no rules: comparisons with reference games check that the rules are right.

use std::collections::HashMap;

use rand::RngExt as _;

use super::{Game, Lookback, Past, Piece, Position, View};
use crate::base::{Action, Outcome, Rng, Seed};

/// A law that a game broke.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{game} after {played:?}: {law}")]
pub struct Violation {
    /// Name of the game.
    pub game: String,
    /// The actions that lead to the position.
    pub played: Vec<Action>,
    /// The law.
    pub law: &'static str,
}

/// Checks every law at every position of `games` random games.
///
/// # Errors
/// The first violation.
pub fn check(game: &dyn Game, games: u64, seed: Seed) -> Result<(), Violation> {
    names_round_trip(game)?;
    steps_differ(game)?;
    let longest = 2 * game.action_count() + 64;
    let (mut keys, mut met) = (Keys::new(), HashMap::new());
    for index in 0..games {
        let mut rng = seed.child("conformance", index).rng();
        let mut walk = Walk::new(game);
        while walk.position.outcome().is_none() {
            walk.check(&mut rng)?;
            walk.check_key(&mut keys)?;
            walk.check_future(&mut met)?;
            let actions = walk.actions();
            walk.play(actions[rng.random_range(0..actions.len())]);
            walk.demand(walk.played.len() <= longest, "a game ends within twice its number of actions and 64 more")?;
        }
        walk.check_key(&mut keys)?;
        walk.check_end()?;
    }
    Ok(())
}

/// Every action has a name of its own, and other text is not an action.
fn names_round_trip(game: &dyn Game) -> Result<(), Violation> {
    let walk = Walk::new(game);
    for action in (0..game.action_count()).map(Action::from) {
        let read = game.parse_action(&game.action_name(action));
        walk.demand(read == Some(action), "an action's name is read back as that action")?;
    }
    walk.demand(game.parse_action("no action").is_none(), "only names of actions are read")
}

/// Every action has a step of its own, on the board, and turning a board twice restores it.
fn steps_differ(game: &dyn Game) -> Result<(), Violation> {
    let (walk, sites) = (Walk::new(game), game.topology().sites() as u32);
    let mut met = std::collections::HashSet::new();
    for action in (0..game.action_count()).map(Action::from) {
        let step = game.step(action);
        walk.demand(met.insert(step), "no two actions have the same step")?;
        let inside = step.from.into_iter().chain(step.to).all(|site| site < sites);
        walk.demand(inside, "steps begin and end on sites of the board")?;
        walk.demand(
            game.arrival(action) == step.to.map(|site| site as usize),
            "an action arrives where its step ends",
        )?;
    }
    let back =
        |map: &[u32]| map.len() == sites as usize && (0..sites).all(|site| map[map[site as usize] as usize] == site);
    walk.demand(game.turned().is_none_or(back), "a board that is turned twice is as it was")
}

/// A view without its last action, and the legal actions.
type Identity = (View, Vec<Action>);
/// The keys met so far, with the identities that they stand for.
type Keys = Vec<(u128, Identity)>;

/// A game in progress, and the same game under each symmetry that keeps the starting position.
struct Walk<'a> {
    game: &'a dyn Game,
    played: Vec<Action>,
    /// The pieces on every site at every ply, from the start.
    boards: Vec<Vec<Piece>>,
    position: Box<dyn Position>,
    images: Vec<Image<'a>>,
}

/// The game seen through one symmetry of the board.
struct Image<'a> {
    map: &'a [u32],
    position: Box<dyn Position>,
}

impl Image<'_> {
    /// The image of an action; a pass is its own image.
    fn action(&self, action: Action) -> Action {
        self.map.get(action.index()).map_or(action, |&to| Action(to))
    }

    fn view(&self, original: &View) -> View {
        let levels = original.pieces.len() / self.map.len();
        let mut image = original.clone();
        for (site, &to) in self.map.iter().enumerate() {
            for level in 0..levels {
                image.pieces[to as usize * levels + level] = original.pieces[site * levels + level];
            }
        }
        for (&to, &count) in self.map.iter().zip(&original.counts) {
            image.counts[to as usize] = count;
        }
        image.last = original.last.map(|action| self.action(action));
        image
    }
}

impl Walk<'_> {
    /// Without a history, a position with a key that was met before goes on as that one did: the same actions, ends and
    /// keys.
    fn check_future(&self, met: &mut HashMap<u128, Box<dyn Position>>) -> Result<(), Violation> {
        if self.position.has_history() {
            return Ok(());
        }
        let key = self.position.key();
        let Some(known) = met.get(&key) else {
            if met.len() < MOST_MET {
                met.insert(key, self.position.fork());
            }
            return Ok(());
        };
        let future = |position: &dyn Position| {
            let mut actions = Vec::new();
            position.actions(&mut actions);
            let after = |action: Action| {
                let mut next = position.fork();
                next.play(action);
                (action, next.outcome(), next.key())
            };
            actions.into_iter().map(after).collect::<Vec<_>>()
        };
        let is_same = future(&**known) == future(&*self.position);
        self.demand(is_same, "positions without a history that have one key have one future")
    }
}

/// Positions that are compared with later ones of the same key.
const MOST_MET: usize = 2000;

impl<'a> Walk<'a> {
    fn new(game: &'a dyn Game) -> Walk<'a> {
        let start = view(&*game.start());
        let sites = game.topology().sites();
        let plain = [sites, sites + 1].contains(&game.action_count());
        let maps = game.topology().symmetries().iter().filter(|_| plain);
        let images =
            maps.map(|map| Image { map, position: game.start() }).filter(|image| image.view(&start) == start).collect();
        Walk { game, played: Vec::new(), boards: vec![start.pieces], position: game.start(), images }
    }

    fn play(&mut self, action: Action) {
        self.position.play(action);
        for image in &mut self.images {
            let seen = image.action(action);
            image.position.play(seen);
        }
        self.played.push(action);
        self.boards.push(view(&*self.position).pieces);
    }

    fn actions(&self) -> Vec<Action> {
        actions(&*self.position)
    }

    fn demand(&self, holds: bool, law: &'static str) -> Result<(), Violation> {
        let violation = || Violation { game: self.game.name(), played: self.played.clone(), law };
        holds.then_some(()).ok_or_else(violation)
    }

    fn check(&self, rng: &mut Rng) -> Result<(), Violation> {
        self.check_actions(rng)?;
        self.check_outcomes()?;
        self.check_view()?;
        self.check_past()?;
        self.check_leads()?;
        self.check_images()?;
        self.check_notation(rng)?;
        self.check_rollout(rng)
    }

    fn check_actions(&self, rng: &mut Rng) -> Result<(), Violation> {
        let actions = self.actions();
        self.demand(!actions.is_empty(), "a position that is not over has a legal action")?;
        self.demand(actions.is_sorted_by(|one, next| one < next), "actions are ascending and unique")?;
        let inside = actions.iter().all(|action| action.index() < self.game.action_count());
        self.demand(inside, "actions lie below the action count")?;
        let mut longer = vec![Action(7)];
        self.position.actions(&mut longer);
        self.demand(longer[0] == Action(7) && longer[1..] == actions, "actions are appended")?;
        let drawn = self.position.random_action(rng);
        self.demand(actions.contains(&drawn), "a random action is legal")
    }

    fn check_outcomes(&self) -> Result<(), Violation> {
        let side = self.position.side();
        let before = view(&*self.position);
        let (mut wins, mut losses) = (Vec::new(), Vec::new());
        for action in self.actions() {
            let mut next = self.position.fork();
            next.play(action);
            self.demand(next.outcome() == self.position.outcome_after(action), "outcome_after agrees with play")?;
            match next.outcome() {
                Some(Outcome::Win(winner)) if winner == side => wins.push(action),
                Some(Outcome::Win(_)) => losses.push(action),
                Some(Outcome::Draw) | None => {}
            }
        }
        self.demand(view(&*self.position) == before, "a fork is independent")?;
        let (mut claimed_wins, mut claimed_losses) = (Vec::new(), Vec::new());
        self.position.decisive(&mut claimed_wins, &mut claimed_losses);
        self.demand(claimed_wins == wins, "decisive lists what wins at once")?;
        self.demand(claimed_losses == losses, "decisive lists what loses at once")
    }

    fn check_view(&self) -> Result<(), Violation> {
        let fresh = view(&*self.position);
        self.demand(fresh.side == self.position.side(), "the view shows who is to move")?;
        self.demand(fresh.last == self.played.last().copied(), "the view shows the last action")?;
        let sites = self.game.topology().sites();
        let whole = !fresh.pieces.is_empty() && fresh.pieces.len().is_multiple_of(sites);
        self.demand(whole, "the view has the same number of levels on every site")?;
        self.demand(
            fresh.counts.is_empty() || fresh.counts.len() == sites,
            "the view counts on every site or on none",
        )?;
        let kinds = fresh.pieces.iter().all(|piece| usize::from(piece.kind()) < self.game.kinds());
        self.demand(kinds, "the kinds of pieces lie below their number")?;
        let mut dirty = fresh.clone();
        dirty.pieces.rotate_left(1);
        dirty.scalars.push(9.0);
        dirty.counts.push(9);
        dirty.last = Some(Action(9));
        self.position.view(&mut dirty);
        self.demand(dirty == fresh, "a view overwrites all of its buffer")
    }

    /// The past holds as much as the game keeps, and no more than requested.
    fn check_past(&self) -> Result<(), Violation> {
        let (kept, mut past) = (self.game.keeps(), Past::new());
        (past.plies, past.repetitions) = (9, vec![9]);
        for wanted in [kept, Lookback { actions: kept.actions / 2, positions: kept.positions / 2 }, Lookback::NONE] {
            self.position.past(wanted, &mut past);
            let actions = self.played.iter().rev().take(wanted.actions.into());
            self.demand(past.actions.iter().eq(actions), "the past tells the last actions")?;
            let boards: Vec<&Vec<Piece>> = self.boards.iter().rev().take(wanted.positions.into()).collect();
            let positions = (0..past.positions()).map(|plies| past.position(plies));
            self.demand(positions.eq(boards.iter().copied()), "the past tells the last positions")?;
            let plies = if boards.is_empty() { 0 } else { self.played.len() };
            self.demand(past.plies as usize == plies, "the past counts the plies")?;
        }
        Ok(())
    }

    fn check_leads(&self) -> Result<(), Violation> {
        let side = self.position.side();
        let lead = self.position.lead(side);
        let mirrored = self.position.lead(side.opponent()).map(|lead| -lead);
        self.demand(lead == mirrored, "one side's lead is the other's deficit")?;
        for action in self.actions() {
            let mut next = self.position.fork();
            next.play(action);
            self.demand(next.lead(side) == self.position.lead_after(action), "lead_after agrees with play")?;
        }
        Ok(())
    }

    /// Written positions and moves are read back, if the game can be set up.
    fn check_notation(&self, rng: &mut Rng) -> Result<(), Violation> {
        let drawn = self.position.random_action(rng);
        let text = self.game.write_move(&*self.position, drawn);
        let read = self.game.read_move(&*self.position, &text);
        self.demand(read == Some(drawn), "a move that was written is read back")?;
        let Some(text) = self.game.write_position(&*self.position) else { return Ok(()) };
        let Ok(again) = self.game.read_position(&text) else { return Ok(()) };
        let (one, other) = (view(&*self.position), view(&*again));
        let alike = (one.side, one.pieces) == (other.side, other.pieces);
        self.demand(alike, "a position that was written is read back")?;
        self.demand(text.split(' ').count() >= self.game.position_fields(), "a position has its fields")
    }

    /// The content of a key; two positions of a game have one key exactly if this is equal.
    fn identity(&self) -> Identity {
        let mut view = view(&*self.position);
        view.last = None;
        (view, self.actions())
    }

    fn check_key(&self, keys: &mut Keys) -> Result<(), Violation> {
        let (key, identity) = (self.position.key(), self.identity());
        self.demand(self.position.fork().key() == key, "a copy has the same key")?;
        let (mut met, mut alike) = (false, true);
        for known in keys.iter().filter(|known| known.0 == key || known.1 == identity) {
            met = true;
            alike &= known.0 == key && known.1 == identity;
        }
        if !met {
            keys.push((key, identity));
        }
        self.demand(alike, "keys are equal exactly where view and legal actions are")
    }

    fn check_images(&self) -> Result<(), Violation> {
        let original = view(&*self.position);
        let legal = self.actions();
        for image in &self.images {
            self.demand(view(&*image.position) == image.view(&original), "symmetries map positions")?;
            let mut mapped: Vec<Action> = legal.iter().map(|&action| image.action(action)).collect();
            mapped.sort_unstable();
            self.demand(actions(&*image.position) == mapped, "symmetries map legal actions")?;
            let alike = |&action: &Action| {
                image.position.outcome_after(image.action(action)) == self.position.outcome_after(action)
            };
            self.demand(legal.iter().all(alike), "symmetries keep outcomes")?;
        }
        Ok(())
    }

    fn check_rollout(&self, rng: &mut Rng) -> Result<(), Violation> {
        let before = view(&*self.position);
        let mut again = rng.clone();
        let outcome = self.position.rollout(rng);
        self.demand(view(&*self.position) == before, "a roll-out leaves the position alone")?;
        self.demand(self.position.rollout(&mut again) == outcome, "a roll-out depends on its random stream alone")?;
        let played = rng.clone();
        self.demand(self.position.rollout_within(rng, 0).is_none(), "a roll-out plays no more than it may")?;
        self.demand(*rng == played, "a roll-out of no action draws nothing")
    }

    fn check_end(&self) -> Result<(), Violation> {
        self.demand(self.actions().is_empty(), "a game that is over has no legal action")?;
        let (mut wins, mut losses) = (Vec::new(), Vec::new());
        self.position.decisive(&mut wins, &mut losses);
        self.demand(wins.is_empty() && losses.is_empty(), "a game that is over has no decisive action")?;
        let outcome = self.position.outcome();
        let alike = self.images.iter().all(|image| image.position.outcome() == outcome);
        self.demand(alike, "symmetries keep the outcome")
    }
}

fn view(position: &dyn Position) -> View {
    let mut view = View::new();
    position.view(&mut view);
    view
}

fn actions(position: &dyn Position) -> Vec<Action> {
    let mut actions = Vec::new();
    position.actions(&mut actions);
    actions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Side;
    use crate::games::{GridGame, State};

    /// A game of taking turns on 25 points until all are taken; it breaks one law on demand.
    #[derive(Clone)]
    struct Filling {
        taken: Vec<Action>,
        fault: &'static str,
    }

    impl State for Filling {
        fn side(&self) -> Side {
            Side::BOTH[self.taken.len() % 2]
        }
        fn actions(&self, into: &mut Vec<Action>) {
            let start = into.len();
            into.extend((0..25).map(Action).filter(|action| !self.taken.contains(action)));
            if self.fault == "order" {
                into[start..].reverse();
            }
        }
        fn play(&mut self, action: Action) {
            self.taken.push(action);
        }
        fn outcome(&self) -> Option<Outcome> {
            (self.taken.len() == 25).then_some(Outcome::Draw)
        }
        fn outcome_after(&self, _: Action) -> Option<Outcome> {
            (self.taken.len() == 24 && self.fault != "outcome").then_some(Outcome::Draw)
        }
        fn view(&self, view: &mut View) {
            *view = View { side: State::side(self), last: self.taken.last().copied(), ..View::new() };
            view.pieces.resize(25, super::Piece::EMPTY);
            if self.fault == "symmetry" && self.taken.contains(&Action(3)) {
                view.pieces[0] = super::Piece::stone(Side::First);
            }
        }
        fn key(&self) -> u128 {
            let taken = self.taken.iter().map(|action| 1 << action.0).sum();
            if self.fault == "key" { taken % 1024 } else { taken }
        }
        fn lead(&self, side: Side) -> Option<f64> {
            let lead = self.taken.len() as f64;
            Some(if side == Side::First || self.fault == "lead" { lead } else { -lead })
        }
    }

    fn verdict(fault: &'static str) -> Option<&'static str> {
        let state = Filling { taken: Vec::new(), fault };
        let game = GridGame::new("filling".into(), [5, 5], state);
        check(&game, 2, Seed::new(1)).err().map(|violation| violation.law)
    }

    #[test]
    fn a_broken_law_is_found() {
        assert_eq!(verdict("none"), None);
        assert_eq!(verdict("order"), Some("actions are ascending and unique"));
        assert_eq!(verdict("outcome"), Some("outcome_after agrees with play"));
        assert_eq!(verdict("key"), Some("keys are equal exactly where view and legal actions are"));
        assert_eq!(verdict("lead"), Some("one side's lead is the other's deficit"));
        assert_eq!(verdict("symmetry"), Some("symmetries map positions"));
    }
}
