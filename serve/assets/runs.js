// The page of runs: asks again and again how far they are, and filters the stages.
import { ask, make } from "./ask.js";

const every = 2000; // milliseconds
const box = document.getElementById("running");
const rows = [...document.querySelectorAll("#stages tbody tr")];
const state = document.getElementById("state");
const find = document.getElementById("find");

function filter() {
  const wanted = find.value.trim().toLowerCase();
  let n = 0;
  for (const row of rows) {
    const its = row.querySelector(".state").dataset.state;
    row.hidden = (state.value && its !== state.value) || !row.textContent.toLowerCase().includes(wanted);
    if (!row.hidden) n++;
  }
  document.getElementById("shown").textContent = `${n} of ${rows.length} stages`;
}

function card(r) {
  const e = make("div", { class: r.alive ? "card" : "card killed" },
    make("p", {}, make("b", {}, r.alive ? "Running" : "Killed"), `: ${r.who}`));
  if (r.command) e.append(make("p", {}, make("code", {}, r.command)));
  if (r.stage) e.append(make("p", {}, r.stage));
  if (r.percent >= 0) e.append(make("progress", { max: 100, value: r.percent, "aria-label": "progress of the stage" }));
  e.append(make("p", { class: "quiet" }, r.note));
  return e;
}

function show(now) {
  const all = document.getElementById("all");
  all.value = now.done;
  const failed = now.failed ? `, ${now.failed} failed` : "";
  document.getElementById("done").textContent = `${now.done} of ${now.stages} stages done${failed}`;
  const cards = now.running.map(card);
  const none = make("p", { class: "quiet" }, "Nothing is running.");
  const next = make("div", {}, ...(cards.length ? cards : [none]));
  if (next.innerHTML !== box.innerHTML) box.replaceChildren(...next.childNodes);
  const failure = document.getElementById("failure");
  failure.hidden = !now.failure;
  failure.textContent = now.failure ? `Failed: ${now.failure}` : "";
  let changed = false;
  for (const row of rows) {
    const cell = row.querySelector(".state");
    const its = now.states[row.dataset.id] || "done";
    if (cell.dataset.state !== its) {
      cell.dataset.state = its;
      cell.firstElementChild.textContent = its === "runs" ? "running" : its;
      changed = true;
    }
    const took = now.times[row.dataset.id];
    if (took) row.querySelector(".time").textContent = took;
  }
  if (changed) filter();
}

async function look() {
  const lost = document.getElementById("lost");
  if (!document.hidden) {
    try {
      show(await ask("api/status"));
      lost.hidden = true;
    } catch {
      lost.hidden = false;
    }
  }
  setTimeout(look, every);
}

state.addEventListener("change", filter);
find.addEventListener("input", filter);
document.getElementById("filter").addEventListener("submit", (e) => e.preventDefault());
filter();
setTimeout(look, every);
