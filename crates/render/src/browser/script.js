(function () {
  var tip = document.getElementById("tip");
  function at(node, name) { return node && node.closest ? node.closest("[" + name + "]") : null; }
  function show(node, x, y) {
    var told = node.getAttribute("data-t");
    // A change is read aloud.
    if (tip.textContent !== told) { tip.textContent = told; }
    var wide = document.documentElement.clientWidth;
    tip.style.left = Math.max(4, Math.min(x + 12, wide - tip.offsetWidth - 4)) + "px";
    tip.style.top = y + 16 + "px";
  }
  function hide() {
    tip.textContent = "";
    tip.style.left = tip.style.top = "0";
  }
  function light(name) {
    document.querySelectorAll("[data-k]").forEach(function (row) {
      row.classList.toggle("hi", name !== null && row.getAttribute("data-k") === name);
    });
  }
  document.addEventListener("pointermove", function (event) {
    var told = at(event.target, "data-t"), key = at(event.target, "data-k");
    if (told) { show(told, event.pageX, event.pageY); } else { hide(); }
    light(key ? key.getAttribute("data-k") : null);
  });
  document.addEventListener("focusin", function (event) {
    var told = at(event.target, "data-t");
    if (!told) { hide(); return; }
    var box = told.getBoundingClientRect();
    show(told, box.left + scrollX, box.bottom + scrollY - 12);
  });
  document.querySelectorAll("table.list").forEach(function (table) {
    var body = table.tBodies[0], rows = Array.from(body.rows), heads = Array.from(table.tHead.rows[0].cells);
    var bar = document.createElement("p"), told = document.createElement("span"), chosen = [];
    function text(row, at) { return row.cells[at].textContent; }
    function choose() {
      var left = rows.filter(function (row) {
        row.hidden = chosen.some(function (of, at) { return of && of.value && of.value !== "=" + text(row, at); });
        return !row.hidden;
      });
      told.textContent = left.length + " of " + rows.length;
    }
    function sort(head, at) {
      var turn = head.getAttribute("aria-sort") === "ascending" ? -1 : 1, is = !head.classList.contains("l");
      rows.sort(function (a, b) {
        if (!is) { return turn * text(a, at).localeCompare(text(b, at)); }
        var one = a.cells[at].dataset.s, other = b.cells[at].dataset.s;
        return !one || !other ? !one - !other : turn * (one - other);
      });
      body.append.apply(body, rows);
      heads.forEach(function (each) { each.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending");
    }
    heads.forEach(function (head, at) {
      var button = document.createElement("button"), of, label;
      button.textContent = head.textContent;
      if (head.hasAttribute("data-f")) {
        of = chosen[at] = document.createElement("select");
        of.add(new Option("any", ""));
        Array.from(new Set(rows.map(function (row) { return text(row, at); }))).sort().forEach(function (name) {
          of.add(new Option(name, "=" + name));
        });
        of.addEventListener("change", choose);
        label = document.createElement("label");
        label.append(head.textContent + " ", of);
        bar.append(label);
      }
      head.replaceChildren(button);
      button.addEventListener("click", function () { sort(head, at); });
    });
    bar.className = "pick";
    bar.append(told);
    table.parentNode.before(bar);
    choose();
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") { hide(); } });
})();
