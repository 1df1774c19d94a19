import { useEffect, useRef, useState } from "preact/hooks";
import { LogText } from "./log-text.tsx";
import { type State, type Theme, usePage } from "./state.ts";
import { type Filters, noFilters } from "./timeline.ts";

/** The first row of the page: what it is about, the search, the switches. */
export function Toolbar() {
  const state = usePage();
  const { data } = state;
  return (
    <header class="toolbar">
      <p class="brand">
        toollint <span>{data.kind === "check" ? "" : data.kind}</span>
      </p>
      <p class="title" title={data.title}>
        <LogText text={data.title} />
      </p>
      <Switcher />
      <SearchField />
      <button
        type="button"
        class="icon-button"
        aria-label="Light or dark"
        title="Light or dark"
        onClick={() => switchTheme(state)}
      >
        <span aria-hidden="true">◐</span>
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Help: keys"
        title="Keys (?)"
        aria-expanded={state.isHelpShown.value}
        onClick={() => {
          state.isHelpShown.value = !state.isHelpShown.value;
        }}
      >
        <span aria-hidden="true">?</span>
      </button>
    </header>
  );
}

/** Conversations that the switcher lists; the list of steps has all. */
const maxListed = 300;

/** Leads to another conversation. */
function Switcher() {
  const state = usePage();
  const { conversations, files } = state.data;
  if (conversations.length < 2 || state.data.diff) return null;
  const { conversation } = state.place.value;
  return (
    <select
      class="switcher"
      aria-label="Conversation"
      value={`${conversation}`}
      onChange={(event) => state.goTo({ conversation: Number(event.currentTarget.value), step: 0 })}
    >
      {conversations.map(({ name, file, opening }, index) => {
        if (index >= maxListed && index !== conversation) return null;
        const path = files.length > 1 ? `${files[file]?.path ?? ""} · ` : "";
        const text = opening === null ? "" : ` · ${opening.slice(0, 40)}`;
        return (
          <option key={index} value={`${index}`}>
            {`${path}${name}${text}`}
          </option>
        );
      })}
    </select>
  );
}

/** Time after the last key that the search waits for the next one. */
const pause = 120;

function SearchField() {
  const state = usePage();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [text, setText] = useState("");
  const hits = state.hits.value;
  const hit = state.hit.value;
  const search = (value: string): Promise<void> => {
    clearTimeout(timer.current);
    timer.current = undefined;
    return state.search(value);
  };
  useEffect(() => {
    // Esc elsewhere in the page ends the search.
    if (state.query.value === "" && timer.current === undefined) setText("");
  }, [state.query.value]);
  return (
    <search class="search">
      <input
        type="text"
        role="searchbox"
        placeholder="Search  /"
        aria-label="Search everything"
        aria-describedby="search-result"
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setText(value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => search(value), pause);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation();
            setText("");
            search("");
            event.currentTarget.blur();
          } else if (event.key === "Enter") {
            event.preventDefault();
            const { value } = event.currentTarget;
            if (value.trim() !== state.query.value.trim()) search(value);
            else state.moveHit(event.shiftKey ? -1 : 1);
          }
        }}
      />
      <output id="search-result" class="result" aria-live="polite">
        {state.query.value.trim() === "" ? "" : `${hit + 1} of ${hits.length.toLocaleString("en")}`}
      </output>
    </search>
  );
}

/** The other theme than the one in use; it is kept by the browser where it lets the page keep something. */
function switchTheme(state: State): void {
  const now = state.theme.value ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next: Theme = now === "dark" ? "light" : "dark";
  state.theme.value = next;
  document.documentElement.dataset["theme"] = next;
  try {
    localStorage.setItem("toollint-theme", next);
  } catch {
    // Pages without an origin of their own may not keep anything; the switch still works for this visit.
  }
}

/** The theme that an earlier visit chose. */
export function keptTheme(): Theme | null {
  try {
    const kept = localStorage.getItem("toollint-theme");
    return kept === "light" || kept === "dark" ? kept : null;
  } catch {
    // As above: then the system's choice holds.
    return null;
  }
}

/** What the lists are narrowed to. */
export function FilterBar() {
  const state = usePage();
  const { data } = state;
  const [values] = useState(() => valuesOf(state));
  const [isOpen, setOpen] = useState(false);
  const filters = state.filters.value;
  const active = Object.values(filters).filter((value) => value !== "").length;
  const select = (key: keyof Filters, name: string) =>
    values[key].length > (key === "rule" || key === "severity" ? 0 : 1) && (
      <select
        aria-label={name}
        value={filters[key]}
        onChange={(event) => {
          state.filters.value = { ...filters, [key]: event.currentTarget.value };
        }}
      >
        <option value="">any {name.toLowerCase()}</option>
        {values[key].map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    );
  if (data.diff) return null;
  return (
    <div class="filters">
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filter{active > 0 && ` (${active})`}
      </button>
      {active > 0 && (
        <button
          type="button"
          class="link"
          onClick={() => {
            state.filters.value = noFilters;
          }}
        >
          clear
        </button>
      )}
      {isOpen && (
        <div class="selects">
          {select("severity", "Severity")}
          {select("rule", "Rule")}
          {select("tool", "Tool")}
          {select("role", "Role")}
        </div>
      )}
    </div>
  );
}

/** The values that each filter can have. */
function valuesOf({ data }: State): Readonly<Record<keyof Filters, readonly string[]>> {
  const sorted = (values: Iterable<string | undefined>): string[] =>
    [...new Set(values)].filter((value) => value !== undefined).sort();
  const severities = new Set<string>(data.findings.map(({ severity }) => severity));
  return {
    rule: sorted(data.findings.map(({ rule }) => rule)),
    severity: ["error", "warning", "info"].filter((severity) => severities.has(severity)),
    tool: sorted(data.items.map(({ tool }) => tool)),
    role: sorted(data.items.map(({ role }) => role)),
  };
}
