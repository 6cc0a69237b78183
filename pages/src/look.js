// What can be seen of a page, and what is wrong with it. An expression: its value has a function for each question.
(() => {
  const MIN_TEXT = 4.5, MIN_MARK = 3; // WCAG 2.2, 1.4.3 and 1.4.11
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();

  // Red, green, blue and opacity of a colour, however it is written.
  function colour(text) {
    if (!known.has(text)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = text;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      known.set(text, [r, g, b, a / 255]);
    }
    return known.get(text);
  }
  function over([r, g, b, a], below) {
    return [r, g, b].map((part, i) => a * part + (1 - a) * below[i]);
  }
  function luminance(rgb) {
    const [r, g, b] = rgb.map(part => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function ratio(a, b) {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  }
  function ancestors(element) {
    const all = [];
    for (let at = element; at; at = at.parentElement) all.push(at);
    return all;
  }
  // What lies behind an element. Printers leave backgrounds out.
  function ground(element, isPrinted, grounds) {
    if (isPrinted || !element) return [255, 255, 255];
    if (!grounds.has(element)) {
      const below = ground(element.parentElement, isPrinted, grounds);
      grounds.set(element, over(colour(getComputedStyle(element).backgroundColor), below));
    }
    return grounds.get(element);
  }
  function opacity(element) {
    return ancestors(element).reduce((all, at) => all * Number(getComputedStyle(at).opacity), 1);
  }
  function isVisible(element) {
    return element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  }
  function called(element) {
    const classes = (element.getAttribute("class") || "").trim();
    return element.localName + (classes && "." + classes.replace(/\s+/g, "."));
  }
  function shortened(text) {
    const line = text.trim().replace(/\s+/g, " ");
    return JSON.stringify(line.length > 40 ? line.slice(0, 40) + "…" : line);
  }

  // Visible pieces of text, with the boxes of their lines; what an ancestor hides is taken off.
  function texts(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), all = [];
    while (walker.nextNode()) {
      const node = walker.currentNode, element = node.parentElement;
      if (!node.data.trim() || !isVisible(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()].filter(box => box.width > 0 && box.height > 0);
      if (boxes.length) all.push({ node, element, boxes });
    }
    return all;
  }
  function clips(element) {
    return ancestors(element).find(at => at !== document.body && at !== document.documentElement &&
      !(at instanceof SVGElement) && getComputedStyle(at).overflowX !== "visible");
  }

  function contrast(isPrinted) {
    const faults = new Map(), grounds = new Map();
    // One of a kind is enough.
    function judge(element, front, least, what) {
      const behind = ground(element, isPrinted, grounds), [r, g, b, a] = colour(front);
      const found = ratio(over([r, g, b, a * opacity(element)], behind), behind);
      const fault = `contrast ${found.toFixed(2)} of ${called(element)}`;
      if (found < least && !faults.has(fault)) faults.set(fault, what);
    }
    for (const { node, element } of texts(document.body)) {
      const style = getComputedStyle(element);
      judge(element, element instanceof SVGElement ? style.fill : style.color, MIN_TEXT, shortened(node.data));
    }
    for (const mark of document.querySelectorAll(".m,.w,.w1,.ref,.st path:not(.area):not(.hist)")) {
      if (!isVisible(mark)) continue;
      const style = getComputedStyle(mark), isLine = style.stroke !== "none" && parseFloat(style.strokeWidth) > 0;
      judge(mark, isLine ? style.stroke : style.fill, MIN_MARK, "(a mark)");
    }
    return [...faults].map(([fault, what]) => `${fault} ${what}`);
  }

  function overflow(isPrinted) {
    const faults = [], wide = document.documentElement.scrollWidth;
    if (wide > innerWidth) {
      const widest = [...document.body.querySelectorAll("*")].filter(isVisible)
        .reduce((a, b) => (b.getBoundingClientRect().right > a.getBoundingClientRect().right ? b : a));
      faults.push(`the page is ${wide} px wide, by ${called(widest)} ${shortened(widest.textContent)}`);
    }
    for (const { node, element, boxes } of texts(document.body)) {
      if (clips(element)) continue;
      for (const box of boxes) {
        if (box.left < -0.5 || box.right > innerWidth + 0.5) {
          faults.push(`cut: ${called(element)} ${shortened(node.data)} from ${box.left.toFixed()} to ${box.right.toFixed()}`);
        }
      }
    }
    // What scrolls on a screen is lost on paper.
    for (const element of isPrinted ? document.body.querySelectorAll("*") : []) {
      if (isVisible(element) && ["auto", "scroll"].includes(getComputedStyle(element).overflowX) &&
        element.scrollWidth > element.clientWidth + 1) {
        faults.push(`cut on paper: ${called(element)} ${shortened(element.textContent)} of ${element.scrollWidth} px in ${element.clientWidth}`);
      }
    }
    return faults;
  }

  // Texts that lie on each other.
  function overlaps() {
    const faults = new Set();
    const all = texts(document.querySelector("main") || document.body).flatMap(({ node, element, boxes }) => {
      const clip = clips(element), frame = clip && clip.getBoundingClientRect();
      return boxes.map(({ left, right, top, bottom }) => frame
        ? { node, element, left: Math.max(left, frame.left), right: Math.min(right, frame.right), top, bottom }
        : { node, element, left, right, top, bottom });
    }).sort((a, b) => a.top - b.top);
    all.forEach((a, place) => {
      for (let next = place + 1; next < all.length && all[next].top < a.bottom; next++) {
        const b = all[next], x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - b.top;
        if (a.node !== b.node && x > 1 && y > 3) {
          const section = a.element.closest("section");
          faults.add(`${shortened(a.node.data)} and ${shortened(b.node.data)} overlap in ${section ? section.id : "the head"}`);
        }
      }
    });
    return [...faults];
  }

  // Names that lead nowhere, drawings that say nothing to who cannot see them, markup that came from a text.
  function structure() {
    const faults = [], ids = new Set();
    for (const { id } of document.querySelectorAll("[id]")) {
      if (ids.has(id)) faults.push(`two elements have the id ${id}`);
      ids.add(id);
    }
    for (const link of document.querySelectorAll("a,use")) {
      const target = link.getAttribute("href");
      if (!target.startsWith("#") || !ids.has(target.slice(1))) faults.push(`${called(link)} leads to ${shortened(target)}`);
      if (link.localName === "a" && !link.textContent.trim()) faults.push(`the link to ${target} has no text`);
    }
    for (const section of document.querySelectorAll("section")) {
      if (!section.querySelector("h2,h3")) faults.push(`section ${section.id} has no heading`);
    }
    for (const drawing of document.querySelectorAll("svg:not(svg svg):not(.defs)")) {
      const label = drawing.getAttribute("role") === "img" && (drawing.getAttribute("aria-label") || "").trim();
      const isBeside = drawing.getAttribute("aria-hidden") === "true" && drawing.parentElement.innerText.trim();
      const isAxis = drawing.parentElement.classList.contains("ax");
      if (isVisible(drawing) && !label && !isBeside && !isAxis) faults.push(`${called(drawing)} says nothing`);
    }
    const allowed = new Set(("html head meta title style body main h1 h2 h3 h4 p span div ul li b i code pre nav a section figure details " +
      "summary table caption thead tbody tr th td dl dt dd figcaption footer script svg g defs use line rect circle path polyline polygon text label select option button").split(" "));
    for (const element of document.querySelectorAll("*")) {
      if (!allowed.has(element.localName)) faults.push(`there is a ${called(element)}`);
      for (const { name, value } of element.attributes) {
        if (/^on|^src$|^srcset$/.test(name) || (name === "style" && !/^max-width:\d+px$/.test(value))) faults.push(`${called(element)} has ${name}`);
      }
    }
    if (document.scripts.length !== 1) faults.push(`${document.scripts.length} scripts`);
    // They turn the order of what follows, or hide it.
    const controls = document.documentElement.textContent.match(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    if (controls) faults.push(`the text has U+${controls[0].codePointAt(0).toString(16)}`);
    return faults;
  }

  function open(isOpen) {
    document.querySelectorAll("details").forEach(folded => { folded.open = isOpen; });
  }
  function light(isLit) {
    document.querySelectorAll("[data-k]").forEach(row => row.classList.toggle("hi", isLit));
  }
  // Everything that can be read. What chooses rows comes with the script, and is of no use without it.
  function read() {
    open(true);
    document.querySelectorAll(".pick").forEach(bar => bar.remove());
    return document.body.innerText;
  }

  // Where a mark lies: per cent of the width, pixels from the top.
  function places(drawing) {
    return [...drawing.querySelectorAll("circle.m,path.m")].map(mark => {
      const at = mark.localName === "circle" ? mark : mark.parentElement;
      const [x, y] = at === mark ? ["cx", "cy"] : ["x", "y"];
      return { x: parseFloat(at.getAttribute(x)), y: parseFloat(at.getAttribute(y)), is_hollow: mark.classList.contains("o") };
    });
  }
  function rows(section) {
    return [...document.querySelectorAll(`#${section} .row[data-k]`)].map(row => ({
      name: row.dataset.k,
      shown: row.querySelector(".nm").textContent,
      value: row.querySelector(".vl").textContent,
      marks: places(row.querySelector("svg")),
    }));
  }
  // Labels of the axes; not those of points, nor of limits.
  function ticks(selector) {
    return [...document.querySelectorAll(`${selector} text:not(.v):not(.lb)`)].map(label => ({
      x: parseFloat(label.getAttribute("x")), y: parseFloat(label.getAttribute("y")), text: label.textContent,
      is_of_y: label.getAttribute("text-anchor") === "end" && label.getAttribute("x").startsWith("-"),
    }));
  }
  function plots(section) {
    return [...document.querySelectorAll(`#${section} .plot`)].map((plot, place) => {
      plot.id = `${section}-plot-${place}`;
      return { title: plot.querySelector(".pt").textContent, points: places(plot.querySelector("svg.pl")), ticks: ticks(`#${plot.id} svg.pl`) };
    });
  }
  function tip() {
    const box = document.getElementById("tip"), at = box.getBoundingClientRect();
    return { is_hidden: at.width * at.height === 0, text: box.textContent, is_inside: at.left >= 0 && at.right <= innerWidth };
  }
  // The middle of the first thing that has more to say.
  function telling() {
    const row = document.querySelector("[data-t]");
    if (!row) return null;
    row.scrollIntoView({ block: "center" });
    const box = row.getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2, text: row.dataset.t, name: row.dataset.k ?? null };
  }
  function lit() {
    return [...document.querySelectorAll(".hi")].map(row => row.dataset.k);
  }
  // What the keyboard acts on: the head of a column, or the list that chooses by one.
  function reached() {
    const element = document.activeElement, head = element?.closest("th"), label = element?.closest(".pick label");
    return head ? "sort " + head.textContent : label ? "choose " + label.firstChild.data.trim() : null;
  }
  // By how much the table is wider than the room for it.
  function hidden() {
    const room = document.querySelector(".list").parentElement;
    return room.scrollWidth - room.clientWidth;
  }
  function focused() {
    return document.activeElement?.dataset?.t ?? null;
  }

  // A column of the rows that are shown, from top to bottom, and how many that are said to be.
  function column(title) {
    const table = document.querySelector(".list"), at = [...table.tHead.rows[0].cells].findIndex(head => head.textContent === title);
    const shown = [...table.tBodies[0].rows].filter(isVisible).map(row => row.cells[at]);
    return { texts: shown.map(cell => cell.textContent), values: shown.map(cell => parseFloat(cell.dataset.s)).filter(isFinite),
      sorted: table.tHead.rows[0].cells[at].getAttribute("aria-sort"), told: document.querySelector(".pick span").textContent };
  }
  function sort(title) {
    [...document.querySelectorAll(".list th button")].find(button => button.textContent === title).click();
  }
  function choose(title, text) {
    const label = [...document.querySelectorAll(".pick label")].find(label => label.textContent.startsWith(title));
    const select = label.querySelector("select");
    select.value = [...select.options].find(option => option.textContent === text).value;
    select.dispatchEvent(new Event("change"));
  }

  return { column, sort, choose, reached, hidden, contrast, overflow, overlaps, structure, open, light, read, rows, ticks, plots, tip, telling, lit, focused };
})()
