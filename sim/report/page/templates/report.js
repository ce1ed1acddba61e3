"use strict";
// Tables can be sorted by a button in each head; without scripts they are as the program set them.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  if (body.rows.length < 2) continue;
  const heads = Array.from(table.tHead.rows[0].cells);
  const sorted = (rows, column, sign) => rows.sort((one, other) => {
    const [a, b] = [one, other].map((row) => row.cells[column].dataset.sort);
    if (a === "" || b === "") return (a === "") - (b === "");
    const [x, y] = [Number(a), Number(b)];
    const both = !Number.isNaN(x) && !Number.isNaN(y);
    return sign * (both ? (x > y) - (x < y) : a.localeCompare(b, "en", { numeric: true }));
  });
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      body.append(...sorted(Array.from(body.rows), column, up ? 1 : -1));
    });
  });
}
// What is folded away belongs on paper too.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) {
    fold.open = true;
    fold.dataset.folded = "yes";
  }
});
addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-folded]")) {
    fold.open = false;
    delete fold.dataset.folded;
  }
});
