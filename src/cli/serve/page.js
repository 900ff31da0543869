"use strict";

// Shows the runs under way, and replays recorded games. All texts come from this machine's results; texts in JSON are
// shown as text, and only pictures, which the program escapes, as markup.

// Most games of a job that the program lists.
const MOST = 2000;

const find = (id) => document.getElementById(id);
const fetched = async (path) => {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}, ${await answer.text()}`);
  return answer.json();
};
const tell = (error) => {
  find("told").textContent = error.message;
};

// Runs under way: once a second, and more rarely while nothing runs.
let shown = "";
const keep = async () => {
  let wait = 1000;
  try {
    const live = await fetched("/live");
    find("state").textContent = live.state;
    if (live.runs !== shown) find("runs").innerHTML = shown = live.runs;
    if (!live.runs) wait = 3000;
  } catch {
    find("state").textContent = "The program has ended: this page shows its last state.";
    wait = 5000;
  }
  setTimeout(keep, wait);
};

// Recorded games.
let game = null;
let place = "";
let ply = 0;
let timer = null;
let advising = 0;

const options = (select, names, first) => {
  select.replaceChildren(...[first, ...names].map(([value, name]) => new Option(name, value)));
  select.disabled = names.length === 0;
};

const jobs = async () => {
  const found = await fetched("/games");
  options(find("job"), found.map((job) => [job.directory, job.directory]), ["", found.length === 1 ? "1 job with games" : `${found.length} jobs with games`]);
};

// The address names the game and the ply, so that a position can be linked: #JOB/GAME/PLY.
const linked = async () => {
  const [job, number = "0", at = "0"] = decodeURIComponent(location.hash.slice(1)).split("/");
  if (!job) return;
  find("job").value = job;
  if (find("job").value === job) await titles(number, Number(at));
};

const titles = async (number = "0", at = 0) => {
  const job = find("job").value;
  options(find("game"), [], ["", ""]);
  if (!job) return;
  const found = await fetched(`/games/${job}`);
  find("told").textContent = found.error ?? "";
  if (found.error) return;
  const all = found.length < MOST ? `${found.length} games` : `the first ${found.length} games`;
  options(find("game"), found.map((title, at) => [at, `${at + 1}: ${title}`]), ["", all]);
  // A link may name a game beyond the list.
  if (Number(number) >= found.length) find("game").add(new Option(`${Number(number) + 1}`, number));
  find("game").value = number;
  await open(at);
};

const open = async (at = 0) => {
  stop();
  const number = find("game").value;
  if (number === "") return;
  place = `/games/${find("job").value}/${number}`;
  const found = await fetched(place);
  find("told").textContent = found.error ?? "";
  if (found.error) return;
  game = found;
  find("title").textContent = game.title;
  find("board").innerHTML = game.board;
  find("ply").max = game.frames.length - 1;
  find("replay").hidden = false;
  show(at);
};

const show = (wanted) => {
  if (!game) return;
  ply = Math.max(0, Math.min(wanted, game.frames.length - 1));
  const frame = game.frames[ply];
  find("board").querySelector(".pieces").innerHTML = frame.pieces;
  find("ply").value = ply;
  history.replaceState(null, "", `#${place.slice("/games/".length)}/${ply}`);
  const by = frame.opening ? "from the opening" : `by ${frame.mover}`;
  find("move").textContent = ply === 0 ? "The start." : `Move ${ply} of ${game.frames.length - 1}: ${frame.move}, ${by}.`;
  advise();
};

// The policy and the value of the player to move: computed now, so only for a position at which the reader stays.
const advise = () => {
  const wanted = ++advising;
  find("advice").replaceChildren();
  if (ply >= game.frames.length - 1) return;
  setTimeout(async () => {
    if (wanted !== advising) return;
    try {
      const found = await fetched(`${place}/${ply}`);
      if (wanted === advising) find("advice").replaceChildren(...advice(found));
    } catch {
      if (wanted === advising) find("advice").textContent = "";
    }
  }, 150);
};

const element = (name, text, kind) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};

const advice = ({ player, advice }) => {
  const heading = element("h3", `${player} is to move`);
  if (!advice) return [heading, element("p", "This player gives no policy and no value, or its weights are not here.")];
  const tables = advice.flatMap((one) => {
    const value = one.value === null ? "" : `, value ${one.value.toFixed(2)} (-1 a loss, 1 a win)`;
    const table = element("table");
    table.append(element("caption", `${one.by}${value}; computed now`));
    for (const { move, share, played } of one.moves) {
      const row = element("tr", undefined, played ? "played" : "");
      const name = element("th", played ? `${move} (played)` : move);
      name.scope = "row";
      const bar = element("meter");
      bar.value = share;
      const cell = element("td");
      cell.append(bar);
      row.append(name, element("td", `${(100 * share).toFixed(1)} %`), cell);
      table.append(row);
    }
    return [table];
  });
  return [heading, ...tables];
};

const stop = () => {
  clearInterval(timer);
  timer = null;
  find("play").setAttribute("aria-pressed", "false");
  find("play").textContent = "Play";
};

const play = () => {
  if (timer) return stop();
  if (ply >= game.frames.length - 1) show(0);
  find("play").setAttribute("aria-pressed", "true");
  find("play").textContent = "Stop";
  timer = setInterval(() => {
    show(ply + 1);
    if (ply >= game.frames.length - 1) stop();
  }, 700);
};

find("job").addEventListener("change", () => titles().catch(tell));
find("game").addEventListener("change", () => open().catch(tell));
find("again").addEventListener("click", () => jobs().catch(tell));
find("ply").addEventListener("input", (event) => show(Number(event.target.value)));
find("first").addEventListener("click", () => show(0));
find("back").addEventListener("click", () => show(ply - 1));
find("next").addEventListener("click", () => show(ply + 1));
find("last").addEventListener("click", () => show(game.frames.length - 1));
find("play").addEventListener("click", play);
document.addEventListener("keydown", (event) => {
  if (!game || ["SELECT", "INPUT"].includes(event.target.tagName)) return;
  if (event.key === "ArrowRight") show(ply + 1);
  if (event.key === "ArrowLeft") show(ply - 1);
});
jobs().then(linked).catch(tell);
keep();
