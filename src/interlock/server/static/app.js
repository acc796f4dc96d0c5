// Small manners of the page; everything works without them but streams and folded details.
"use strict";

// A choice of language or colours is sent at once.
document.documentElement.classList.add("has-script");
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-sends]")) return;
  const { form } = event.target;
  const { back } = form.elements;
  if (back?.value === location.pathname) back.value += location.search;
  form.requestSubmit();
});

// Folded details are fetched when they are opened for the first time.
document.addEventListener("toggle", (event) => {
  const details = event.target;
  if (!details.open || !details.dataset.src) return;
  const place = details.querySelector(".detail");
  htmx.ajax("GET", details.dataset.src, place);
  delete details.dataset.src;
}, true);

// Items that a new connection tells again are not shown again, and whoever reads the end stays at the end.
document.addEventListener("htmx:sseBeforeMessage", (event) => {
  const trace = document.getElementById("trace");
  if (event.detail.type !== "items" || !trace) return;
  const number = Number(event.detail.lastEventId);
  if (number <= Number(trace.dataset.last)) {
    event.preventDefault();
    return;
  }
  trace.dataset.last = String(number);
  const root = document.documentElement;
  trace.dataset.follow = root.scrollHeight - root.scrollTop - root.clientHeight < 80 ? "yes" : "";
});
document.addEventListener("htmx:sseMessage", (event) => {
  const trace = document.getElementById("trace");
  if (event.detail.type === "items" && trace && trace.dataset.follow) trace.lastElementChild.scrollIntoView({ block: "end" });
});

// `j` and `k` go through what a page lists.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  if (event.key !== "j" && event.key !== "k") return;
  const stops = [...document.querySelectorAll("#trace summary, table.list tbody a")];
  const at = stops.indexOf(document.activeElement);
  const next = stops[event.key === "j" ? at + 1 : Math.max(at - 1, 0)];
  if (next) next.focus();
});
