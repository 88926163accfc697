// Plots: what a mark or a line is, said below the picture when one points at it or goes to it with
// the arrow keys; check boxes hide systems; curves are drawn anew while something trains.
import "./submit.js";
import { ask } from "./ask.js";

function live(svg) {
  const said = svg.parentElement.querySelector(".said");
  const marks = () => [...svg.querySelectorAll(".mark:not(.off)")];
  const say = (mark) => { said.textContent = mark.getAttribute("aria-label"); };
  svg.addEventListener("pointerover", (e) => {
    const mark = e.target.closest(".mark");
    if (mark) say(mark);
  });
  svg.addEventListener("focusin", (e) => say(e.target));
  svg.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (!step && e.key !== "Home" && e.key !== "End") return;
    const all = marks();
    const at = all.indexOf(document.activeElement);
    const next = e.key === "Home" ? 0 : e.key === "End" ? all.length - 1 : (at + step + all.length) % all.length;
    for (const m of all) m.setAttribute("tabindex", "-1");
    all[next].setAttribute("tabindex", "0");
    all[next].focus();
    e.preventDefault();
  });
}

function keys(plot) {
  for (const box of plot.querySelectorAll(".key input")) {
    box.addEventListener("change", () => {
      for (const mark of plot.querySelectorAll(".mark")) {
        if (mark.dataset.system === box.value) mark.classList.toggle("off", !box.checked);
      }
      const shown = [...plot.querySelectorAll(".mark:not(.off)")];
      if (shown.length && !shown.some((m) => m.getAttribute("tabindex") === "0")) shown[0].setAttribute("tabindex", "0");
    });
  }
}

const begin = (root) => {
  for (const svg of root.querySelectorAll(".picture svg")) live(svg);
  for (const plot of root.querySelectorAll(".plot")) keys(plot);
};
begin(document);

// refresh draws the panels anew where something runs and nobody is at one of them.
async function refresh(panels) {
  try {
    if (!document.hidden && !panels.contains(document.activeElement)) {
      const now = await ask("/api/status");
      if (now.running.some((r) => r.alive)) {
        const text = await (await fetch(location.href)).text();
        const next = new DOMParser().parseFromString(text, "text/html").querySelector("[data-refresh]");
        if (next && next.innerHTML !== panels.innerHTML) {
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
