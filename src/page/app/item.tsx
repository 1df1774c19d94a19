import { useEffect, useRef, useState } from "preact/hooks";
import { bytesText, countText } from "../../show/words.ts";
import type { Occurrence, PageItem } from "../data.ts";
import { Place } from "./copy.tsx";
import { LogText, LongText } from "./log-text.tsx";
import { usePage } from "./state.ts";

/** What an item is called in the margin. */
export function nameOf({ kind, role }: Pick<PageItem, "kind" | "role">): string {
  if (kind === "message") return role === "unknown" ? "message" : role;
  return kind;
}

/** Bytes above which an item's size is worth a word. */
const notableSize = 400;

interface ItemProps {
  readonly occurrence: Occurrence;
  /** Index of the file that it stands in. */
  readonly file: number;
  /** What became of it: the sign in front of it. */
  readonly sign?: "gone" | "new" | "moved" | "unanswered" | "answer";
  /** A remark of the step on it. */
  readonly note?: string | undefined;
  /** Its first row is drawn without what the search found elsewhere. */
  readonly isQuiet?: boolean;
}

const signs = { gone: "−", new: "+", moved: "↕", unanswered: "?", answer: "↳" } as const;

const signWords = {
  gone: "gone",
  new: "new",
  moved: "moved",
  unanswered: "unanswered",
  answer: "its result",
} as const;

/** An item of a history or a reply: one line, and all of it when it is opened. */
export function Item({ occurrence, file, sign, note, isQuiet }: ItemProps) {
  const state = usePage();
  const { data } = state;
  const item = data.items[occurrence.item];
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLLIElement>(null);
  const hit = state.hits.value[state.hit.value];
  const isHit = hit?.is === "item" && hit.item === occurrence.item && sign !== "answer";
  useEffect(() => {
    if (!isHit || !item) return;
    const pattern = state.pattern.value;
    if (pattern && item.preview.search(pattern) < 0 && item.text !== undefined) setOpen(true);
    element.current?.scrollIntoView({ block: "nearest" });
  }, [isHit, hit]);
  if (!item) return null;
  const remarks = [...(item.remarks ?? []), ...(occurrence.remarks ?? []), ...(note ? [note] : [])];
  const isLong = item.text !== undefined || item.preview.length > 90;
  const line = (
    <>
      {item.tool !== undefined && (
        <b class="tool">
          <LogText text={item.tool} />
        </b>
      )}
      {item.media?.map((each) => (
        <span class="media" key={each}>
          {each}
        </span>
      ))}
      <LogText text={item.preview} />
    </>
  );
  return (
    <li
      ref={element}
      class={`item ${item.kind} from-${item.role}${sign ? ` is-${sign}` : ""}${isHit ? " is-hit" : ""}${isQuiet ? " is-quiet" : ""}`}
    >
      <span class="sign" title={sign && signWords[sign]}>
        {sign && signs[sign]}
        {sign && <span class="off-screen">{signWords[sign]}</span>}
      </span>
      <span class="name">{nameOf(item)}</span>
      <div class="content">
        {isLong ? (
          <button type="button" class="line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {line}
          </button>
        ) : (
          <span class="line">{line}</span>
        )}
        {item.traits && <p class="traits">{item.traits.join(" · ")}</p>}
        {remarks.length > 0 && (
          <p class="remarks">
            <LogText text={remarks.join(" · ")} />
          </p>
        )}
        {isOpen &&
          (item.text === undefined ? (
            <pre class="log">
              <LogText text={item.preview} />
            </pre>
          ) : (
            <LongText text={item.text} />
          ))}
        {isOpen && <Links item={item} />}
      </div>
      <span class="size">{item.bytes >= notableSize && bytesText(item.bytes)}</span>
      <Place file={file} line={occurrence.line} column={occurrence.column} />
    </li>
  );
}

/** The item's id, and the way to its partner. */
function Links({ item }: { readonly item: PageItem }) {
  const state = usePage();
  const place = item.partner === undefined ? undefined : state.places.get(item.partner);
  const number = place && state.data.conversations[place.conversation]?.steps[place.step]?.number;
  if (item.callId === undefined && number === undefined) return null;
  return (
    <p class="links">
      {item.callId !== undefined && (
        <code>
          <LogText text={item.callId} />
        </code>
      )}
      {place && number !== undefined && (
        <button type="button" class="link" onClick={() => state.goTo(place)}>
          {item.kind === "call" ? `its result in request ${number}` : `its call in reply ${number}`}
        </button>
      )}
    </p>
  );
}

interface ItemsProps extends Omit<ItemProps, "occurrence"> {
  readonly items: readonly Occurrence[];
  /** Items that are shown at first. */
  readonly shownAtFirst?: number;
  /** A long list shows its last items, not its first ones. */
  readonly isFromEnd?: boolean;
}

/** Items that a click adds. */
const shownMore = 200;

/** A list of items, of a long one a part. */
export function Items({ items, shownAtFirst = 20, isFromEnd, ...rest }: ItemsProps) {
  const [shown, setShown] = useState(shownAtFirst);
  const hidden = Math.max(0, items.length - shown);
  const from = isFromEnd ? hidden : 0;
  const more = hidden > 0 && (
    <li class="more">
      <button type="button" class="quiet" onClick={() => setShown(shown + shownMore)}>
        {countText(hidden, isFromEnd ? "earlier item" : "more item")}
        {hidden > shownMore ? `: show ${shownMore}` : ": show"}
      </button>
    </li>
  );
  return (
    <ol class="items">
      {isFromEnd && more}
      {items.slice(from, from + shown).map((occurrence, index) => (
        <Item key={`${from + index} ${occurrence.item}`} occurrence={occurrence} {...rest} />
      ))}
      {!isFromEnd && more}
    </ol>
  );
}
