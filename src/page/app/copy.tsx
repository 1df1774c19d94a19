import { useState } from "preact/hooks";
import { usePage } from "./state.ts";

/** Copies a text; false if the browser does not let the page do so. */
export async function copied(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // A frame or a local file may lack the permission; the old way needs none.
    }
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "off-screen";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  return isCopied;
}

/** A place in a log, which a click copies. */
export function Place(props: { readonly file: number; readonly line: number; readonly column: number }) {
  const { data } = usePage();
  const [state, setState] = useState<"copied" | "not copied" | null>(null);
  const place = `${props.line}:${props.column}`;
  const whole = `${data.files[props.file]?.path ?? ""}:${place}`;
  return (
    <button
      type="button"
      class="place"
      title={`Copy ${whole}`}
      onClick={async (event) => {
        event.stopPropagation();
        setState((await copied(whole)) ? "copied" : "not copied");
        setTimeout(() => setState(null), 1200);
      }}
    >
      {state ?? place}
    </button>
  );
}
