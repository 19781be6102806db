"use strict";
document.documentElement.classList.add("js");

addEventListener("DOMContentLoaded", () => {
  switchLanguages();
  const table = document.querySelector("main table");
  if (table) makeTable(table);
});

function switchLanguages() {
  const buttons = [...document.querySelectorAll("button[data-language]")];
  const speak = (language) => {
    document.documentElement.lang = language;
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.language === language));
    }
    document.title = document.querySelector("h1").innerText;
  };
  for (const button of buttons) {
    button.addEventListener("click", () => speak(button.dataset.language));
  }
  speak(document.documentElement.lang);
}

function makeTable(table) {
  const STEP = 100;
  const find = (selector) => document.querySelector(selector);
  const form = find("form.filters");
  const heads = [...table.tHead.rows[0].cells];
  const waiting = find("#waiting").textContent.trim().split(/(?<=<\/tbody>)\s+/);
  const first = [...table.tBodies];
  const rows = JSON.parse(find("#keys").textContent).map((keys, index) => ({
    ...keys,
    element: first[index],
    html: waiting[index - first.length],
  }));

  const holder = document.createElement("template");
  const elementOf = (row) => {
    if (!row.element) {
      holder.innerHTML = `<table>${row.html}</table>`;
      row.element = holder.content.querySelector("tbody");
    }
    return row.element;
  };

  let sorted = rows;
  let limit = STEP;
  let shown = [];
  const show = () => {
    const wanted = {};
    for (const box of form.querySelectorAll("input:checked")) {
      (wanted[box.name] ??= new Set()).add(box.value);
    }
    const groups = Object.entries(wanted);
    const words = form.elements.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = sorted.filter(
      (row) =>
        groups.every(([name, values]) => values.has(row.choices[name])) &&
        words.every((word) => row.search.includes(word)),
    );
    shown = fitting.slice(0, limit).map(elementOf);
    table.replaceChildren(table.tHead, ...shown);
    find(".fitting").textContent = String(fitting.length);
    find(".left-out").textContent = String(fitting.length - shown.length);
    find(".more").hidden = fitting.length === shown.length;
    find(".nothing").hidden = fitting.length > 0;
  };

  // A third click on a column brings back the first order; what has no value comes last.
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };
  const { compare } = new Intl.Collator("en", { numeric: true });
  const sort = (column) => {
    const direction = NEXT[heads[column].getAttribute("aria-sort")];
    for (const head of heads) head.setAttribute("aria-sort", "none");
    heads[column].setAttribute("aria-sort", direction);
    const sign = { ascending: 1, descending: -1 }[direction];
    sorted = [...rows];
    if (sign) {
      sorted.sort((one, other) => {
        const [a, b] = [one.sort[column], other.sort[column]];
        if (a === null || b === null) return (a === null) - (b === null);
        return sign * (typeof a === "number" ? a - b : compare(a, b));
      });
    }
    limit = STEP;
    show();
  };
  heads.forEach((head, column) =>
    head.querySelector("button").addEventListener("click", () => sort(column)),
  );

  const setOpen = (row, open) => {
    row.classList.toggle("open", open);
    row.querySelector(".toggle").setAttribute("aria-expanded", String(open));
  };
  table.addEventListener("click", (event) => {
    const line = event.target.closest("tbody > tr:first-child");
    if (!line || getSelection().toString()) return;
    setOpen(line.parentElement, !line.parentElement.classList.contains("open"));
  });
  find(".open-all").addEventListener("click", () => shown.forEach((row) => setOpen(row, true)));
  find(".close-all").addEventListener("click", () => shown.forEach((row) => setOpen(row, false)));
  find(".show-more").addEventListener("click", () => {
    limit += STEP;
    show();
  });
  form.addEventListener("input", () => {
    limit = STEP;
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  show(); // a browser may keep what was ticked before a reload
}
