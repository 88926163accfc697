// Transfer: a sentence in one of the styles, or in each, with candidates.
import { ask, make } from "./ask.js";

const form = document.getElementById("ask");
const model = document.getElementById("model");
const to = document.getElementById("to");
const found = document.getElementById("found");
const wrong = document.getElementById("wrong");
let under = null; // the requests that are under way

const stylesOf = () => JSON.parse(model.selectedOptions[0].dataset.styles);

function showStyles() {
  const styles = stylesOf();
  const was = to.value;
  to.replaceChildren(...styles.map((label) => make("option", { value: label }, label)),
    make("option", { value: "" }, styles.length === 2 ? "both ways" : "each style"));
  to.value = [...styles, ""].includes(was) && to.dataset.chosen ? was : styles[1]; // as the command takes it
}

// note says where a word comes from, or that one is deleted, and how sure the model was of it, or the guide of a restored one.
function note(w) {
  if (w.origin === "restored") return `restored: the guide is ${(w.guide ?? 0).toFixed(2)} sure`;
  return `${w.origin}, p ${(w.p ?? 0).toFixed(2)}`;
}

const mark = (word, how, title) => make("span", { class: how, title, tabindex: title ? "0" : undefined }, word);
const tags = { deleted: "del", inserted: "ins" };

// line shows an output, of the answer or of a candidate, and the words of the source that are deleted.
function line(a, source) {
  const e = make("p", { class: "output" });
  if (a.words) {
    let place = -1; // of the source: every word but an inserted one stands for the next of its words
    for (const w of a.words) {
      if (w.origin !== "inserted") place++;
      const word = w.origin === "deleted" ? source[place] : w.word;
      const tag = tags[w.origin];
      e.append(w.origin === "kept" ? mark(word) : mark(tag ? make(tag, {}, word) : word, w.origin, note(w)));
    }
  } else { // only what changed is known
    a.output.split(" ").forEach((w, i) => {
      e.append(a.changed?.[i] ? mark(w, "changed", "not the source's") : mark(w));
    });
  }
  return e;
}

function source(a) {
  const e = make("p", { class: "output" });
  const words = a.source.split(" ");
  const masks = a.masked.split(" ");
  words.forEach((w, i) => {
    const masked = masks.length === words.length && masks[i] !== w;
    const unknown = a.unknown && a.unknown.includes(w);
    e.append(make("span", {
      class: [masked ? "gap" : "", unknown ? "unknown" : ""].join(" ").trim() || undefined,
      title: [masked ? "masked" : "", unknown ? "unknown" : ""].filter(Boolean).join(", ") || undefined,
    }, w));
  });
  return e;
}

const short = (x) => x.toFixed(2).replace("-", "−");
const orDash = (x) => (x ? short(x) : "–"); // there is no guide, or no n-gram model

function others(a) {
  const body = make("tbody");
  a.candidates.forEach((c, k) => {
    const words = make("td", { class: "running" }, line(c, a.source.split(" ")));
    if (c.written) words.firstChild.prepend(make("b", { title: "what transfer writes" }, "★"));
    body.append(make("tr", {}, make("td", { class: "right" }, String(k + 1)), words,
      ...[short(c.total), short(c.log_q), orDash(c.guide), orDash(c.fluency), short(c.similarity)].map((v) => make("td", { class: "right" }, v))));
  });
  const heads = ["", "candidate", "total", "log q", "guide", "fluent", "similar"];
  return make("details", { open: "" }, make("summary", {}, `${a.candidates.length} candidate${a.candidates.length === 1 ? "" : "s"}, first the one written (★), then the best`),
    make("div", { class: "wide", role: "region", "aria-label": "Candidates", tabindex: "0" },
      make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((h) => make("th", { scope: "col", class: h && h !== "candidate" ? "right" : undefined }, h)))), body)));
}

function card(a) {
  const sure = a.guide ? `; the guide is ${a.guide.toFixed(2)} sure of it` : "";
  const e = make("section", { class: "answer card", "data-to": a.to },
    make("h2", {}, `To ${a.to}`, " ", make("small", {}, `from ${a.from}${sure}`)),
    make("p", { class: "spelt" }, make("b", {}, a.text)));
  if (a.warning) e.append(make("p", { class: "notice" }, a.warning));
  e.append(make("p", { class: "quiet" }, "Source, masked words dotted:"), source(a),
    make("p", { class: "quiet" }, "Output:"), line(a, a.source.split(" ")));
  if (a.candidates) e.append(others(a));
  if (a.fewer) e.append(make("p", { class: "quiet" }, a.fewer));
  return e;
}

async function rewrite() {
  if (under) under.abort();
  const mine = (under = new AbortController());
  wrong.hidden = true;
  const styles = to.value ? [to.value] : stylesOf();
  const text = document.getElementById("text").value;
  found.setAttribute("aria-busy", "true");
  const busy = make("p", { class: "quiet" }, "Rewriting …");
  found.replaceChildren(busy);
  try {
    for (const style of styles) {
      const a = await ask("api/transfer", { model: model.value, to: style, text }, mine.signal);
      busy.before(card(a));
    }
    document.getElementById("legend").hidden = false;
  } catch (e) {
    if (e.name === "AbortError") return;
    wrong.textContent = e.message;
    wrong.hidden = false;
  } finally {
    busy.remove();
    if (under === mine) {
      under = null;
      found.removeAttribute("aria-busy");
    }
  }
}

if (form) {
  showStyles();
  model.addEventListener("change", showStyles);
  to.addEventListener("change", () => { to.dataset.chosen = "yes"; });
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    rewrite();
  });
  document.getElementById("text").addEventListener("keydown", (e) => {
    if (e.key === "Enter" && !e.shiftKey) {
      e.preventDefault();
      form.requestSubmit(document.getElementById("go"));
    }
  });
}
