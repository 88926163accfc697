// Transfer: sentences, one in each line, in one of the styles or in each, with candidates.
import { ask, linesOf, make, sentenceOf } from "./ask.js";

const form = document.getElementById("ask");
const model = document.getElementById("model");
const from = document.getElementById("from");
const to = document.getElementById("to");
const found = document.getElementById("found");
const wrong = document.getElementById("wrong");
let under = null; // the requests that are under way

const none = "none"; // the source has none of the styles, as the command says it, unless a style is called so
const stylesOf = () => JSON.parse(model.selectedOptions[0].dataset.styles);

function showStyles() {
  const styles = stylesOf();
  const option = (value, text) => make("option", { value }, text);
  const two = styles.length === 2;
  const source = from.value;
  from.replaceChildren(option("", two ? "the other style" : "the style that the model predicts"),
    ...(two ? [] : styles.map((label) => option(label, label))),
    ...(styles.includes(none) ? [] : [option(none, "none of them")]));
  from.value = [...from.options].some((o) => o.value === source) ? source : "";
  const was = to.value;
  to.replaceChildren(...styles.map((label) => option(label, label)), option("", two ? "both styles" : "every style"));
  to.value = [...styles, ""].includes(was) && to.dataset.chosen ? was : styles[1]; // as the command takes it
}

// note says where a word comes from, or that one is deleted, and how sure the model was of it, or the guide of a restored one.
function note(w) {
  if (w.negated) return "a phrase is negated here";
  if (w.origin === "restored") return `restored; the guide's probability of the style is ${(w.guide ?? 0).toFixed(2)}`;
  return `${w.origin}, p = ${(w.p ?? 0).toFixed(2)}`;
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
      e.append(a.changed?.[i] ? mark(w, "changed", "not in the source") : mark(w));
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

function others(a, number, of) {
  const body = make("tbody");
  a.candidates.forEach((c, k) => {
    const words = make("td", { class: "running" }, line(c, a.source.split(" ")));
    if (c.written) words.firstChild.prepend(make("b", { title: "the output" }, "★"));
    body.append(make("tr", {}, make("td", { class: "right" }, String(k + 1)), words,
      ...[short(c.total), short(c.log_q), orDash(c.guide), orDash(c.fluency), short(c.similarity)].map((v) => make("td", { class: "right" }, v))));
  });
  const heads = ["No.", "candidate", "total", "log q", "guide", "fluency", "similarity"];
  return make("details", { open: of === 1 ? "" : undefined },
    make("summary", {}, `${a.candidates.length} candidate${a.candidates.length === 1 ? "" : "s"}: the output (★), then the others by their total`),
    make("div", { class: "wide", role: "region", "aria-label": `Candidates for sentence ${number} in the style ${a.to}`, tabindex: "0" },
      make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((h) => make("th", { scope: "col", class: h !== "candidate" ? "right" : undefined }, h)))), body)));
}

function card(a, number, of, unstyled) {
  const sure = a.guide ? `; the guide's probability of ${a.to}: ${a.guide.toFixed(2)}` : "";
  const e = make("section", { class: "answer card", "data-to": a.to, "aria-label": `Sentence ${number} in the style ${a.to}` },
    make("h3", {}, a.to, " ", make("small", {}, `from ${unstyled ? "none of the styles" : a.from}${sure}`)),
    make("p", { class: "spelt" }, make("b", {}, a.text)));
  if (a.warning) e.append(make("p", { class: "notice" }, a.warning));
  e.append(make("p", { class: "quiet" }, "Source. Masked words have a dotted line."), source(a),
    make("p", { class: "quiet" }, "Output"), line(a, a.source.split(" ")));
  if (a.candidates) e.append(others(a, number, of));
  if (a.fewer) e.append(make("p", { class: "quiet" }, a.fewer));
  return e;
}

async function rewrite() {
  if (under) under.abort();
  const mine = (under = new AbortController());
  wrong.hidden = true;
  const source = from.value;
  const unstyled = source === none && !stylesOf().includes(none);
  const styles = to.value ? [to.value] : stylesOf().filter((label) => label !== source);
  found.setAttribute("aria-busy", "true");
  const busy = make("p", { class: "quiet" }, "Rewriting …");
  found.replaceChildren(busy);
  let lines = [], number = 0;
  try {
    lines = linesOf(document.getElementById("text").value);
    for (const text of lines) {
      number++;
      const both = make("div", { class: "both" });
      for (const style of styles) {
        const a = await ask("api/transfer", { model: model.value, from: source, to: style, text }, mine.signal);
        if (!both.isConnected) {
          busy.before(make("section", { class: "line", "aria-label": `Sentence ${number}` },
            make("h2", {}, lines.length > 1 ? `${number}. ${text}` : text), both));
        }
        both.append(card(a, number, lines.length, unstyled));
      }
    }
    document.getElementById("legend").hidden = false;
  } catch (e) {
    if (e.name === "AbortError") return;
    wrong.textContent = sentenceOf(e, number, lines.length);
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
