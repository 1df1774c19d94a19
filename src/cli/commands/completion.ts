import { containers } from "../../containers/index.ts";
import { protocols } from "../../protocols/index.ts";
import { profiles } from "../../protocols/profiles/index.ts";
import { ruleTable } from "../../rules/index.ts";
import { type Io, printChunks } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import type { Command, Option } from "../usage/command.ts";
import { commands } from "../usage/commands.ts";
import { didYouMean } from "../usage/nearest.ts";
import type { Invocation } from "../usage/parse.ts";
import { reportFormats } from "../usage/values.ts";

const writers = { bash, zsh, fish };

/** Runs `toollint completion SHELL`: prints a script for the shell, which asks toollint nothing later. */
export async function completionCommand(invocation: Invocation, io: Io): Promise<number> {
  const [shell] = invocation.words;
  const names = Object.keys(writers);
  if (shell === undefined)
    throw new Trouble(`name a shell, as in \`toollint completion bash\`; choose from ${names.join(", ")}`);
  if (!Object.hasOwn(writers, shell))
    throw new Trouble(
      `there is no completion for \`${shell}\`${didYouMean(shell, names) || `; choose from ${names.join(", ")}`}`,
    );
  await printChunks(io.stdout, [writers[shell as keyof typeof writers]()]);
  return 0;
}

/** What may stand after an option; `undefined` for files. A switch has nothing. */
function valuesOf({ name, value = "" }: Option): readonly string[] | undefined {
  if (name === "rule")
    return ruleTable.flatMap((rule) => [
      `${rule.name}:off`,
      ...["info", "warning", "error"].map((level) => `${rule.name}:${level}`),
    ]);
  if (name === "profile" || name === "target") return profiles.map((profile) => profile.name);
  if (name === "container") return containers.map((container) => container.name);
  if (name === "protocol" || name === "to") return protocols.map((protocol) => protocol.name);
  if (name === "format" && value.startsWith("NAME")) return reportFormats;
  if (value.includes("|")) return value.split("|");
  return /FILE|DIR|PATH/.test(value) ? undefined : [];
}

/** What may stand without an option; `undefined` for files. */
function wordsOf({ name }: Command): readonly string[] | undefined {
  if (name === "explain") return ruleTable.map((rule) => rule.name);
  if (name === "completion") return Object.keys(writers);
  return name === "formats" ? [] : undefined;
}

/** An option as it is typed: `--name` and, where it has one, `-n`. */
function flagsOf({ name, short }: Option): string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}

/** The options that need a value behind them; those with a default take one joined with `=` only. */
function withValue({ options }: Command): readonly Option[] {
  return options.filter(({ value, bare }) => value !== undefined && bare === undefined);
}

function bash(): string {
  const cases = commands.map((command) => {
    const values = withValue(command).map((option) => {
      const list = valuesOf(option);
      const reply = list === undefined ? files : `COMPREPLY=($(compgen -W "${list.join(" ")}" -- "$cur"))`;
      return `        ${flagsOf(option).join("|")}) ${reply}; return ;;\n`;
    });
    const words = wordsOf(command);
    const rest = words === undefined ? files : `COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur"))`;
    const flags = command.options.flatMap(flagsOf).join(" ");
    return `    ${command.name})
      case "$prev" in
${values.join("")}        *) ;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "${flags}" -- "$cur")); else ${rest}; fi ;;
`;
  });
  const names = commands.map(({ name }) => name).join(" ");
  return `# Completes toollint in bash.
_toollint() {
  local cur prev
  COMPREPLY=()
  # A rule's level stands behind a colon, at which bash would split the word.
  if declare -F _get_comp_words_by_ref >/dev/null; then _get_comp_words_by_ref -n : cur prev
  else cur=\${COMP_WORDS[COMP_CWORD]}; prev=\${COMP_WORDS[COMP_CWORD-1]}; fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("")}  esac
  if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "$cur"; fi
}
complete -o filenames -o bashdefault -F _toollint toollint
`;
}

const files = 'COMPREPLY=($(compgen -f -- "$cur"))';

/** A text in single quotes for fish, where a backslash is one only in pairs. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** A text in single quotes for zsh, where a backslash is itself. */
function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A description in one of zsh's specifications, where brackets and colons have a meaning. */
function described(text: string): string {
  return text.replace(/[[\]:\\]/g, (mark) => `\\${mark}`);
}

function zsh(): string {
  const action = (values: readonly string[] | undefined) =>
    values === undefined ? "_files" : `(${values.map((value) => value.replaceAll(":", "\\:")).join(" ")})`;
  const cases = commands.map((command) => {
    const options = command.options.flatMap((option) =>
      flagsOf(option).map((flag) => {
        const needs = withValue(command).includes(option);
        const value = needs ? `:${described(option.value ?? "")}:${action(valuesOf(option))}` : "";
        return `        ${zshQuoted(`*${flag}[${described(option.help)}]${value}`)} \\\n`;
      }),
    );
    return `      ${command.name})
      _arguments -S \\\n${options.join("")}        ${zshQuoted(`*:${command.name}:${action(wordsOf(command))}`)} ;;
`;
  });
  const names = commands.map(({ name, summary }) => `      ${zshQuoted(`${name}:${described(summary)}`)}\n`);
  return `#compdef toollint
# Completes toollint in zsh.
_toollint() {
  local -a commands
  if ((CURRENT == 2)); then
    commands=(
${names.join("")}    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases.join("")}  esac
}
if [[ $funcstack[1] == _toollint ]]; then _toollint "$@"; else compdef _toollint toollint; fi
`;
}

function fish(): string {
  const lines = commands.flatMap((command) => {
    const when = quoted(`__fish_seen_subcommand_from ${command.name}`);
    const words = wordsOf(command);
    return [
      `complete -c toollint -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
      ...(words === undefined ? [] : [`complete -c toollint -n ${when} -f -a ${quoted(words.join(" "))}`]),
      ...command.options.map((option) => {
        const short = option.short === undefined ? "" : ` -s ${option.short}`;
        const values = withValue(command).includes(option) ? valuesOf(option) : [];
        const value = !withValue(command).includes(option)
          ? ""
          : values === undefined
            ? " -r -F"
            : ` -x${values.length > 0 ? ` -a ${quoted(values.join(" "))}` : ""}`;
        return `complete -c toollint -n ${when} -l ${option.name}${short}${value} -d ${quoted(option.help)}`;
      }),
    ];
  });
  return `# Completes toollint in fish.\n${lines.join("\n")}\n`;
}
