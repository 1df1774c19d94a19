import { ranges } from "../../reporters/numbers.ts";
import { countText, durationText, tokensInWords } from "../../show/words.ts";
import type { PageConversation, PageStep } from "../data.ts";
import { Place } from "./copy.tsx";
import { SeverityIcon } from "./icons.tsx";
import { LogText, Prose } from "./log-text.tsx";
import { continuedStep, runOf } from "./places.ts";
import { RepairView } from "./repair-view.tsx";
import { ReplyView } from "./reply-view.tsx";
import { RequestView } from "./request-view.tsx";
import { usePage } from "./state.ts";

interface StepProps {
  readonly conversation: number;
  readonly step: number;
}

/** A step: its request against what it should have held, and its reply. */
export function StepView({ conversation: index, step: at }: StepProps) {
  const state = usePage();
  const conversation = state.data.conversations[index];
  const step = conversation?.steps[at];
  if (!conversation || !step) return <p class="empty">This log has no steps.</p>;
  const { request, reply } = step;
  const base = continuedStep(conversation, at);
  const isRepaired = state.view.value === "repaired" && state.repair.value >= 0;
  return (
    <article class="step" aria-labelledby={`step-${index}-${at}`}>
      <StepHead conversation={index} step={at} />
      <Notes step={step} conversation={conversation} at={at} />
      {request && (
        <section class="half" aria-label={`Request ${step.number}${runOf(state.data, conversation)}`}>
          <header>
            <h3>Request {step.number}</h3>
            {base >= 0 && (
              <span class="against">
                compared with request {conversation.steps[base]?.number ?? "?"} and its reply
              </span>
            )}
            <Place file={request.file ?? step.file} line={request.line} column={request.column} />
          </header>
          {isRepaired ? (
            <RepairView repair={state.repair.value} />
          ) : (
            <RequestView
              conversation={conversation}
              at={at}
              request={request}
              file={request.file ?? step.file}
            />
          )}
        </section>
      )}
      {reply && <ReplyView conversation={conversation} at={at} step={step} reply={reply} />}
      {!reply && request && conversation.kind === "requests" && (
        <section class="half" aria-label={`Reply ${step.number}${runOf(state.data, conversation)}`}>
          <header>
            <h3>Reply {step.number}</h3>
          </header>
          <p class="empty">The log has no reply to this request.</p>
        </section>
      )}
      <StepFoot conversation={index} step={at} />
    </article>
  );
}

function StepHead({ conversation: index, step: at }: StepProps) {
  const state = usePage();
  const step = state.data.conversations[index]?.steps[at];
  if (!step) return null;
  const { reply } = step;
  const facts = [
    step.model,
    step.time?.match(/T(\d\d:\d\d:\d\d)/)?.[1],
    step.durationMs === undefined ? undefined : durationText(step.durationMs),
    reply?.tokens && tokensInWords(reply.tokens),
  ].filter((fact) => fact !== undefined);
  return (
    <header class="step-head">
      <h2 id={`step-${index}-${at}`}>Step {step.number}</h2>
      <p class="facts" title={step.time}>
        <LogText text={facts.join(" · ")} />
      </p>
      {state.repair.value >= 0 && (
        <div class="switch" role="group" aria-label="What the request holds">
          <button
            type="button"
            aria-pressed={state.view.value === "sent"}
            onClick={() => {
              state.view.value = "sent";
            }}
          >
            What was sent
          </button>
          <button
            type="button"
            aria-pressed={state.view.value === "repaired"}
            onClick={() => {
              state.view.value = "repaired";
            }}
          >
            What should have been sent
          </button>
        </div>
      )}
    </header>
  );
}

/** The ways to the steps before and after, and what the next request does with this step. */
function StepFoot({ conversation: index, step: at }: StepProps) {
  const state = usePage();
  const steps = state.data.conversations[index]?.steps ?? [];
  const [before, after] = [steps[at - 1], steps[at + 1]];
  const gone = after?.request?.gone.length ?? 0;
  return (
    <footer class="step-foot">
      {before && (
        <button type="button" class="link" onClick={() => state.goTo({ conversation: index, step: at - 1 })}>
          Step {before.number}
        </button>
      )}
      <span class="against" />
      {gone > 0 && after && (
        <span class="trouble">
          {countText(gone, "item")} gone in request {after.number}
        </span>
      )}
      {after && (
        <button type="button" class="link" onClick={() => state.goTo({ conversation: index, step: at + 1 })}>
          Step {after.number}
        </button>
      )}
    </footer>
  );
}

/** What is unusual about a step: its findings, its relation to others, its loops. */
function Notes(props: {
  readonly step: PageStep;
  readonly conversation: PageConversation;
  readonly at: number;
}) {
  const state = usePage();
  const { step, conversation, at } = props;
  const remarks = [
    step.relationText,
    step.isAside ? "a side request: no later request continues it" : undefined,
    step.isPartial ? "the log has only a part of it" : undefined,
    step.isAborted ? "the client aborted it" : undefined,
    step.status !== undefined && step.status >= 400 ? `HTTP ${step.status}` : undefined,
  ].filter((remark) => remark !== undefined);
  const findings = (step.findings ?? []).flatMap((index) => {
    const finding = state.data.findings[index];
    return finding ? [{ finding, index }] : [];
  });
  const loops = conversation.loops.filter(({ steps }) => steps.includes(at));
  if (remarks.length + findings.length + loops.length === 0) return null;
  return (
    <ul class="notes">
      {findings.map(({ finding, index }) => (
        <li key={finding.id}>
          <button
            type="button"
            class={`note-finding ${finding.severity}`}
            onClick={() => state.goToFinding(index, "findings")}
          >
            <SeverityIcon severity={finding.severity} />
            <span>
              <Prose text={finding.message} />
            </span>
          </button>
        </li>
      ))}
      {loops.map((loop) => {
        const others = loop.steps.filter((other) => other !== at);
        const numbers = others.map((other) => conversation.steps[other]?.number ?? other + 1);
        return (
          <li class="note-loop" key={loop.steps.join()}>
            <span aria-hidden="true">↻</span>
            <span>
              <code>
                <LogText text={loop.calls.map(({ tool }) => tool).join(", ")} />
              </code>{" "}
              is called {loop.steps.length} times with the same arguments: also in{" "}
              {numbers.length === 1 ? "step" : "steps"} {ranges(numbers)}
              {loop.results === 1 ? "; the result is the same each time" : ""}
              {loop.cost ? `; the repeats cost ${loop.cost}` : ""}.
            </span>
          </li>
        );
      })}
      {remarks.length > 0 && (
        <li class="note-remark">
          <LogText text={remarks.join(" · ")} />
        </li>
      )}
    </ul>
  );
}
