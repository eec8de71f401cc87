(() => {
  const byId = (id) => document.getElementById(id);
  const index = JSON.parse(byId("index").textContent);
  const col = index.columns;
  const total = col.run.length;
  const ROW = 46, MAX_SIDE_BY_SIDE = 24, MAX_FORMULA_CHARS = 4000, MAX_FORMULAS = 500;
  const list = byId("list"), spacer = byId("spacer"), detail = byId("detail");
  const number = (value) => value.toLocaleString("en");
  const words = (name) => name.replaceAll("_", " ");
  const kindOf = (at) => index.classes[col.kind[at]];
  let shown = [], chosen = -1, beside = false;

  const make = (tag, text, kind) => {
    const box = document.createElement(tag);
    if (text !== undefined) box.textContent = text;
    if (kind) box.className = kind;
    return box;
  };
  const toned = (box, at) => { box.style.setProperty("--tone", `var(--${kindOf(at)}, var(--soft))`); return box; };

  // -- filters, order, columns ---------------------------------------------------------------------------------------

  const fill = (id, all, names, values) => {
    const box = byId(id);
    box.append(new Option(all, ""));
    names.forEach((name, at) => box.append(new Option(name, String(values ? values[at] : at))));
    box.hidden = names.length < 2;
    box.addEventListener("change", apply);
  };
  const present = [...new Set(col.kind)].sort((a, b) => a - b);
  fill("f-run", "all runs", index.runs);
  fill("f-task", "all tasks", index.tasks);
  fill("f-source", "all sources", index.sources);
  if ([...index.sources].sort().join() === [...index.tasks].sort().join()) byId("f-source").hidden = true;
  fill("f-kind", "all verdicts", present.map((at) => words(index.classes[at])), present);
  fill("f-change", "changed or not", ["gained", "lost"], [1, 2]);
  byId("f-change").hidden = !col.change.some(Boolean);

  const hasTokens = col.tokens.some((value) => value !== null);
  const ORDERS = {
    "in order": null,
    "by problem": (a, b) => col.problem[a] - col.problem[b] || a - b,
    "lowest reward first": (a, b) => (col.reward[a] ?? -1e9) - (col.reward[b] ?? -1e9),
    "highest reward first": (a, b) => (col.reward[b] ?? -1e9) - (col.reward[a] ?? -1e9),
    ...(hasTokens && { "longest first": (a, b) => col.tokens[b] - col.tokens[a], "shortest first": (a, b) => col.tokens[a] - col.tokens[b] }),
  };
  Object.keys(ORDERS).forEach((name) => byId("f-sort").append(new Option(name, name)));
  byId("f-sort").addEventListener("change", apply);

  const COLUMNS = {
    verdict: (at) => words(kindOf(at)),
    run: (at) => index.runs[col.run[at]],
    task: (at) => index.tasks[col.task[at]],
    source: (at) => index.sources[col.source[at]],
    id: (at) => col.id[at],
    sample: (at) => `#${col.rep[at] + 1}`,
    tokens: (at) => (col.tokens[at] === null ? "" : `${number(col.tokens[at])} tokens`),
    reward: (at) => (col.reward[at] === null ? "no reward" : `reward ${col.reward[at]}`),
    answer: (at) => col.answer[at] && `→ ${col.answer[at]}`,
  };
  const usual = { verdict: 1, run: index.runs.length > 1, task: index.tasks.length > 1, sample: col.rep.some(Boolean), tokens: hasTokens, answer: 1 };
  const chosenColumns = new Set(Object.keys(COLUMNS).filter((name) => usual[name]));
  for (const name of Object.keys(COLUMNS)) {
    const label = make("label"), box = make("input");
    box.type = "checkbox";
    box.checked = chosenColumns.has(name);
    box.addEventListener("change", () => { chosenColumns[box.checked ? "add" : "delete"](name); draw(true); });
    label.append(box, ` ${name}`);
    byId("columns").querySelector("div").append(label);
  }

  let waiting = 0;
  byId("f-text").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 150); });
  byId("f-deep").addEventListener("change", apply);
  byId("typeset").addEventListener("change", () => chosen >= 0 && open(chosen));

  const titles = index.titles.map((title) => title.toLowerCase());
  let search = 0;
  async function apply() {
    const ours = ++search;
    const want = ["run", "task", "source", "kind", "change"]
      .map((name) => [col[name], byId("f-" + name).value]).filter(([, value]) => value !== "")
      .map(([column, value]) => [column, Number(value)]);
    const text = byId("f-text").value.trim().toLowerCase();
    const deep = text && byId("f-deep").checked ? await inCompletions(text, ours) : null;
    if (ours !== search) return;
    const holds = (at) => titles[col.problem[at]].includes(text) || col.answer[at].toLowerCase().includes(text) ||
      col.id[at].toLowerCase().includes(text) || (deep !== null && deep.has(at));
    shown = [];
    for (let at = 0; at < total; at++) {
      if (want.every(([column, value]) => column[at] === value) && (!text || holds(at))) shown.push(at);
    }
    const order = ORDERS[byId("f-sort").value];
    if (order) shown.sort(order);
    byId("count").textContent = `${number(shown.length)} of ${number(total)} answers`;
    spacer.style.height = `${shown.length * ROW}px`;
    list.scrollTop = 0;
    draw(true);
  }

  async function inCompletions(text, ours) {
    const found = new Set();
    for (let from = 0; from < total && ours === search; from += index.block) {
      byId("count").textContent = `searching: ${number(from)} of ${number(total)}`;
      (await unpack(`a${from / index.block}`)).forEach((body, at) => {
        const said = [body.text, body.think, ...(body.turns || []).map((turn) => turn.text)];
        if (said.some((each) => each && each.toLowerCase().includes(text))) found.add(from + at);
      });
    }
    return found;
  }

  // -- the list --------------------------------------------------------------------------------------------------------

  let first = -1, last = -1;
  function draw(fresh) {
    const from = Math.max(0, Math.floor(list.scrollTop / ROW) - 6);
    const to = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 6);
    if (!fresh && from === first && to === last) return;
    [first, last] = [from, to];
    list.querySelectorAll(".row").forEach((each) => each.remove());
    for (let place = from; place < to; place++) list.append(row(place));
  }

  function row(place) {
    const at = shown[place];
    const box = toned(make("div", undefined, at === chosen ? "row on" : "row"), at);
    box.style.top = `${place * ROW}px`;
    box.setAttribute("role", "option");
    box.setAttribute("aria-selected", String(at === chosen));
    const facts = Object.keys(COLUMNS).filter((name) => chosenColumns.has(name)).map((name) => COLUMNS[name](at));
    box.append(make("b", index.titles[col.problem[at]]), make("small", facts.filter(Boolean).join(" · ")));
    box.addEventListener("click", () => choose(at));
    return box;
  }

  list.addEventListener("scroll", () => requestAnimationFrame(() => draw(false)));
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (!step || !shown.length) return;
    event.preventDefault();
    const now = shown.indexOf(chosen);
    const next = Math.min(shown.length - 1, Math.max(0, now < 0 ? 0 : now + step));
    const top = next * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    choose(shown[next]);
  });
  window.addEventListener("resize", () => draw(true));

  // -- texts -----------------------------------------------------------------------------------------------------------

  async function unpack(id) {
    const bytes = Uint8Array.from(atob(byId(id).textContent), (char) => char.charCodeAt(0));
    return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
  }
  const cache = new Map();
  async function part(name, at) {
    const id = name + Math.floor(at / index.block);
    if (!cache.has(id)) {
      if (cache.size > 24) cache.delete(cache.keys().next().value);
      cache.set(id, await unpack(id));
    }
    return cache.get(id)[at % index.block];
  }

  // Formulas in the delimiters of TeX and Markdown, and boxes without any. What KaTeX cannot read stays as written.
  const FORMULA = /\$\$([^]+?)\$\$|\\\[([^]+?)\\\]|\\\(([^]+?)\\\)|\$([^\s$](?:[^$\n]*[^\s$\\])?)\$(?!\d)|\\boxed\s*(?=\{)/g;
  function boxEnd(text, from) {
    let depth = 0;
    for (let at = from; at < text.length && at < from + MAX_FORMULA_CHARS; at++) {
      if (text[at] === "\\") at++;
      else if (text[at] === "{") depth++;
      else if (text[at] === "}" && --depth === 0) return at + 1;
    }
    return -1;
  }

  /** A block of text with its formulas typeset and the last occurrence of `answer` marked. */
  function prose(text, answer) {
    const box = make("pre");
    const markFrom = answer ? text.lastIndexOf(answer) : -1;
    const markTo = markFrom + (answer || "").length;
    const plain = (from, to) => {
      const a = Math.max(from, markFrom), b = Math.min(to, markTo);
      if (markFrom < 0 || a >= b) { box.append(text.slice(from, to)); return; }
      box.append(text.slice(from, a), make("mark", text.slice(a, b)), text.slice(b, to));
    };
    let done = 0, formulas = 0;
    if (byId("typeset").checked) {
      for (const match of text.matchAll(FORMULA)) {
        if (match.index < done || formulas >= MAX_FORMULAS) continue;
        const source = match.slice(1).find((each) => each !== undefined);
        const end = source === undefined ? boxEnd(text, match.index + match[0].length) : match.index + match[0].length;
        const drawn = end > 0 && formula(source ?? text.slice(match.index, end), match[1] !== undefined || match[2] !== undefined);
        if (!drawn) continue;
        plain(done, match.index);
        const holder = markFrom >= 0 && match.index < markTo && markFrom < end ? make("mark") : box;
        holder.append(drawn);
        if (holder !== box) box.append(holder);
        done = end;
        formulas++;
      }
    }
    plain(done, text.length);
    return box;
  }

  function formula(source, display) {
    if (source.length > MAX_FORMULA_CHARS) return null;
    const box = make("span", undefined, display ? "formula display" : "formula");
    try {
      katex.render(source, box, { displayMode: display, output: "mathml", strict: "ignore", maxSize: 40, maxExpand: 200 });
    } catch { return null; }
    box.title = source;
    return box;
  }

  // -- one answer ------------------------------------------------------------------------------------------------------

  const addressOf = (at) => "#sample=" + encodeURIComponent((index.runs.length > 1 ? index.runs[col.run[at]] + "/" : "") + col.id[at]);
  const atAddress = new Map();
  for (let at = 0; at < total; at++) atAddress.set(addressOf(at), at);
  let answersTo = null;
  function siblings(at) {
    if (!answersTo) {
      answersTo = new Map();
      col.problem.forEach((problem, each) => answersTo.has(problem) ? answersTo.get(problem).push(each) : answersTo.set(problem, [each]));
    }
    return answersTo.get(col.problem[at]);
  }

  function choose(at) {
    beside = false;
    history.replaceState(null, "", addressOf(at));
    open(at);
  }

  async function open(at) {
    chosen = at;
    draw(true);
    const others = siblings(at);
    const together = beside ? others.slice(0, MAX_SIDE_BY_SIDE) : [at];
    const [problem, ...answers] = await Promise.all([part("p", col.problem[at]), ...together.map((each) => part("a", each))]);
    if (chosen !== at) return;
    detail.replaceChildren();
    detail.scrollTop = 0;
    const links = make("p", undefined, "note");
    const link = make("a", "Link to this sample");
    link.href = addressOf(at);
    links.append(link);
    if (others.length > 1) {
      const button = make("button", beside ? "This answer alone" : `Side by side: ${others.length} answers`);
      button.id = "beside";
      button.addEventListener("click", () => { beside = !beside; open(at); });
      links.append(" ", button);
      if (beside && others.length > together.length) links.append(` ${together.length} of ${others.length} shown`);
    }
    detail.append(links, make("h3", "Question"), prose(problem.q));
    if (problem.p !== problem.q) detail.append(fold("Prompt as sent", problem.p));
    detail.append(make("h3", "Ground truth"), prose(problem.t));
    const grid = make("div", undefined, beside ? "beside" : "");
    together.forEach((each, place) => grid.append(card(each, answers[place])));
    detail.append(grid);
    if (matchMedia("(max-width: 800px)").matches) detail.scrollIntoView();
  }

  function card(at, answer) {
    const box = toned(make("section", undefined, "answer"), at);
    const verdict = make("div", undefined, "verdict");
    const found = answer.answer ? `Extracted answer: ${answer.answer}. ` : kindOf(at) === "correct" ? "" : "No answer was extracted. ";
    const reason = answer.reason ? `Judged ${words(answer.verdict || kindOf(at))}: ${answer.reason}.` : "";
    const said = answer.error ? "No answer could be generated; this says nothing about the model." : found + reason;
    verdict.append(make("b", words(kindOf(at))), " " + said);
    const parts = Object.entries(answer.parts || {}).map(([name, value]) => `${name} ${value ?? "unjudged"}`);
    const shown = (value) => (value === undefined ? "none" : value);
    const facts = [COLUMNS.run(at), COLUMNS.task(at), COLUMNS.id(at), COLUMNS.tokens(at), ...(answer.facts || [])];
    box.append(verdict, make("p", facts.filter(Boolean).join(" · "), "note"),
      make("p", [`score ${shown(answer.score)}`, `reward ${shown(answer.reward)}`, ...parts].join(" · "), "note"));
    if (answer.steps) box.append(fold("Steps of the judgement", answer.steps.join("\n")));
    if (answer.error) box.append(make("h3", "Error"), make("pre", answer.error));
    if (answer.turns) {
      box.append(make("h3", "Conversation"));
      answer.turns.forEach((turn) => {
        const each = make("div", undefined, ["tool", "function", "ipython"].includes(turn.role) ? "turn tool" : "turn");
        each.append(make("b", turn.role));
        if (turn.think) each.append(fold("Thinking", turn.think));
        each.append(prose(turn.text, turn.role === "assistant" ? answer.answer : null));
        box.append(each);
      });
    } else {
      if (answer.think) box.append(fold(`Thinking (${number(answer.think.length)} characters)`, answer.think));
      box.append(make("h3", "Completion"), prose(answer.text || "(empty)", answer.answer));
    }
    return box;
  }

  /** Text that is shown when its title is clicked; its formulas are typeset then. */
  function fold(title, text) {
    const box = make("details");
    box.append(make("summary", title));
    box.addEventListener("toggle", () => box.children.length < 2 && box.append(prose(text)), { once: true });
    return box;
  }

  function openAddress() {
    const at = atAddress.get(location.hash);
    if (at === undefined) return;
    const place = shown.indexOf(at);
    if (place >= 0) list.scrollTop = Math.max(0, place * ROW - list.clientHeight / 2);
    beside = false;
    open(at);
    byId("detail").closest("section").scrollIntoView();
  }
  window.addEventListener("hashchange", openAddress);
  apply().then(openAddress);
})();
