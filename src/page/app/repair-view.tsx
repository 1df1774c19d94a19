import { useEffect, useState } from "preact/hooks";
import { bytesText, countText } from "../../show/words.ts";
import type { PageRepair, RepairedItem } from "../data.ts";
import { nameOf } from "./item.tsx";
import { LogText } from "./log-text.tsx";
import { usePage } from "./state.ts";

/** Lines of a repair that are shown at first. */
const shownAtFirst = 400;

/** Items that are shown at first. */
const itemsAtFirst = 12;

const signs = { added: "+", removed: "−", changed: "~" } as const;

/** A request as it should have been sent: what goes in, what goes out, and on demand the diff. */
export function RepairView({ repair: index }: { readonly repair: number }) {
  const { data } = usePage();
  const repair = data.repairs[index];
  const [isWhole, setWhole] = useState(false);
  const [isDiff, setDiff] = useState(false);
  if (!repair) return null;
  const shown = isWhole ? repair.items : repair.items.slice(0, itemsAtFirst);
  const all = repair.sums.reduce((sum, { count }) => sum + count, 0);
  return (
    <div class="repair">
      <ul class="edits">
        {repair.edits.map(({ title, safety, finding }) => (
          <li key={`${finding} ${title}`}>
            <LogText text={title} /> <span class="safety">{safety}</span>
          </li>
        ))}
      </ul>
      {repair.isRest && <p class="note">The repair of an earlier request shows the other changes.</p>}
      {all > 0 && (
        <section class="group plain">
          <h4>
            {repair.sums.map(({ sign, count }) => `${countText(count, "item")} ${sign}`).join(", ")}
            <span class="detail">{repair.sums.map(({ bytes }) => bytesText(bytes)).join(", ")}</span>
          </h4>
          <ol class="items">
            {shown.map((item, number) => (
              <Repaired key={number} item={item} />
            ))}
            {shown.length < repair.items.length && (
              <li class="more">
                <button type="button" class="quiet" onClick={() => setWhole(true)}>
                  {countText(all - shown.length, "more item")}: show
                </button>
              </li>
            )}
            {shown.length === repair.items.length && all > shown.length && (
              <li class="more">{countText(all - shown.length, "more item")}: see the diff</li>
            )}
          </ol>
        </section>
      )}
      <button type="button" class="fold" aria-expanded={isDiff} onClick={() => setDiff(!isDiff)}>
        The diff of the request
      </button>
      {isDiff && <Diff repair={repair} />}
    </div>
  );
}

function Repaired({ item }: { readonly item: RepairedItem }) {
  return (
    <li class={`item ${item.kind} from-${item.role} is-${item.sign === "removed" ? "gone" : "new"}`}>
      <span class="sign" title={item.sign}>
        {signs[item.sign]}
        <span class="off-screen">{item.sign}</span>
      </span>
      <span class="name">{nameOf(item)}</span>
      <div class="content">
        <span class="line">
          {item.tool !== undefined && (
            <b class="tool">
              <LogText text={item.tool} />
            </b>
          )}
          <LogText text={item.preview} />
        </span>
      </div>
      <span class="size">{bytesText(item.bytes)}</span>
    </li>
  );
}

/** A request as it was sent and as it should have been sent, as a diff. */
function Diff({ repair }: { readonly repair: PageRepair }) {
  const { texts } = usePage();
  const [lines, setLines] = useState<readonly string[] | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isWhole, setWhole] = useState(false);
  useEffect(() => {
    let isWanted = true;
    setLines(null);
    setTrouble(null);
    if (texts.isLeftOut(repair.diff)) setTrouble("This diff is omitted to keep the page small.");
    else
      texts.read(repair.diff).then(
        (text) => isWanted && setLines(text === "" ? [] : text.replace(/\n$/, "").split("\n")),
        (error) => isWanted && setTrouble(`This diff cannot be decoded: ${error}`),
      );
    return () => {
      isWanted = false;
    };
  }, [repair]);
  const shown = isWhole ? lines : lines?.slice(0, shownAtFirst);
  return (
    <>
      {trouble && <p class="note">{trouble}</p>}
      <pre class="log diff">
        {shown?.map((line, number) => {
          return <DiffLine key={number} line={line} />;
        })}
      </pre>
      {!isWhole && lines && lines.length > shownAtFirst && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {lines.length.toLocaleString("en")} lines
        </button>
      )}
    </>
  );
}

function DiffLine({ line }: { readonly line: string }) {
  if (line.startsWith("@@")) return <span class="hunk">{line.replace(/^@@ | @@$/g, "")}</span>;
  const content = <LogText text={`${line.slice(0, 1)} ${line.slice(1)}`} />;
  if (line.startsWith("+")) return <ins>{content}</ins>;
  return line.startsWith("-") ? <del>{content}</del> : <span class="context">{content}</span>;
}
