import { useRef } from "preact/hooks";
import { bytesText } from "../../show/words.ts";
import type { PageConversation, PageReply, PageStep } from "../data.ts";
import { Place } from "./copy.tsx";
import { Item } from "./item.tsx";
import { LogText, LongText } from "./log-text.tsx";
import { runOf } from "./places.ts";
import { usePage } from "./state.ts";

interface ReplyProps {
  readonly conversation: PageConversation;
  readonly at: number;
  readonly step: PageStep;
  readonly reply: PageReply;
}

/** A reply, with the results that its calls got later. */
export function ReplyView({ conversation, at, step, reply }: ReplyProps) {
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
              note={lost.has(occurrence.item) && next ? `request ${next.number} lacks this` : undefined}
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
