import { useEffect, useState } from "preact/hooks";
import { LogText } from "./log-text.tsx";
import { usePage } from "./state.ts";

/** Lines of a repair that are shown at first. */
const shownAtFirst = 400;

/** A request as it was sent and as it should have been sent, as a diff. */
export function RepairView({ repair: index }: { readonly repair: number }) {
  const { data, texts } = usePage();
  const repair = data.repairs[index];
  const [lines, setLines] = useState<readonly string[] | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isWhole, setWhole] = useState(false);
  useEffect(() => {
    if (!repair) return;
    let isWanted = true;
    setLines(null);
    setTrouble(null);
    if (texts.isLeftOut(repair.diff)) setTrouble("This diff is left out, since the page would be too large.");
    else
      texts.read(repair.diff).then(
        (text) => isWanted && setLines(text === "" ? [] : text.replace(/\n$/, "").split("\n")),
        (error) => isWanted && setTrouble(`This diff cannot be decoded: ${error}`),
      );
    return () => {
      isWanted = false;
    };
  }, [repair]);
  if (!repair) return null;
  const shown = isWhole ? lines : lines?.slice(0, shownAtFirst);
  return (
    <div class="repair">
      <ul class="edits">
        {repair.edits.map(({ title, safety, finding }) => (
          <li key={`${finding} ${title}`}>
            <LogText text={title} /> <span class="safety">{safety}</span>
          </li>
        ))}
      </ul>
      {trouble && <p class="note">{trouble}</p>}
      {repair.isRest && <p class="note">The repair of an earlier request shows the other changes.</p>}
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
    </div>
  );
}

function DiffLine({ line }: { readonly line: string }) {
  if (line.startsWith("@@")) return <span class="hunk">{line.replace(/^@@ | @@$/g, "")}</span>;
  const content = <LogText text={`${line.slice(0, 1)} ${line.slice(1)}`} />;
  if (line.startsWith("+")) return <ins>{content}</ins>;
  return line.startsWith("-") ? <del>{content}</del> : <span class="context">{content}</span>;
}
