(function () {
  var tip = document.getElementById("tip");
  function at(node, name) { return node && node.closest ? node.closest("[" + name + "]") : null; }
  function show(node, x, y) {
    tip.textContent = node.getAttribute("data-t");
    tip.hidden = false;
    var wide = document.documentElement.clientWidth;
    tip.style.left = Math.max(4, Math.min(x + 12, wide - tip.offsetWidth - 4)) + "px";
    tip.style.top = y + 16 + "px";
  }
  function light(name) {
    document.querySelectorAll("[data-k]").forEach(function (row) {
      row.classList.toggle("hi", name !== null && row.getAttribute("data-k") === name);
    });
  }
  document.addEventListener("pointermove", function (event) {
    var told = at(event.target, "data-t"), key = at(event.target, "data-k");
    if (told) { show(told, event.pageX, event.pageY); } else { tip.hidden = true; }
    light(key ? key.getAttribute("data-k") : null);
  });
  document.addEventListener("focusin", function (event) {
    var told = at(event.target, "data-t");
    if (!told) { tip.hidden = true; return; }
    var box = told.getBoundingClientRect();
    show(told, box.left + scrollX, box.bottom + scrollY - 12);
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") { tip.hidden = true; } });
})();
