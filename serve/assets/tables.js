// Tables: one at a time, rows that contain words, and sorting by the head of a column: first as is
// best for numbers, the largest first, then the other way round. Values that are missing come last.
const sheets = [...document.querySelectorAll(".sheet")];
const choose = document.getElementById("table");
const find = document.getElementById("find");

function show() {
  let shown = 0, all = 0;
  const wanted = find.value.trim().toLowerCase().replaceAll("−", "-").split(/\s+/).filter(Boolean);
  for (const sheet of sheets) {
    sheet.hidden = sheet.id !== "tab-" + choose.value;
    if (sheet.hidden) continue;
    for (const body of sheet.querySelectorAll("tbody")) {
      const text = body.textContent.toLowerCase().replaceAll("−", "-"); // which people type
      body.hidden = !wanted.every((w) => text.includes(w));
      all++;
      if (!body.hidden) shown++;
    }
    blank(sheet.querySelector("table"));
  }
  document.getElementById("shown").textContent = `${shown} of ${all} row${all === 1 ? "" : "s"}`;
}

// blank leaves labels empty that repeat those above, where rows stand in the table's own order. A
// label that is higher than its row hangs over those that share it, where they have room for it.
function blank(table) {
  const heads = [...table.tHead.rows[0].cells];
  const sorted = heads.some((h) => h.hasAttribute("aria-sort"));
  const rows = [...table.tBodies].filter((b) => !b.hidden).flatMap((b) => [...b.rows]);
  for (const cell of table.querySelectorAll(".again, .more, .hangs")) cell.classList.remove("again", "more", "hangs");
  const runs = [];
  const same = rows.map((_, i) => i > 0);
  heads.forEach((head, j) => {
    if (sorted || head.dataset.merge === undefined) return;
    let run;
    rows.forEach((row, i) => {
      const cell = row.cells[j];
      same[i] &&= cell.textContent === rows[i - 1].cells[j].textContent;
      if (!same[i]) runs.push(run = { cell, rows: [] });
      else {
        cell.classList.add("again");
        rows[i - 1].cells[j].classList.add("more");
      }
      run.rows.push(row);
    });
  });
  const height = (e) => e.getBoundingClientRect().height;
  const room = ({ cell, rows: [, ...rest] }) =>
    rest.length && rest.reduce((sum, row) => sum + height(row), height(rest.at(-1))) >= height(cell);
  for (const run of runs.filter(room)) run.cell.classList.add("hangs");
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
  blank(table);
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
  addEventListener("resize", show); // labels have more lines where it is narrow
  document.getElementById("choose").addEventListener("submit", (e) => e.preventDefault());
  show();
}
