// The keys of the answers.
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  const button = document.querySelector(`#question button[data-key="${CSS.escape(e.key)}"]`);
  if (button) button.click();
});
