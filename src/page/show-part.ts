import { countText, durationText, tokensText } from "../show/words.ts";
import type { PageConversation, PageData, PageStep } from "./data.ts";
import { html, type Markup } from "./markup.ts";

/** Steps of the outline; the app shows them all. */
const shownSteps = 500;

/** Items of a step in the outline. */
const shownItems = 6;

/** The conversations of a log in outline, for readers without scripts. */
export function* showPart(data: Pick<PageData, "title" | "conversations" | "items">): Generator<string> {
  const { conversations, items } = data;
  const [first] = conversations;
  yield html`<section id="verdict">
<h1>${first?.opening ?? data.title}</h1>
<p class="about">${[data.title, countText(conversations.length, "conversation"), ...new Set(conversations.map(({ protocol }) => protocol))].join(" · ")}</p>
</section>
<section id="outline">
`.html;
  let room = shownSteps;
  for (const conversation of conversations) {
    if (room <= 0) break;
    const steps = conversation.steps.slice(0, room);
    room -= steps.length;
    yield html`<h2>${conversation.name} · ${totalsText(conversation)}</h2>
<ol>
${steps.map((step) => stepMarkup(step, items))}</ol>
`.html;
    const more = conversation.steps.length - steps.length;
    if (more > 0) yield html`<p class="more">${countText(more, "more step")}</p>\n`.html;
  }
  yield "</section>\n";
}

function totalsText({ totals, steps }: PageConversation): string {
  const { turns, calls, tokens, durationMs } = totals;
  return [
    countText(steps.length, "step"),
    countText(turns, "turn"),
    countText(calls, "call"),
    ...(tokens ? [tokensText(tokens)] : []),
    ...(durationMs === null ? [] : [durationText(durationMs)]),
  ].join(" · ");
}

function stepMarkup({ number, relationText, request, reply }: PageStep, items: PageData["items"]): Markup {
  const words = [relationText, reply?.outcome, reply?.error].filter((word) => word !== undefined);
  const rows = [
    ...(request?.gone ?? []).map((one) => ({ sign: "−", one })),
    ...(request?.added ?? []).map((one) => ({ sign: "+", one })),
    ...(reply?.items ?? []).map((one) => ({ sign: "◂", one })),
  ];
  const listed = rows.slice(0, shownItems).flatMap(({ sign, one }) => {
    const item = items[one.item];
    return item
      ? [
          html`<li>${sign} ${item.kind === "message" ? item.role : item.kind} ${item.tool ?? ""} <code>${item.preview}</code></li>
`,
        ]
      : [];
  });
  const more = rows.length - shownItems;
  return html`<li value="${number}">${words.join(" · ")}<ul>
${listed}${
  more > 0 &&
  html`<li>${more} more</li>
`
}</ul></li>
`;
}
