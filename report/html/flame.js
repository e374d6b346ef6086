// A click on a box of a flame graph makes it as wide as the page, with all above and below it.
(function () {
  for (const figure of document.querySelectorAll("figure.flame")) {
    const boxes = [...figure.querySelectorAll("svg.call")].map((box) => ({
      box, x: parseFloat(box.getAttribute("x")), width: parseFloat(box.getAttribute("width")),
    }));
    const widen = (x, width) => {
      for (const b of boxes) {
        const left = Math.max(0, ((b.x - x) / width) * 100);
        const right = Math.min(100, ((b.x + b.width - x) / width) * 100);
        b.box.style.display = right - left < 0.1 ? "none" : "";
        b.box.setAttribute("x", left + "%");
        b.box.setAttribute("width", Math.max(0, right - left) + "%");
        b.box.classList.toggle("narrow", right - left < 2.5);
      }
    };
    for (const b of boxes) b.box.addEventListener("click", () => widen(b.x, b.width));
    document.addEventListener("keydown", (e) => { if (e.key === "Escape") widen(0, 100); });
  }
})();
