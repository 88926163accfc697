// Figures: what a mark or a line is, said below the picture when one points at it or goes to it with
// the arrow keys; curves are drawn anew while something trains.
import "./submit.js";
import { ask } from "./ask.js";

function live(svg) {
  const said = svg.parentElement.querySelector(".said");
  const marks = [...svg.querySelectorAll(".mark")];
  const say = (mark) => { said.textContent = mark.querySelector("title").textContent; };
  marks.forEach((mark, i) => {
    mark.setAttribute("role", "img");
    mark.setAttribute("tabindex", i ? "-1" : "0");
    for (const line of mark.querySelectorAll('path[fill="none"]')) { // a thin line is hard to point at
      const wide = line.cloneNode();
      wide.classList.add("wide-line");
      mark.append(wide);
    }
  });
  svg.addEventListener("pointerover", (e) => {
    const mark = e.target.closest(".mark");
    if (mark) say(mark);
  });
  svg.addEventListener("focusin", (e) => say(e.target));
  svg.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (!step && e.key !== "Home" && e.key !== "End") return;
    const last = marks.length - 1;
    const at = marks.indexOf(document.activeElement);
    const next = e.key === "Home" ? 0 : e.key === "End" ? last : (at + step + marks.length) % marks.length;
    marks.forEach((mark, i) => mark.setAttribute("tabindex", i === next ? "0" : "-1"));
    marks[next].focus();
    e.preventDefault();
  });
}

const begin = (root) => { root.querySelectorAll(".picture svg").forEach(live); };
begin(document);

// refresh draws the panels anew where something runs and nobody is at one of them.
let shown = "";
async function refresh(panels) {
  try {
    if (!document.hidden && !panels.contains(document.activeElement)) {
      const now = await ask("api/status");
      if (now.running.some((r) => r.alive)) {
        const text = await (await fetch(location.href)).text();
        const next = new DOMParser().parseFromString(text, "text/html").querySelector("[data-refresh]");
        if (next && next.innerHTML !== shown) {
          shown = next.innerHTML;
          panels.replaceChildren(...next.childNodes);
          begin(panels);
        }
      }
    }
  } catch { /* the page of runs says so */ }
  setTimeout(refresh, 5000, panels);
}
const panels = document.querySelector("[data-refresh]");
if (panels) setTimeout(refresh, 5000, panels);
