// The controls of a function's form: chips fill their field, Tab takes over a default, a form is sent once.
"use strict";

function showPressed(field) {
  document.querySelectorAll(`.chip[data-fills="${CSS.escape(field.id)}"]`).forEach((chip) => {
    chip.setAttribute("aria-pressed", String(field.value !== "" && chip.dataset.value === field.value));
  });
}

document.addEventListener("click", (event) => {
  const chip = event.target.closest(".chip");
  if (!chip) return;
  const field = document.getElementById(chip.dataset.fills);
  field.value = field.value === chip.dataset.value ? "" : chip.dataset.value;
  showPressed(field);
});

document.addEventListener("input", (event) => showPressed(event.target));

document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key !== "Tab" || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
  if (field.dataset.default === undefined || field.value !== "") return;
  event.preventDefault();
  field.value = field.dataset.default;
  showPressed(field);
});

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".fields")) return;
  event.target.querySelectorAll("button[type=submit]").forEach((button) => { button.disabled = true; });
});

window.addEventListener("pageshow", () => {
  document.querySelectorAll(".fields button[type=submit]").forEach((button) => { button.disabled = false; });
});
