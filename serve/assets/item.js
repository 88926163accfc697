// Rating by keys: 0, 1 and 2 rate the group that has the focus and go on to the next, a letter marks
// its rewrite best, Enter keeps the item.
const form = document.getElementById("item");
if (form) {
  const groups = [...form.querySelectorAll(".scale[role=radiogroup]")];
  const best = [...form.querySelectorAll("input[name=best]")];
  const chosen = (group) => group.querySelector("input:checked");
  const enter = (group) => (chosen(group) ?? group.querySelector("input")).focus();
  const open = () => groups.find((group) => !chosen(group));
  const check = () => best[0].setCustomValidity(
    best.some((b) => b.checked) ? "" : "Mark the best rewrite, or several if they are equally good.");
  form.addEventListener("change", check);
  check();
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (["0", "1", "2"].includes(e.key)) {
      const at = groups.indexOf(e.target.closest(".scale[role=radiogroup]") ?? open());
      if (at < 0) return;
      groups[at].querySelector(`input[value="${e.key}"]`).checked = true;
      if (at + 1 < groups.length) enter(groups[at + 1]);
      else best[0].focus();
    } else if (e.key === "Enter" && !e.target.closest("a, button, summary")) {
      e.preventDefault();
      form.requestSubmit();
    } else {
      const marked = best.find((b) => b.value.toLowerCase() === e.key.toLowerCase());
      if (!marked) return;
      marked.checked = !marked.checked;
      check();
    }
  });
  enter(open() ?? groups[0]);
}
