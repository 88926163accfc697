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
    throw new Error("The server does not answer: start `smlm-exp serve` again.");
  }
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error || `The server answers ${answer.status}.`);
  return found;
}

// make makes an element: make("p", {class: "quiet"}, "text", child).
export function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) e.setAttribute(name, value);
  e.append(...children.filter((c) => c !== undefined && c !== null));
  return e;
}
