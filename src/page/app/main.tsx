import { render } from "preact";
import type { Compact } from "../compact.ts";
import { fillLater, unpack } from "../wire.ts";
import { App } from "./app.tsx";
import { pressed } from "./keys.ts";
import { State, StateProvider } from "./state.ts";
import { addCopyButtons } from "./static-part.tsx";
import { inflated, TextBlocks } from "./text-blocks.ts";
import { keptTheme } from "./toolbar.tsx";

/** The text of an element of the document, which is not kept twice: the element is removed. */
function taken(id: string): { text: string; type: string } {
  const element = document.getElementById(id);
  if (!(element instanceof HTMLScriptElement)) throw new Error(`the page has no ${id}`);
  const { type } = element;
  const text = element.textContent ?? "";
  element.remove();
  return { text, type };
}

async function start(): Promise<void> {
  const page = document.documentElement;
  const theme = keptTheme();
  if (theme) page.dataset["theme"] = theme;
  const index = taken("index");
  const json = index.type === "text/plain" ? await inflated(index.text) : index.text;
  const data = unpack(JSON.parse(json) as Compact);
  const texts = new TextBlocks(
    data.texts,
    (block) => document.getElementById(`block-${block}`)?.textContent ?? "",
  );
  if (data.later) {
    const [previews, callIds] = await Promise.all(
      [data.later.previews, data.later.callIds].map((one) => texts.read(one)),
    );
    fillLater(data, { previews: previews ?? "", callIds: callIds ?? "" });
  }
  const state = new State(data, texts);
  state.theme.value = theme;
  const root = document.getElementById("app");
  const report = document.getElementById("report");
  if (!root || !report) throw new Error("the page has lost its report");
  addCopyButtons(report);
  const narrow = matchMedia("(max-width: 759px)");
  state.isNarrow.value = narrow.matches;
  narrow.addEventListener("change", () => {
    state.isNarrow.value = narrow.matches;
  });
  // The lists measure themselves when they are drawn.
  page.dataset["app"] = "true";
  render(
    <StateProvider value={state}>
      <App />
    </StateProvider>,
    root,
  );
  report.remove();
  state.follow(location.hash);
  addEventListener("hashchange", () => state.follow(location.hash));
  addEventListener("keydown", (event) => {
    if (pressed(state, event)) event.preventDefault();
  });
  // What the address changes is drawn when this task has ended.
  setTimeout(() => {
    page.dataset["ready"] = "true";
  });
}

void start();
