import { useEffect, useRef, useState } from "preact/hooks";
import { ranges } from "../../reporters/numbers.ts";
import { bytesText, countText, durationText, tokensInWords } from "../../show/words.ts";
import type { Occurrence, PageConversation, PageData, PageReply, PageRequest, PageStep } from "../data.ts";
import { Place } from "./copy.tsx";
import { SeverityIcon } from "./icons.tsx";
import { Item, Items } from "./item.tsx";
import { LogText, LongText, Prose } from "./log-text.tsx";
import { continuedStep, sentAgain } from "./places.ts";
import { RepairView } from "./repair-view.tsx";
import { usePage } from "./state.ts";
import { wordDiff } from "./word-diff.ts";

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

/** In a diff, two steps with one number are in view. */
function runOf({ diff, conversations }: PageData, conversation: PageConversation): string {
  if (!diff) return "";
  return conversation === conversations[0] ? " of the left run" : " of the right run";
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

interface RequestProps {
  readonly conversation: PageConversation;
  readonly at: number;
  readonly request: PageRequest;
  readonly file: number;
}

function RequestView({ conversation, at, request, file }: RequestProps) {
  const { data } = usePage();
  const { system, tools, changed } = request;
  const lost = request.gone.reduce((sum, { item }) => sum + (data.items[item]?.bytes ?? 0), 0);
  const isLoss = request.loss !== null || (conversation.steps[at]?.findings ?? []).length > 0;
  return (
    <>
      <Kept conversation={conversation} at={at} file={file} />
      {system === null && <Group name="System prompt gone" mark="gone" />}
      {typeof system === "number" && <SystemPrompt text={system} isNew={at > 0} />}
      {tools !== undefined && (
        <Group
          name={
            tools === null
              ? "Tools gone"
              : at === 0
                ? `Offers ${countText(tools.length, "tool")}`
                : `Now offers ${countText(tools.length, "tool")}`
          }
          mark={tools === null ? "gone" : "plain"}
        >
          {tools && (
            <p class="tools">
              {tools.map((tool) => (
                <code key={tool}>
                  <LogText text={tool} />
                </code>
              ))}
            </p>
          )}
        </Group>
      )}
      {request.gone.length > 0 && (
        <Group
          name="Gone"
          mark={isLoss ? "gone" : "plain"}
          detail={`${countText(request.gone.length, "item")}, ${bytesText(lost)}: the model no longer sees this`}
        >
          <Items items={request.gone} file={file} sign="gone" shownAtFirst={8} />
        </Group>
      )}
      {changed.length > 0 && (
        <Group name="Changed" mark="gone" detail="not what was sent or received before">
          {changed.map(({ what, before, after }) => (
            <Changed
              key={`${before.item} ${after.item}`}
              what={what}
              before={before}
              after={after}
              file={file}
            />
          ))}
        </Group>
      )}
      {request.moved.length > 0 && (
        <Group name="Moved" detail="to another place in the history">
          <Items items={request.moved} file={file} sign="moved" />
        </Group>
      )}
      {request.added.length > 0 && (
        <Group name="New in this request">
          <Items items={request.added} file={file} sign="new" />
        </Group>
      )}
      {request.unanswered.length > 0 && (
        <Group name="Unanswered" mark="gone" detail="calls that have no result in this request">
          <Items items={request.unanswered} file={file} sign="unanswered" />
        </Group>
      )}
      {request.added.length + request.gone.length + changed.length === 0 && at > 0 && (
        <p class="empty">Nothing is new in this request.</p>
      )}
    </>
  );
}

interface GroupProps {
  readonly name: string;
  readonly mark?: "gone" | "plain";
  readonly detail?: string;
  readonly children?: preact.ComponentChildren;
}

function Group({ name, mark = "plain", detail, children }: GroupProps) {
  return (
    <section class={`group ${mark}`}>
      <h4>
        {name}
        {detail && (
          <span class="detail">
            <LogText text={detail} />
          </span>
        )}
      </h4>
      {children}
    </section>
  );
}

/** What the request sends again, folded to one line. */
function Kept({ conversation, at, file }: Omit<RequestProps, "request">) {
  const { data } = usePage();
  const [isOpen, setOpen] = useState(false);
  const items = sentAgain(conversation, at);
  if (items.length === 0) return null;
  const bytes = items.reduce((sum, { item }) => sum + (data.items[item]?.bytes ?? 0), 0);
  return (
    <section class="group kept">
      <h4>
        <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Sent (history)
          <span class="detail">
            {countText(items.length, "item")}, {bytesText(bytes)}
          </span>
        </button>
      </h4>
      {isOpen && <Items items={items} file={file} isQuiet isFromEnd />}
    </section>
  );
}

/** A system prompt, folded to one line: some clients write the time into it, and so change it each time. */
function SystemPrompt({ text, isNew }: { readonly text: number; readonly isNew: boolean }) {
  const { texts } = usePage();
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="group kept">
      <h4>
        <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          System prompt
          <span class="detail">
            {isNew && "changed, "}
            {bytesText(texts.size(text))}
          </span>
        </button>
      </h4>
      {isOpen && <LongText text={text} />}
    </section>
  );
}

