"use strict";
// Without this script the report reads the same: it only sorts tables and shows tips at once.
(function () {
  const value = (cell) => {
    const given = cell.getAttribute("data-sort");
    const text = given === null ? cell.textContent.trim() : given;
    const number = Number(text.replace(/[,≥ ]/g, ""));
    return text !== "" && !Number.isNaN(number) ? number : text;
  };
  const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const sort = () => {
        const up = heading.getAttribute("aria-sort") !== "ascending";
        headings.forEach((h) => h.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", up ? "ascending" : "descending");
        const body = table.tBodies[0];
        const rows = [...body.rows];
        // A row with a joined cell has no value of its own in some columns: it goes last.
        const whole = rows.filter((r) => r.cells.length === headings.length);
        const rest = rows.filter((r) => r.cells.length !== headings.length);
        whole.sort((a, b) => order(value(a.cells[column]), value(b.cells[column])) * (up ? 1 : -1));
        body.append(...whole, ...rest);
      };
      heading.tabIndex = 0;
      heading.addEventListener("click", sort);
      heading.addEventListener("keydown", (e) => {
        if (e.key === "Enter" || e.key === " ") { e.preventDefault(); sort(); }
      });
    });
  }
  const tip = document.getElementById("tip");
  document.addEventListener("pointermove", (e) => {
    const mark = e.target instanceof Element ? e.target.closest("svg .mark, svg .band, svg .bar, svg .bin, svg .cpuchart rect, svg .call") : null;
    const title = mark && mark.querySelector("title");
    tip.hidden = !title;
    if (!title) return;
    tip.textContent = title.textContent;
    tip.style.left = Math.max(4, Math.min(e.pageX + 12, document.documentElement.clientWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = e.pageY + 16 + "px";
  });
})();
