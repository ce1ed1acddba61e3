"use strict";
// Folded tables can be sorted by a button in each head.
for (const table of document.querySelectorAll("details table")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const key = (row, column) => row.cells[column].textContent.replace(/^[^\p{L}\d.-]+|,/gu, "");
  const compare = (a, b) => parseFloat(a) - parseFloat(b) || a.localeCompare(b);
  for (const [column, head] of body.rows.length > 1 ? heads.entries() : []) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].sort((one, other) => {
        const [a, b] = [key(one, column), key(other, column)];
        return (a === "") - (b === "") || (up ? 1 : -1) * compare(a, b);
      });
      body.append(...rows);
    });
  }
}
// What is folded away belongs on paper too.
const folded = new Set();
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details:not([open])")) {
    folded.add(one);
    one.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
  folded.clear();
});
