// Forms that only choose what is shown are sent at once when a select or a check box changes.
for (const form of document.querySelectorAll("form[data-submits]")) {
  form.addEventListener("change", (e) => {
    if (e.target.matches("select, input[type=checkbox]")) form.requestSubmit();
  });
}
