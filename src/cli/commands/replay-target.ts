import { type HeaderList, isFieldValue } from "../../http/client.ts";
import { protocolNamed } from "../../protocols/index.ts";
import { supported } from "../../protocols/protocol.ts";
import { providers } from "../../protocols/providers.ts";
import { baseUrlOf, keyVariables, type ReplayTarget } from "../../replay/target.ts";
import { shellWord } from "../../reporters/shell.ts";
import { answer } from "../terminal/ask.ts";
import type { Io } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { named } from "../usage/values.ts";
import { isClear } from "./clear-address.ts";
import { localServers } from "./local-servers.ts";
import { proxyFor } from "./proxies.ts";

/**
 * Where to send the request: no host that only the log names. `keyless` says which key a dry run lacks;
 * `command` is the one to type again with a target.
 */
export async function targetOf(
  invocation: Invocation,
  protocol: string,
  log: string,
  io: Io,
  command = "replay",
): Promise<ReplayTarget & { readonly keyless?: string }> {
  const provider = providerOf(invocation, protocol);
  const typed = invocation.one("base-url");
  const base = typed === undefined ? provider?.base : urlOf(typed);
  const found = base ?? (await askForTarget(protocol, log, io, command));
  const keyName = invocation.one("api-key-env");
  const variables =
    provider && typed === undefined && keyName === undefined ? provider.keys : keyVariables(found, keyName);
  const holder = variables.find((name) => io.env[name]?.trim());
  // A key read from a file ends with a line feed.
  const key = holder === undefined ? undefined : io.env[holder]?.trim();
  if (holder !== undefined && !isFieldValue(key ?? ""))
    throw new Trouble(
      `${holder} contains characters that are not allowed in a header: set it to the key only`,
    );
  const keyless =
    key === undefined && variables.length > 0
      ? `${found.host} requires a key: set ${variables.join(" or ")}, or name another variable with \`--api-key-env\``
      : undefined;
  // A dry run needs no key.
  if (keyless !== undefined && !invocation.has("dry-run")) throw new Trouble(keyless);
  const model = invocation.one("model");
  const isStreaming = invocation.has("stream") ? true : invocation.has("no-stream") ? false : undefined;
  return {
    base: found,
    proxyFor,
    headers: invocation.all("header").map(headerOf),
    ...(key !== undefined && { key }),
    ...(keyless !== undefined && { keyless }),
    ...(model !== undefined && { model }),
    ...(isStreaming !== undefined && { isStreaming }),
  };
}

function providerOf(
  invocation: Invocation,
  protocol: string,
): { base: URL; keys: readonly string[] } | undefined {
  const provider = named(invocation, "provider", providers);
  if (!provider) return undefined;
  const base = baseUrlOf(provider, protocol);
  if (base) return { base, keys: provider.keys };
  const speakers = providers.filter((one) => baseUrlOf(one, protocol)).map(({ name }) => name);
  throw new Trouble(
    `${provider.name} does not speak the log's protocol, ${protocol}: use \`--provider ${speakers.join("|")}\`, or translate the history with \`--to\``,
  );
}

function urlOf(typed: string): URL {
  if (URL.canParse(typed) && /^https?:$/.test(new URL(typed).protocol)) {
    const url = new URL(typed);
    if (isClear(url)) {
      const secure = `https://${url.host}${url.pathname.replace(/\/$/, "")}`;
      throw new Trouble(
        `\`--base-url ${typed}\` would send the key and the history unencrypted: \`--base-url ${secure}\``,
      );
    }
    return url;
  }
  throw new Trouble(`\`--base-url\` needs an address such as \`http://127.0.0.1:8000/v1\`, not \`${typed}\``);
}

function headerOf(text: string): HeaderList[number] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined || !isFieldValue(value))
    throw new Trouble(`\`--header\` needs a name and a value, such as \`'X-Team: agents'\`, not \`${text}\``);
  return [name, value];
}

/** Whether standard input is a terminal, so that a user can answer. */
export function isInteractive(io: Io): boolean {
  return (io.stdin as { isTTY?: boolean }).isTTY === true;
}

/** On a terminal asks which local server to use; otherwise throws what to type. */
async function askForTarget(protocol: string, log: string, io: Io, command: string): Promise<URL> {
  const speakers = providers
    .filter((one) => baseUrlOf(one, protocol) && one.keys.length > 0)
    .map(({ name }) => name);
  const [speaker = "openai"] = speakers;
  const typeNext = `no target given: type \`toollint ${command} ${shellWord(log)} --provider ${speaker}\`${speakers.length > 1 ? ` (or ${speakers.slice(1).join(", ")})` : ""}, or \`--base-url http://127.0.0.1:11434${supported(protocolNamed(protocol)?.endpoint)?.basePath ?? ""}\` for your own server`;
  if (!io.isTTY || !isInteractive(io)) throw new Trouble(typeNext);
  const servers = await localServers(protocol);
  if (servers.length === 0) throw new Trouble(`no local server serves ${protocol}, and ${typeNext}`);
  const lines = servers.map(({ name, base }, at) => `  ${at + 1}  ${name} at ${base.href}`);
  const said = await answer(
    io,
    `${["Servers on this machine:", ...lines, `Which one? [1${servers.length > 1 ? `-${servers.length}` : ""}] `].join("\n")}`,
  );
  const server = servers[Number(said.trim() || "1") - 1];
  if (!server) throw new Trouble("nothing was sent");
  return server.base;
}
