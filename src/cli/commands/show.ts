import { type CheckedLog, openLog, openRun, wholeOf } from "../../check/check.ts";
import { describe, type Selection } from "../../show/describe.ts";
import { showJson } from "../../show/json.ts";
import { printed } from "../../show/print.ts";
import type { ShownLog } from "../../show/shown.ts";
import { settingsByPath, typedSettings } from "../config/file-settings.ts";
import { configOf } from "../config/find.ts";
import { openInputs } from "../files/inputs.ts";
import { notUnderstood } from "../files/logs.ts";
import { wantsColor } from "../terminal/color.ts";
import { complaint } from "../terminal/complaint.ts";
import { type Io, print, printPieces, widthOf } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice, conversationName, exchangeRange } from "../usage/values.ts";

/** `toollint show <log>`: says its exit code. */
export async function show(invocation: Invocation, io: Io): Promise<number> {
  const isJson = choice(invocation, "format", ["text", "json"]) === "json";
  const color = choice(invocation, "color", ["auto", "always", "never"]);
  const settingsOf = await settingsByPath(await configOf(invocation, io), typedSettings(invocation), io);
  const selection = selectionOf(invocation);
  const [path = ""] = invocation.words;
  const { files, troubles, searched } = await openInputs([path], io);
  try {
    if (troubles.length > 0) throw new Trouble(troubles.join("\n"));
    const whole = wholeOf(files);
    const file = whole ? { path, source: whole.source } : files[0];
    if (!file) throw new Trouble(severalLogs(path, files));
    const settings = settingsOf(file.path);
    const asked = settings.container ?? whole?.container;
    const checked =
      whole || (files.length === 1 && searched.length === 0)
        ? await openLog(file, { ...settings, ...(asked && { container: asked }) })
        : await openRun(files, path, settingsOf);
    if (!checked) throw new Trouble(severalLogs(path, files));
    if (checked.log.exchanges.length === 0) {
      throw new Trouble(notUnderstood("show", { source: file.source, advice: checked.log.advice }, settings));
    }
    const shown = shownLog(checked, selection);
    if (shown.conversations.length === 0) throw new Trouble(nothingSelected(checked, selection));
    const showValues = invocation.has("show-values");
    if (isJson) {
      if (showValues)
        await print(
          io.stderr,
          complaint("`--show-values` has no effect on data: credentials stay masked in it"),
        );
      await printPieces(io.stdout, showJson(shown));
    } else {
      const style = {
        color: wantsColor(color, io.env, io.isTTY),
        width: widthOf(io),
        showValues,
        isFull: invocation.has("full"),
      };
      await print(io.stdout, printed(shown, style));
    }
    return 0;
  } finally {
    for (const { source } of files) source.close();
  }
}

function selectionOf(invocation: Invocation): Selection {
  const conversation = conversationName(invocation);
  const exchanges = exchangeRange(invocation);
  return { ...(conversation !== undefined && { conversation }), ...(exchanges && { exchanges }) };
}

function severalLogs(path: string, files: readonly { readonly path: string }[]): string {
  const [first] = files;
  if (!first) return `${path} has no files that could be logs`;
  return `${path} is not one log but ${files.length} file${files.length === 1 ? "" : "s"}: name one, such as \`toollint show ${first.path}\``;
}

function nothingSelected({ conversations, log }: CheckedLog, { conversation, exchanges }: Selection): string {
  const last = conversations.at(-1)?.name;
  if (conversation !== undefined && !conversations.some(({ name }) => name === conversation)) {
    return `there is no conversation ${conversation}: ${conversations.length === 1 ? `the only one is ${last}` : `they are c1 to ${last}`}`;
  }
  if (exchanges && exchanges.from > log.exchanges.length)
    return `there is no exchange ${exchanges.from}: the last one is ${log.exchanges.length}`;
  return `${conversation} has none of these exchanges`;
}

function shownLog({ path, log, conversations }: CheckedLog, selection: Selection): ShownLog {
  return {
    schemaVersion: "1.0",
    tool: { name: "toollint", version: __VERSION__ },
    file: {
      path,
      container: log.container,
      kind: log.kind,
      protocols: [...new Set(log.exchanges.map(({ protocol }) => protocol))].sort(),
      exchanges: log.exchanges.length,
      conversations: conversations.length,
    },
    conversations: describe(conversations, selection),
  };
}
