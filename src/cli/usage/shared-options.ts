import type { Option } from "./command.ts";

const help: Option = { name: "help", short: "h", help: "show this help", group: "General" };
const color: Option = {
  name: "color",
  value: "auto|always|never",
  bare: "always",
  help: "colours (default: auto); --no-color for none",
  group: "General",
};
const config: Option = {
  name: "config",
  value: "FILE",
  help: "a config file (default: the nearest toollint.config.json or .jsonc, from here upwards)",
  group: "General",
};
const noConfig: Option = { name: "no-config", help: "read no config file", group: "General" };
const container: Option = {
  name: "container",
  value: "NAME",
  help: "the container of the log, if toollint cannot recognise it",
  group: "Reading the log",
};
const protocol: Option = {
  name: "protocol",
  value: "NAME",
  help: "read only this protocol's traffic",
  group: "Reading the log",
};
const conversation: Option = {
  name: "conversation",
  value: "c1",
  help: "only this conversation",
  group: "Reading the log",
};
const exchange: Option = {
  name: "exchange",
  value: "40-60",
  help: "only these exchanges: a number or a range",
  group: "Reading the log",
};
const format: Option = {
  name: "format",
  value: "text|json",
  help: "for people or for programs (default: text)",
  group: "Output",
};
const page: Option = {
  name: "format",
  value: "text|json|html",
  help: "for people, for programs, or a page for the browser (default: text)",
  group: "Output",
};
const output: Option = {
  name: "output",
  short: "o",
  value: "FILE",
  help: "write it to a file",
  group: "Output",
};
const open: Option = {
  name: "open",
  help: "open the written page (--format html) in the browser",
  group: "Output",
};
const redact: Option = {
  name: "redact",
  value: "credentials|all",
  bare: "credentials",
  help: "also mask credentials in bodies (those in headers and URLs are always masked); with =all, replace every private word, as `toollint redact` does",
  group: "Output",
};
const redactAll: Option = {
  name: "redact",
  value: "credentials|all",
  bare: "credentials",
  help: "with =all, replace every private word in the output, as `toollint redact` does; credentials are always masked",
  group: "Output",
};
const allowOrigin: Option = {
  name: "allow-origin",
  value: "ORIGIN",
  help: "a web page that may send requests, such as https://app.example or vscode-webview://*, in addition to local ones; repeatable",
};
const showValues: Option = {
  name: "show-values",
  help: "do not mask credentials in text on a terminal",
  group: "Output",
};
const separate: Option = {
  name: "separate",
  help: "read every file separately, even if files continue each other",
  group: "Reading the log",
};
const profile: Option = {
  name: "profile",
  value: "NAME",
  help: "the provider that the requests went to, if the log does not say (NAME/MODEL for one of its models)",
  group: "Reading the log",
};
const target: Option = {
  name: "target",
  value: "NAME",
  help: "check all requests against another provider: would it accept this history?",
  group: "Reading the log",
};

/** The options of every command that reports on logs. */
const ofLogs: readonly Option[] = [container, protocol, showValues, color, config, noConfig, help];

/** Which finding of a log a command is about; `verb` says what it does with it. */
export function findingOptions(verb: string): readonly Option[] {
  return [
    {
      name: "finding",
      value: "f3",
      help: `the finding to ${verb}, by its name in \`check --format json\` or its fingerprint (default: the first error)`,
    },
    { name: "rule", value: "ID", help: "or the first finding of this rule" },
    { name: "error", value: "'TEXT'", help: "or the finding that a provider's error text is about" },
  ];
}

/** The options that several commands have, by a name for each. */
export const sharedOptions = {
  help,
  color,
  config,
  noConfig,
  container,
  protocol,
  conversation,
  exchange,
  format,
  page,
  output,
  open,
  redact,
  redactAll,
  allowOrigin,
  showValues,
  separate,
  profile,
  target,
  ofLogs,
};
