// Tables: one at a time, rows that contain words, and sorting by the head of a column: first as is
// best for numbers, the largest first, then the other way round. Values that are missing come last.
const sheets = [...document.querySelectorAll(".sheet")];
const choose = document.getElementById("table");
const find = document.getElementById("find");

function show() {
  let shown = 0, all = 0;
  const wanted = find.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  for (const sheet of sheets) {
    sheet.hidden = sheet.id !== "tab-" + choose.value;
    if (sheet.hidden) continue;
    for (const body of sheet.querySelectorAll("tbody")) {
      const text = body.textContent.toLowerCase();
      body.hidden = !wanted.every((w) => text.includes(w));
      all++;
      if (!body.hidden) shown++;
    }
  }
  document.getElementById("shown").textContent = `${shown} of ${all} rows`;
}

function sort(table, column, down) {
  const bodies = [...table.tBodies];
  const key = (body) => {
    const cell = body.rows[0].cells[column];
    const text = cell.textContent.trim();
    return { n: cell.dataset.n === undefined ? null : Number(cell.dataset.n), text, none: text === "" || text === "–" };
  };
  const keyed = bodies.map((body, i) => ({ body, i, ...key(body) }));
  keyed.sort((a, b) => {
    if (a.none !== b.none) return a.none ? 1 : -1;
    const numbers = (a.n !== null) - (b.n !== null);
    if (numbers) return -numbers;
    const by = a.n !== null ? a.n - b.n : a.text.localeCompare(b.text, "en", { numeric: true });
    return (down ? -by : by) || a.i - b.i;
  });
  for (const k of keyed) table.append(k.body);
}

for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const numbers = [...table.tBodies].some((b) => b.rows[0].cells[column].dataset.n !== undefined);
      const was = head.getAttribute("aria-sort");
      const down = was ? was === "ascending" : numbers;
      for (const h of heads) h.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sort(table, column, down);
    });
  });
}

if (choose) {
  const known = [...choose.options].map((o) => o.value);
  const named = location.hash.slice(1);
  if (known.includes(named)) choose.value = named;
  choose.addEventListener("change", () => {
    history.replaceState(null, "", "#" + choose.value);
    show();
  });
  find.addEventListener("input", show);
  document.getElementById("choose").addEventListener("submit", (e) => e.preventDefault());
  show();
}
