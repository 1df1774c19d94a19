import { useEffect, useState } from "preact/hooks";
import { bytesText } from "../../show/words.ts";
import type { TextNumber } from "../data.ts";
import { usePage } from "./state.ts";
import { slicesOf } from "./visible.ts";

/** Text from a log, with what nobody sees made visible and what the search found marked. */
export function LogText({ text }: { readonly text: string }) {
  const { pattern } = usePage();
  return (
    <>
      {slicesOf(text, pattern.value).map(({ text: part, is }, index) => {
        if (is === "plain") return part;
        return is === "found" ? <mark key={index}>{part}</mark> : <Escape key={index} text={part} />;
      })}
    </>
  );
}

/** A sentence of the report, with code in backticks. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/(`[^`]+`)/).map((part, index) =>
        part.length > 2 && part.startsWith("`") ? (
          <code key={index}>
            <LogText text={part.slice(1, -1)} />
          </code>
        ) : (
          <LogText key={index} text={part} />
        ),
      )}
    </>
  );
}

function Escape({ text }: { readonly text: string }) {
  return (
    <span class="escape" title="an invisible character">
      {text}
    </span>
  );
}

/** Characters of a long text that are shown at first. */
const shownAtFirst = 4000;

/** A text from its block, decoded when it is shown; the first part of it, and all on demand. */
export function LongText({ text }: { readonly text: TextNumber }) {
  const { texts } = usePage();
  const [content, setContent] = useState<string | Error | null>(null);
  const isLeftOut = texts.isLeftOut(text);
  useEffect(() => {
    let isWanted = true;
    setContent(null);
    if (!isLeftOut)
      texts.read(text).then(
        (read) => isWanted && setContent(read),
        (error) => isWanted && setContent(error instanceof Error ? error : new Error(String(error))),
      );
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (isLeftOut) return <p class="note">This text is omitted to keep the page small. It is in the log.</p>;
  if (content instanceof Error)
    return <p class="note">This text cannot be decoded: {content.message}. It is in the log.</p>;
  return content === null ? <pre class="log">…</pre> : <LongContent content={content} />;
}

/** A long text: the first part of it, and all on demand. */
export function LongContent({ content }: { readonly content: string }) {
  const { pattern } = usePage();
  const [isWhole, setWhole] = useState(false);
  const found = pattern.value ? content.search(pattern.value) : -1;
  const size = Math.max(shownAtFirst, found < 0 ? 0 : found + 1000);
  const isCut = !isWhole && content.length > size * 1.1;
  return (
    <>
      <pre class="log">
        <LogText text={isCut ? content.slice(0, size) : content} />
        {isCut && "…"}
      </pre>
      {isCut && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all, {bytesText(content.length)}
        </button>
      )}
    </>
  );
}
