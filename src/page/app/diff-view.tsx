import { LogText, Prose } from "./log-text.tsx";
import { usePage } from "./state.ts";
import { StepView } from "./step-view.tsx";
import { StepContent } from "./steps-column.tsx";
import { Windowed } from "./windowed.tsx";

/** The left and the right run, aligned step by step. */
export function DiffRows() {
  const state = usePage();
  const { diff, conversations, files } = state.data;
  if (!diff) return null;
  const [left, right] = conversations;
  const nameOf = (file: number | undefined): string => files[file ?? 0]?.path.replace(/^.*\//, "") ?? "";
  const current = state.diffRow.value;
  return (
    <>
      <div class="diff-names" aria-hidden="true">
        <span>
          <LogText text={nameOf(left?.file)} />
        </span>
        <span>
          <LogText text={nameOf(right?.file)} />
        </span>
      </div>
      <div class="steps-list">
        <Windowed
          count={diff.rows.length}
          rowHeight={28}
          current={current}
          attributes={{
            role: "listbox",
            "aria-label": "Steps of both runs",
            "aria-activedescendant": current >= 0 ? `row-${current}` : undefined,
          }}
          row={(index) => {
            const row = diff.rows[index];
            if (!row) return null;
            const sides = [left?.steps[row.left], right?.steps[row.right]];
            const isInView = state.place.value.conversation === 0 ? row.left >= 0 : row.right >= 0;
            return (
              <div
                key={index}
                id={`row-${index}`}
                role="option"
                aria-selected={index === current}
                class={`diff-row ${row.state}${index === current ? " is-current" : ""}${index === diff.first ? " is-first" : ""}`}
                data-step={
                  isInView && !state.isListHidden
                    ? (sides[state.place.value.conversation] ?? sides[0] ?? sides[1])?.number
                    : undefined
                }
                onClick={() => state.goToDiffRow(index)}
              >
                {sides.map((step, side) => (
                  <span class="side" key={side === 0 ? "left" : "right"}>
                    {step ? (
                      <>
                        <span class="number">{step.number}</span>
                        <StepContent step={step} />
                      </>
                    ) : (
                      <span class="none">–</span>
                    )}
                  </span>
                ))}
              </div>
            );
          }}
        />
      </div>
    </>
  );
}

/** What differs in a pair of steps, and both of them. */
export function DiffView() {
  const state = usePage();
  const { diff } = state.data;
  const row = diff?.rows[state.diffRow.value];
  if (!diff || !row) return <p class="empty">The runs have no steps.</p>;
  const words = {
    same: "These steps are the same.",
    different: "These steps differ.",
    "only-left": "Only the left run has this step.",
    "only-right": "Only the right run has this step.",
  };
  return (
    <div class="diff-view">
      <div class="diff-verdict">
        <p>
          <strong>
            {state.diffRow.value === diff.first ? "The runs diverge here. " : ""}
            {words[row.state]}
          </strong>
          {diff.first >= 0 && state.diffRow.value !== diff.first && (
            <>
              {" "}
              <button type="button" class="link" onClick={() => state.goToDiffRow(diff.first)}>
                first divergence
              </button>
            </>
          )}
        </p>
        {row.differences.length > 0 && (
          <ul>
            {row.differences.map((difference) => (
              <li key={difference}>
                <Prose text={difference} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <div class="pair">
        {[row.left, row.right].map((step, side) => (
          <div class="side" key={side === 0 ? "left" : "right"}>
            {step < 0 ? (
              <p class="empty">No such step in the {side === 0 ? "left" : "right"} run.</p>
            ) : (
              <StepView conversation={side} step={step} />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
