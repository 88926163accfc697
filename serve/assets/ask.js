// ask sends an object to an address of this server and returns the object that it answers; an error
// has the server's sentence.
export async function ask(path, body, signal) {
  const options = body === undefined
    ? { signal }
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Error("The server does not answer. Start `smlm-exp serve` again.");
  }
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error || `The server answers with the status ${answer.status}.`);
  return found;
}

// mostLines is how many sentences are taken at a time: each waits for the models.
const mostLines = 100;

// linesOf are the sentences of a text field, one in each line.
export function linesOf(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  if (lines.length > mostLines) throw new Error(`There are ${lines.length} lines. Give at most ${mostLines} at a time.`);
  return lines.length ? lines : [text]; // of an empty text the server says what is wrong
}

// sentenceOf is an error as a sentence: it says which line it means where there are several.
export function sentenceOf(error, line, lines) {
  const text = error.message[0].toUpperCase() + error.message.slice(1) + (/[.?!]$/.test(error.message) ? "" : ".");
  return lines > 1 ? `Line ${line}: ${text}` : text;
}

// make makes an element: make("p", {class: "quiet"}, "text", child).
export function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) e.setAttribute(name, value);
  e.append(...children.filter((c) => c !== undefined && c !== null));
  return e;
}
