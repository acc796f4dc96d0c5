// Keeps slider, number and picture of a threshold together; what it comes to is asked of the server.
"use strict";

const moved = (slider) => {
  const range = slider.querySelector("input[type=range]");
  const value = Number(slider.querySelector("input[type=number]").value);
  const { low, high, start } = slider.dataset;
  const place = Math.min(Math.max((value - Number(low)) / (Number(high) - Number(low)), 0), 1);
  slider.classList.toggle("is-moved", value !== Number(start));
  for (const side of ["x1", "x2"]) slider.querySelector(".at")?.setAttribute(side, String(400 * place));
  for (const bar of slider.querySelectorAll(".bar")) {
    bar.classList.toggle("holds", (Number(bar.dataset.at) >= place) === (range.dataset.above === "yes"));
  }
};

const reset = (slider) => {
  for (const input of slider.querySelectorAll("input")) input.value = slider.dataset.start;
  moved(slider);
};

// Before the form is asked: it hears of every change after this.
document.addEventListener("input", (event) => {
  const slider = event.target.closest(".slider");
  if (!slider) return;
  const range = slider.querySelector("input[type=range]");
  const number = slider.querySelector("input[type=number]");
  if (event.target === range) {
    if (Number(range.value) < Number(range.dataset.least)) range.value = range.dataset.least;
    number.value = range.value;
  } else if (number.value !== "") range.value = number.value;
  moved(slider);
}, true);

document.addEventListener("click", (event) => {
  const form = document.getElementById("sliders");
  if (event.target.closest("[data-reset]")) reset(event.target.closest(".slider"));
  else if (event.target.closest("[data-reset-all]")) form.querySelectorAll(".slider").forEach(reset);
  else return;
  form.dispatchEvent(new Event("input", { bubbles: true }));
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = document.getElementById(button.dataset.copy);
  getSelection().selectAllChildren(text);
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = button.dataset.done;
  } catch {
    text.focus();
  }
});

// Of what it comes to, only the sum is read aloud.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "outcome") return;
  const said = event.detail.target.querySelector("[role=alert], .sum");
  document.getElementById("told").textContent = said ? said.textContent : "";
});

// Other runs or another contract are looked at with the thresholds as they stand now.
document.addEventListener("submit", (event) => {
  if (!event.target.matches(".chooser")) return;
  for (const hidden of event.target.querySelectorAll("input[type=hidden]")) hidden.remove();
  for (const slider of document.querySelectorAll("#sliders .is-moved")) {
    const field = slider.querySelector("input[type=number]");
    const copy = Object.assign(document.createElement("input"), { type: "hidden", name: field.name, value: field.value });
    event.target.append(copy);
  }
});
