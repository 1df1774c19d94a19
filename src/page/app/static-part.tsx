import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { PageFinding } from "../data.ts";
import { copied } from "./copy.tsx";
import { usePage } from "./state.ts";

/** Puts a section of the static part, the same nodes, into the layout. */
export function StaticPart({ id }: { readonly id: string }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const section = document.getElementById(id);
    if (section) host.current?.append(section);
  }, [id]);
  return <div class="static" ref={host} />;
}

/** Brings a finding into view, with the heading of its group; of one that is too long, the beginning. */
function show(article: HTMLElement | undefined): void {
  const column = article?.closest(".column");
  const isLong = article && column && article.offsetHeight > column.clientHeight;
  article?.scrollIntoView({ block: isLong ? "start" : "nearest" });
  const before = article?.previousElementSibling;
  if (before?.matches(".alike-head")) before.scrollIntoView({ block: "nearest" });
}

/** The root of a finding; `undefined` for an index of none. */
function rootOf(findings: readonly PageFinding[], index: number): PageFinding | undefined {
  let finding = findings[index];
  while (finding && finding.cause >= 0) finding = findings[finding.cause];
  return finding;
}

/** As many findings are all shown with their lines; of more, only those of the step in view. */
const unfolded = 3;

/** The findings as the static part has them: those that the filters want, and the one in view marked. */
export function Findings() {
  const state = usePage();
  const host = useRef<HTMLDivElement>(null);
  const wanted = state.wantedFindings.value;
  const current = state.data.findings[state.finding.value]?.id;
  const { conversation, step } = state.place.value;
  const articles = useRef<ReadonlyMap<string, HTMLElement>>(new Map());
  useLayoutEffect(() => {
    const found = new Map<string, HTMLElement>();
    for (const article of host.current?.querySelectorAll<HTMLElement>("[data-finding]") ?? [])
      found.set(article.dataset["finding"] ?? "", article);
    articles.current = found;
    // The step in view shows what stands there.
    for (const lines of host.current?.querySelectorAll<HTMLDetailsElement>(".evidence") ?? [])
      lines.open = false;
  }, []);
  useEffect(() => {
    for (const [index, { id }] of state.data.findings.entries()) {
      const article = articles.current.get(id);
      if (article) article.hidden = !wanted.has(index);
    }
  }, [wanted]);
  useEffect(() => {
    const roots = state.data.findings.filter(({ cause }) => cause < 0);
    if (roots.length <= unfolded) return;
    const isHere = (finding: PageFinding): boolean =>
      finding.conversation === conversation && finding.step === step;
    const asked = rootOf(state.data.findings, state.finding.value);
    const open: HTMLElement[] = [];
    for (const finding of roots) {
      const article = articles.current.get(finding.id);
      if (!article) continue;
      const isOpen = isHere(finding) || finding === asked;
      article.toggleAttribute("data-folded", !isOpen);
      if (isOpen) open.push(article);
    }
    // In the order of the page: the most severe first.
    const [first] = open.sort((a, b) =>
      a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    );
    // The list follows the step; a finding that the reader asked for is brought into view below.
    if (current === undefined || !state.data.findings.some((each) => each.id === current && isHere(each)))
      show(first);
  }, [current, conversation, step, state.tab.value]);
  useEffect(() => {
    const article = current === undefined ? undefined : articles.current.get(current);
    if (!article) return;
    article.setAttribute("aria-current", "true");
    const fold = article.parentElement?.closest("details");
    if (fold) fold.open = true;
    show(article);
    return () => article.removeAttribute("aria-current");
  }, [current, state.tab.value]);
  const click = (event: MouseEvent): void => {
    const target = event.target as Element;
    if (target.closest("a, button, summary, pre") || !getSelection()?.isCollapsed) return;
    const id = target.closest<HTMLElement>("[data-finding]")?.dataset["finding"];
    const index = state.data.findings.findIndex((finding) => finding.id === id);
    if (index >= 0) state.goToFinding(index);
  };
  return (
    <div ref={host} onClick={click}>
      <StaticPart id="findings" />
      {wanted.size === 0 && state.data.findings.length > 0 && (
        <p class="empty">
          No finding matches.{" "}
          <button
            type="button"
            class="link"
            onClick={() => {
              state.filters.value = { rule: "", severity: "", tool: "", role: "" };
            }}
          >
            Show all
          </button>
        </p>
      )}
    </div>
  );
}

/** Gives each text of the static part that is worth it a button that copies it. */
export function addCopyButtons(root: Element): void {
  for (const element of root.querySelectorAll<HTMLElement>("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    const text = element.dataset["copy"] || (element.textContent ?? "");
    button.setAttribute("aria-label", `Copy ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`);
    button.addEventListener("click", async () => {
      button.textContent = (await copied(text)) ? "copied" : "not copied";
      button.dataset["state"] = button.textContent;
      setTimeout(() => {
        button.textContent = "copy";
        delete button.dataset["state"];
      }, 1200);
    });
    element.after(button);
  }
}
