// The editor of contracts: line numbers, findings at their lines, and fixes that are applied in place.
"use strict";

(() => {
  const text = document.getElementById("text");
  const found = document.getElementById("findings");
  const unchecked = document.getElementById("unchecked");
  const gutter = document.querySelector(".gutter");
  const lens = document.querySelector(".lens");

  // Columns of findings count characters; a text area counts UTF-16 units.
  const units = (line, column) => [...line].slice(0, column - 1).join("").length;
  const startOf = (lines, number) => lines.slice(0, number - 1).reduce((sum, line) => sum + line.length + 1, 0);
  const part = (tag, content, kind) => {
    const made = document.createElement(tag);
    made.textContent = content;
    if (kind) made.className = kind;
    return made;
  };

  function findings() {
    const at = new Map();
    for (const item of found.querySelectorAll("li[data-line]")) {
      const line = Number(item.dataset.line);
      if (!at.has(line)) at.set(line, []);
      at.get(line).push(item);
    }
    return at;
  }

  function draw() {
    const lines = text.value.split("\n");
    const at = findings();
    gutter.replaceChildren(...lines.flatMap((_, index) => {
      const kind = (at.get(index + 1) || []).map((item) => item.dataset.severity)[0];
      return [kind ? part("b", String(index + 1), kind) : String(index + 1), "\n"];
    }));
    lens.replaceChildren(...lines.flatMap((line, index) => over(line, at.get(index + 1) || [])));
    scroll();
  }

  // What lies over one line: its text, unseen, the first finding underlined, and what it says behind the line.
  function over(line, items) {
    const first = items.find((item) => item.dataset.severity !== "info");
    if (!first) return ["\n"];
    const kind = first.dataset.severity;
    const from = units(line, Number(first.dataset.column));
    const to = Math.max(units(line, Number(first.dataset.end)), from);
    const says = part("i", first.dataset.says, kind);
    return [line.slice(0, from), part("u", line.slice(from, to), kind), line.slice(to), says, "\n"];
  }

  function scroll() {
    gutter.scrollTop = lens.scrollTop = text.scrollTop;
    lens.scrollLeft = text.scrollLeft;
  }

  function select(data) {
    const lines = text.value.split("\n");
    const line = lines[data.line - 1] || "";
    const start = startOf(lines, Number(data.line));
    return [start + units(line, Number(data.column)), start + units(line, Number(data.end))];
  }

  // Many changes at once are drawn once, with the next picture.
  let waits = false;
  text.addEventListener("input", () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      draw();
    });
  });
  text.addEventListener("scroll", scroll);
  found.addEventListener("click", (event) => {
    const fix = event.target.closest("[data-fix]");
    const goes = event.target.closest("[data-goes]");
    if (!fix && !goes) return;
    event.preventDefault();
    const data = fix ? fix.dataset : goes.closest("li").dataset;
    const [from, to] = select(data);
    text.focus();
    if (fix) {
      text.setRangeText(data.text, from, to, "end");
      text.dispatchEvent(new Event("input", { bubbles: true }));
    } else {
      text.setSelectionRange(from, to);
      text.scrollTop = Math.max(0, (Number(data.line) - 6) * 20);
    }
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target !== found) return;
    unchecked.hidden = true;
    draw();
    text.setAttribute("aria-invalid", String(Boolean(found.querySelector("li.error"))));
  });
  for (const failed of ["htmx:responseError", "htmx:sendError"]) {
    document.addEventListener(failed, () => { unchecked.hidden = false; });
  }
  draw();
})();
