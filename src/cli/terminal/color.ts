/** The value of `--color`; absent if the option is not given. */
export type ColorChoice = "auto" | "always" | "never";

/**
 * Whether to write colours. The flag wins over FORCE_COLOR (empty counts as unset, `0` and `false` as off),
 * then NO_COLOR (if not empty), then TERM=dumb; otherwise a terminal gets colours. CI logs are files.
 *
 * @see https://no-color.org
 * @see https://force-color.org
 */
export function wantsColor(
  choice: ColorChoice | undefined,
  env: Readonly<Record<string, string | undefined>>,
  isTTY: boolean,
): boolean {
  if (choice === "always" || choice === "never") return choice === "always";
  const force = env["FORCE_COLOR"];
  if (force) return force !== "0" && force.toLowerCase() !== "false";
  if (env["NO_COLOR"]) return false;
  if (env["TERM"] === "dumb") return false;
  return isTTY;
}

/**
 * Whether a terminal is known to show links (OSC 8). Others may print the address, so an unknown one gets
 * none, nor does a multiplexer, which may not pass them on.
 */
export function showsLinks(env: Readonly<Record<string, string | undefined>>): boolean {
  const term = env["TERM"] ?? "";
  if (env["CI"] || /^(?:dumb|screen|tmux)/.test(term)) return false;
  return (
    ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"].includes(env["TERM_PROGRAM"] ?? "") ||
    /^(?:xterm-kitty|xterm-ghostty|alacritty)/.test(term) ||
    Number(env["VTE_VERSION"]) >= 5000 ||
    ["WT_SESSION", "KONSOLE_VERSION", "DOMTERM"].some((name) => env[name])
  );
}
