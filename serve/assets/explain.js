// Explaining a mask: the scores come once, the slider decides anew from them.
import { ask, linesOf, make, sentenceOf } from "./ask.js";

const strongest = 0.6; // opacity behind the word of the highest score
const form = document.getElementById("ask");
const slider = document.getElementById("eps");
const number = document.getElementById("number");
const found = document.getElementById("found");
const wrong = document.getElementById("wrong");
let answers = []; // of the server, one for each sentence
let own = null; // lambda_eps in place of the file's, null: the file's
let under = null; // the request that is under way

const epsOf = (p) => (own === null ? p.lambda_eps : own);

// masked decides as package policy does.
function masked(p, method, i) {
  if (!p.surplus) return method.masked[i];
  const from = ((1 + epsOf(p)) / p.n) * p.slack;
  return p.strict ? method.scores[i] > from : method.scores[i] >= from;
}

function words(sentence, method, p) {
  const highest = Math.max(...method.scores, 0);
  const line = make("div", { class: "heat" });
  const threshold = (1 + epsOf(p)) / p.n;
  sentence.words.forEach((text, i) => {
    const score = method.scores[i];
    const is = masked(p, method, i);
    const never = score < 0; // a link, an e-mail address or a mention
    const margin = p.surplus ? `, ${Math.abs(score - threshold).toFixed(3)} ${score < threshold ? "below" : "above"} the threshold` : "";
    const word = make("span", {
      class: is ? "word masked" : "word",
      title: never ? "never masked" : `score ${score.toFixed(3)}${margin}${is ? ", masked" : ""}`,
    }, text, make("small", {}, never ? "–" : score.toFixed(2)));
    if (highest > 0) word.style.setProperty("--a", (strongest * Math.max(0, score)) / highest);
    line.append(word);
  });
  return line;
}

function explained(answer) {
  const s = answer.sentence;
  const part = make("section", { class: "explained", "aria-label": s.words.join(" ") },
    make("h2", {}, s.words.join(" ")),
    make("p", {}, "Style: ", make("b", {}, s.style), ` (p = ${s.probability.toFixed(2)}). Framed words are masked.`));
  s.methods.forEach((method, k) => {
    const p = answer.policies[k];
    const n = s.words.filter((_, i) => masked(p, method, i)).length;
    const from = p.surplus ? `masked from a score of (1 + ${+epsOf(p).toFixed(4)}) / ${p.n} = ${((1 + epsOf(p)) / p.n).toFixed(3)}: ` : "masked: ";
    part.append(make("section", { class: "method", "data-method": method.method },
      make("h3", {}, method.method.replaceAll("_", " "), " ", make("small", {}, `${from}${n} of ${s.words.length} words`)),
      words(s, method, p)));
  });
  if (answer.missing && answer.missing.length) {
    part.append(make("p", { class: "quiet" }, `These methods are not trained: ${answer.missing.join(", ").replaceAll("_", " ")}.`));
  }
  return part;
}

function show() {
  found.hidden = !answers.length;
  found.replaceChildren(...answers.map(explained));
}

// move takes another lambda_eps, null for the file's.
function move(eps, from) {
  own = eps;
  const shown = eps === null ? Number(slider.dataset.eps) : eps;
  if (from !== slider) slider.value = shown;
  if (from !== number) number.value = shown;
  show();
}

async function explain() {
  if (under) under.abort();
  const mine = (under = new AbortController());
  wrong.hidden = true;
  found.setAttribute("aria-busy", "true");
  let lines = [];
  const got = [];
  try {
    lines = linesOf(document.getElementById("text").value);
    for (const text of lines) {
      got.push(await ask("api/explain", {
        point: document.getElementById("point").value, text, style: document.getElementById("style").value,
      }, mine.signal));
    }
    answers = got;
    if (own === null && got[0].policies.length) {
      slider.dataset.eps = got[0].policies[0].lambda_eps;
      move(null);
    }
    slider.disabled = number.disabled = !got[0].policies.some((p) => p.surplus);
    show();
  } catch (e) {
    if (e.name === "AbortError") return;
    wrong.textContent = sentenceOf(e, got.length + 1, lines.length);
    wrong.hidden = false;
  } finally {
    if (under === mine) {
      under = null;
      found.removeAttribute("aria-busy");
    }
  }
}

if (form) {
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    explain();
  });
  document.getElementById("text").addEventListener("keydown", (e) => {
    if (e.key === "Enter" && !e.shiftKey) {
      e.preventDefault();
      form.requestSubmit(document.getElementById("go"));
    }
  });
  for (const id of ["point", "style"]) {
    document.getElementById(id).addEventListener("change", () => { if (answers.length) explain(); });
  }
  slider.addEventListener("input", () => move(Number(slider.value), slider));
  number.addEventListener("input", () => {
    if (number.value !== "" && !number.validity.rangeUnderflow && !number.validity.rangeOverflow) move(Number(number.value), number);
  });
  document.getElementById("reset").addEventListener("click", () => move(null));
}
