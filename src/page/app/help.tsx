import { useLayoutEffect, useRef } from "preact/hooks";
import { type State, usePage } from "./state.ts";

/** The keys that mean something on this page, and what they do. */
const keysOf = ({ data, repair }: State): readonly (readonly [keys: string, does: string])[] => [
  ["j  k", "next step, previous step"],
  ["n  p", "next finding, previous finding"],
  ["Enter", "open the step"],
  ["e", "the events of the stream"],
  [
    "f",
    repair.value < 0 ? "the repair of a step; this one has none" : "what should have been sent: the repair",
  ],
  ...(data.diff
    ? [
        [
          "g",
          data.diff.first < 0
            ? "the step where two runs diverge; these do not"
            : "the step where two runs diverge",
        ] as const,
      ]
    : []),
  ["t", "all calls with their results"],
  ["/", "search; Enter and Shift+Enter: next match, previous match"],
  ["?", "this list"],
  ["Esc", "close, or end the search"],
];

/** The keys, over the page. */
export function Help() {
  const state = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = state.isHelpShown.value;
  useLayoutEffect(() => {
    if (isShown) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isShown]);
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="help-title"
      onClose={() => {
        state.isHelpShown.value = false;
      }}
    >
      <h2 id="help-title">Keys</h2>
      <dl>
        {keysOf(state).map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split(/\s+/).map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="note">
        The URL links to the step in view. The page works offline and loads nothing. Written by toollint{" "}
        {state.data.version}.
      </p>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
