(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const table = document.getElementById("query-table");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row, index) => ({ row, index, facts: data.queries[index], words: row.textContent.toLowerCase() }));
  const byId = (id) => document.getElementById(id);
  const [search, tag, change, count] = ["search", "tag", "change", "count"].map(byId);

  const element = (name, properties, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key === "class") node.className = value; else node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  };

  // Places of a ranking: [id, grade, id, grade, …], grade -1 for a document that nobody judged.
  const places = (flat) => {
    const seen = new Set();
    const list = [];
    for (let at = 0; at < flat.length; at += 2) {
      const doc = data.documents[flat[at]];
      list.push({ id: flat[at], doc, grade: flat[at + 1], repeat: seen.has(doc) });
      seen.add(doc);
    }
    return list;
  };
  const kind = (place) => (place.grade < 0 ? "" : place.grade > 0 ? "relevant" : "irrelevant");
  const grade = (place) => (place.grade < 0 ? "unjudged" : String(place.grade));

  const ranking = (title, own, count, other, otherCount, absent) => {
    // Of deep rankings only the first places are here: what is below them is not gone.
    const absence = other.length < otherCount ? "not in the first " + other.length : absent;
    const lines = own.map((place, index) => {
      const opposite = other.findIndex((known) => known.doc === place.doc);
      let move = opposite < 0 ? absence : opposite === index ? "same place" : "place " + (opposite + 1);
      if (place.repeat) move = "again";
      return element("tr", { class: kind(place) },
        element("td", { class: "n" }, String(index + 1)), element("td", {}, grade(place)),
        element("td", {}, element("code", {}, data.ids[place.id])), element("td", {}, move));
    });
    const heads = ["place", "grade", "result", absent === "gone" ? "now" : "before"];
    return element("table", {},
      element("caption", {}, title + ": " + (own.length < count ? "the first " + own.length + " of " : "") + count + (count === 1 ? " result" : " results")),
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...lines));
  };

  const draw = (svg, left, right, before, now) => {
    const box = svg.getBoundingClientRect();
    svg.replaceChildren();
    if (!box.width || !box.height) return;
    svg.setAttribute("viewBox", "0 0 " + box.width + " " + box.height);
    const middle = (row) => { const own = row.getBoundingClientRect(); return own.top + own.height / 2 - box.top; };
    before.forEach((place, from) => {
      const to = now.findIndex((known) => known.doc === place.doc);
      if (place.repeat || to < 0) return;
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      const ends = { x1: 2, y1: middle(left.tBodies[0].rows[from]), x2: box.width - 2, y2: middle(right.tBodies[0].rows[to]) };
      for (const [key, value] of Object.entries(ends)) line.setAttribute(key, value);
      line.setAttribute("class", "l " + kind(place));
      svg.append(line);
    });
  };

  const detail = (entry) => {
    const before = places(entry.facts.before);
    const now = places(entry.facts.now);
    const { before_count: beforeCount, now_count: nowCount } = entry.facts;
    const left = ranking("Baseline", before, beforeCount, now, nowCount, "gone");
    const right = ranking("Now", now, nowCount, before, beforeCount, "new");
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("aria-hidden", "true");
    const pair = element("div", { class: "pair" }, element("div", {}, left), svg, element("div", {}, right));
    const cell = element("td", { colspan: String(entry.row.cells.length) });
    // What stands in back-quotes is an id.
    const parts = (text) => text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
    for (const note of entry.facts.notes) cell.append(element("p", { class: "passage" }, ...parts(note)));
    cell.append(pair);
    const passages = now.filter((place, index) => data.texts[place.id] !== undefined && (index < 5 || place.grade > 0));
    if (passages.length) {
      cell.append(element("h3", {}, "Passages"));
      for (const place of passages) {
        cell.append(element("p", { class: "passage" }, element("code", {}, data.ids[place.id]), " ", data.texts[place.id]));
      }
    }
    const row = element("tr", { class: "detail", id: "detail-" + entry.index }, cell);
    entry.observer = new ResizeObserver(() => draw(svg, left, right, before, now));
    entry.observer.observe(pair);
    return row;
  };

  const toggle = (entry, button) => {
    const open = !entry.detail;
    if (open) {
      entry.detail = detail(entry);
      entry.row.after(entry.detail);
    } else {
      entry.observer.disconnect();
      entry.detail.remove();
      entry.detail = null;
    }
    button.setAttribute("aria-expanded", String(open));
  };
  for (const entry of rows) {
    const button = entry.row.querySelector(".open");
    button.addEventListener("click", () => toggle(entry, button));
  }

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const entry of rows) {
      const { facts } = entry;
      const fits = words.every((word) => entry.words.includes(word)) &&
        (!tag.value || facts.tags.includes(tag.value)) &&
        (!change.value || (change.value === "tail" ? facts.tail : facts.change === change.value));
      entry.row.hidden = !fits;
      if (entry.detail) entry.detail.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    count.textContent = shown + " of " + rows.length + " queries";
  };
  for (const control of [search, tag, change]) control.addEventListener("input", filter);
  filter();

  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const descending = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const value = (entry) => { const cell = entry.row.cells[column]; return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v); };
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    const sorted = rows.slice().sort((a, b) => (descending ? -1 : 1) * order(value(a), value(b)) || a.index - b.index);
    body.append(...sorted.flatMap((entry) => (entry.detail ? [entry.row, entry.detail] : [entry.row])));
  }));
})();
