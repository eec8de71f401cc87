(() => {
  const index = JSON.parse(document.getElementById("index").textContent);
  const col = index.columns;
  const total = col.run.length;
  const ROW = 46;
  const byId = (id) => document.getElementById(id);
  const list = byId("list"), spacer = byId("spacer"), detail = byId("detail");
  let shown = [];
  let chosen = -1;

  const fill = (id, all, names, values) => {
    const box = byId(id);
    box.append(new Option(all, ""));
    names.forEach((name, at) => box.append(new Option(name, String(values ? values[at] : at))));
    box.hidden = names.length < 2 && id !== "f-kind";
    box.addEventListener("change", apply);
  };
  const words = (name) => name.replaceAll("_", " ");
  const present = [...new Set(col.kind)].sort((a, b) => a - b);
  fill("f-run", "all runs", index.runs);
  fill("f-task", "all tasks", index.tasks);
  fill("f-source", "all sources", index.sources);
  byId("f-source").hidden = index.sources.length < 2 || [...index.sources].sort().join() === [...index.tasks].sort().join();
  fill("f-kind", "all classes", present.map((at) => words(index.classes[at])), present);
  fill("f-flip", "flipped or not", ["gained", "lost"], [1, 2]);
  byId("f-flip").hidden = !col.flip.some(Boolean);
  const sort = byId("f-sort");
  ["in order", "longest first", "shortest first", "lowest reward first"].forEach((name, at) => sort.append(new Option(name, String(at))));
  sort.addEventListener("change", apply);
  let waiting = 0;
  byId("f-text").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 120); });

  const titles = index.titles.map((title) => title.toLowerCase());

  function apply() {
    const want = ["run", "task", "source", "kind", "flip"]
      .map((name) => [col[name], byId("f-" + name).value]).filter(([, value]) => value !== "")
      .map(([column, value]) => [column, Number(value)]);
    const text = byId("f-text").value.trim().toLowerCase();
    shown = [];
    for (let at = 0; at < total; at++) {
      let good = true;
      for (const [column, value] of want) if (column[at] !== value) { good = false; break; }
      if (good && text) good = titles[col.problem[at]].includes(text) || col.answer[at].toLowerCase().includes(text);
      if (good) shown.push(at);
    }
    const order = Number(sort.value);
    if (order === 1) shown.sort((a, b) => col.tokens[b] - col.tokens[a]);
    if (order === 2) shown.sort((a, b) => col.tokens[a] - col.tokens[b]);
    if (order === 3) shown.sort((a, b) => (col.reward[a] ?? -1e9) - (col.reward[b] ?? -1e9));
    byId("count").textContent = `${shown.length.toLocaleString("en")} of ${total.toLocaleString("en")} answers`;
    spacer.style.height = `${shown.length * ROW}px`;
    list.scrollTop = 0;
    draw(true);
  }

  let first = -1, last = -1;
  function draw(fresh) {
    const from = Math.max(0, Math.floor(list.scrollTop / ROW) - 6);
    const to = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 6);
    if (!fresh && from === first && to === last) return;
    [first, last] = [from, to];
    const rows = document.createDocumentFragment();
    for (let place = from; place < to; place++) rows.append(row(place));
    list.querySelectorAll(".row").forEach((each) => each.remove());
    list.append(rows);
  }

  function row(place) {
    const at = shown[place];
    const kind = index.classes[col.kind[at]];
    const box = document.createElement("div");
    box.className = at === chosen ? "row on" : "row";
    box.style.top = `${place * ROW}px`;
    box.style.setProperty("--tone", `var(--${kind})`);
    box.setAttribute("role", "option");
    box.dataset.at = String(at);
    const title = document.createElement("b");
    title.textContent = index.titles[col.problem[at]];
    const small = document.createElement("small");
    const facts = [words(kind)];
    if (index.runs.length > 1) facts.push(index.runs[col.run[at]]);
    if (index.tasks.length > 1) facts.push(index.tasks[col.task[at]]);
    facts.push(`#${col.rep[at] + 1}`, `${col.tokens[at].toLocaleString("en")} tokens`);
    if (col.answer[at]) facts.push(`→ ${col.answer[at]}`);
    small.textContent = facts.join(" · ");
    box.append(title, small);
    box.addEventListener("click", () => open(at));
    return box;
  }

  const cache = new Map();
  async function block(id) {
    if (!cache.has(id)) {
      if (cache.size > 24) cache.delete(cache.keys().next().value);
      const bytes = Uint8Array.from(atob(byId(id).textContent), (char) => char.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      cache.set(id, JSON.parse(await new Response(stream).text()));
    }
    return cache.get(id);
  }
  const part = async (name, at) => (await block(name + Math.floor(at / index.block)))[at % index.block];

  const make = (tag, text, kind) => {
    const box = document.createElement(tag);
    if (text !== undefined) box.textContent = text;
    if (kind) box.className = kind;
    return box;
  };

  async function open(at) {
    chosen = at;
    draw(true);
    const [answer, problem] = await Promise.all([part("a", at), part("p", col.problem[at])]);
    if (chosen !== at) return;
    const kind = index.classes[col.kind[at]];
    detail.replaceChildren();
    detail.style.setProperty("--tone", `var(--${kind})`);
    detail.scrollTop = 0;
    const verdict = make("div", undefined, "verdict");
    const said = make("b", words(kind));
    verdict.append(said, document.createTextNode(" " + judgement(answer, kind)));
    const facts = [index.runs[col.run[at]], index.tasks[col.task[at]], `problem ${answer.doc}`, `answer ${col.rep[at] + 1}`,
      `${col.tokens[at].toLocaleString("en")} tokens`];
    if (answer.finish) facts.push(`finish ${answer.finish}`);
    if (answer.nturns) facts.push(`${answer.nturns} turns`);
    if (answer.calls) facts.push(`${answer.calls} tool calls`);
    if (answer.s) facts.push(`${answer.s} s`);
    if (answer.seed) facts.push(`seed ${answer.seed}`);
    detail.append(verdict, make("p", facts.join(" · "), "note"));
    const table = make("p", numbers(answer), "note");
    detail.append(table, make("h3", "Question"), make("pre", problem.q));
    if (problem.p !== problem.q) fold("Prompt as sent", problem.p);
    detail.append(make("h3", "Ground truth"), make("pre", problem.t));
    if (answer.error) detail.append(make("h3", "Error"), make("pre", answer.error));
    if (answer.turns) {
      detail.append(make("h3", "Conversation"));
      answer.turns.forEach((turn) => {
        const box = make("div", undefined, turn.role === "tool" ? "turn tool" : "turn");
        box.append(make("b", turn.role));
        if (turn.think) { const more = make("details"); more.append(make("summary", "Thinking"), make("pre", turn.think)); box.append(more); }
        box.append(marked(turn.text, turn.role === "assistant" ? answer.answer : null));
        detail.append(box);
      });
    } else {
      if (answer.think) fold(`Thinking (${answer.think.length.toLocaleString("en")} characters)`, answer.think);
      detail.append(make("h3", "Completion"), marked(answer.text || "(empty)", answer.answer));
    }
  }

  function fold(title, text) {
    const box = make("details");
    box.append(make("summary", title), make("pre", text));
    detail.append(box);
  }

  function judgement(answer, kind) {
    if (answer.error) return "No answer could be had; this says nothing about the model.";
    const found = answer.answer ? `Extracted answer: ${answer.answer}. ` : kind === "correct" ? "" : "No answer was extracted. ";
    return found + (answer.reason ? `Judged ${words(answer.verdict || "")}: ${answer.reason}.` : "");
  }

  function numbers(answer) {
    const parts = Object.entries(answer.parts || {}).map(([name, value]) => `${name} ${value ?? "unjudged"}`);
    return [`score ${answer.score ?? 0}`, `reward ${answer.reward ?? 0}`, ...parts].join(" · ");
  }

  function marked(text, found) {
    const box = make("pre");
    const at = found ? text.lastIndexOf(found) : -1;
    if (at < 0) { box.textContent = text; return box; }
    box.append(text.slice(0, at), make("mark", found), text.slice(at + found.length));
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
    open(shown[next]);
  });
  window.addEventListener("resize", () => draw(true));
  apply();
})();