interface ChangedProps {
  readonly what: string;
  readonly before: Occurrence;
  readonly after: Occurrence;
  readonly file: number;
}

/** Texts above which no word diff is made: nobody reads it. */
const maxCompared = 200_000;

/** An item before and after, word by word. */
function Changed({ what, before, after, file }: ChangedProps) {
  const { data, texts } = usePage();
  const [pair, setPair] = useState<readonly [string, string] | null>(null);
  useEffect(() => {
    let isWanted = true;
    const contentOf = (number: number): Promise<string> | string => {
      const item = data.items[number];
      if (item?.text === undefined || texts.isLeftOut(item.text) || texts.size(item.text) > maxCompared)
        return item?.preview ?? "";
      return texts.read(item.text);
    };
    Promise.all([contentOf(before.item), contentOf(after.item)]).then(
      (both) => isWanted && setPair(both),
      () =>
        isWanted && setPair([data.items[before.item]?.preview ?? "", data.items[after.item]?.preview ?? ""]),
    );
    return () => {
      isWanted = false;
    };
  }, [before.item, after.item]);
  const item = data.items[after.item];
  return (
    <div class="changed">
      <p class="changed-head">
        <span class="name">{item?.tool ?? item?.role}</span> <LogText text={what} />
        <Place file={file} line={after.line} column={after.column} />
      </p>
      <pre class="log">{pair && <WordDiff before={pair[0]} after={pair[1]} />}</pre>
    </div>
  );
}

/** Characters of unchanged text around a change. */
const around = 120;

function WordDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const slices = wordDiff(before, after);
  return (
    <>
      {slices.map(({ text, is }, index) => {
        const key = `${index}`;
        if (is === "gone")
          return (
            <del key={key}>
              <LogText text={text} />
            </del>
          );
        if (is === "new")
          return (
            <ins key={key}>
              <LogText text={text} />
            </ins>
          );
        const isFirst = index === 0;
        const isLast = index === slices.length - 1;
        if (text.length <= around * 2 + 20) return <LogText key={key} text={text} />;
        return (
          <span key={key}>
            {!isFirst && <LogText text={text.slice(0, around)} />}
            <span class="cut"> … </span>
            {!isLast && <LogText text={text.slice(-around)} />}
          </span>
        );
      })}
    </>
  );
}

interface ReplyProps {
  readonly conversation: PageConversation;
  readonly at: number;
  readonly step: PageStep;
  readonly reply: PageReply;
}

function ReplyView({ conversation, at, step, reply }: ReplyProps) {
  const state = usePage();
  const next = conversation.steps[at + 1];
  const lost = new Set(next?.request?.gone.map(({ item }) => item));
  return (
    <section class="half reply" aria-label={`Reply ${step.number}${runOf(state.data, conversation)}`}>
      <header>
        <h3>Reply {step.number}</h3>
        {reply.outcome && (
          <span class="against">
            <LogText text={reply.outcome} />
          </span>
        )}
        {reply.isOpen && <span class="against">the log ends inside it</span>}
        <Place file={reply.file ?? step.file} line={reply.line} column={reply.column} />
      </header>
      {reply.error && (
        <p class="trouble">
          <LogText text={reply.error} />
        </p>
      )}
      <ol class="items">
        {reply.items.map((occurrence, index) => {
          const partner = data(state, occurrence.item)?.partner;
          const kind = data(state, occurrence.item)?.kind;
          const result = kind === "call" && partner !== undefined ? data(state, partner) : undefined;
          const place = partner === undefined ? undefined : state.places.get(partner);
          const number = place && state.data.conversations[place.conversation]?.steps[place.step]?.number;
          return [
            <Item
              key={`${index} ${occurrence.item}`}
              occurrence={occurrence}
              file={reply.file ?? step.file}
              note={
                lost.has(occurrence.item) && next ? `request ${next.number} does not carry this` : undefined
              }
            />,
            result && partner !== undefined && (
              <Item
                key={`result ${partner}`}
                occurrence={{ item: partner, line: result.place.line, column: result.place.column }}
                file={result.place.file}
                sign="answer"
                note={number === undefined ? undefined : `sent in request ${number}`}
                isQuiet
              />
            ),
          ];
        })}
      </ol>
      {reply.items.length === 0 && !reply.error && <p class="empty">The reply is empty.</p>}
      {reply.events !== undefined && <Events text={reply.events} />}
    </section>
  );
}

function data(state: ReturnType<typeof usePage>, item: number) {
  return state.data.items[item];
}

/** The events of a stream as they stand in the log. */
function Events({ text }: { readonly text: number }) {
  const state = usePage();
  const isOpen = state.areEventsShown.value;
  const element = useRef<HTMLDivElement>(null);
  return (
    <div class="events" ref={element}>
      <button
        type="button"
        class="fold"
        aria-expanded={isOpen}
        onClick={() => {
          state.areEventsShown.value = !isOpen;
        }}
      >
        Events of the stream, {bytesText(state.texts.size(text))}
      </button>
      {isOpen && <LongText text={text} />}
    </div>
  );
}
