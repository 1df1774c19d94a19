import { useEffect, useState } from "preact/hooks";
import { bytesText, countText } from "../../show/words.ts";
import type { Occurrence, PageConversation, PageRequest } from "../data.ts";
import { Place } from "./copy.tsx";
import { Items } from "./item.tsx";
import { LogText, LongText } from "./log-text.tsx";
import { sentAgain } from "./places.ts";
import { usePage } from "./state.ts";
import { wordDiff } from "./word-diff.ts";

interface RequestProps {
  readonly conversation: PageConversation;
  readonly at: number;
  readonly request: PageRequest;
  readonly file: number;
}

/** A request against what it should have held: what is new, gone and changed. */
export function RequestView({ conversation, at, request, file }: RequestProps) {
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
