import { spawn } from "node:child_process";
import path from "node:path";
import { note } from "./complaint.ts";
import type { Io } from "./io.ts";

/** The program of each system that opens a file as a double click does. No shell sees the path. */
const openers: Readonly<Record<string, string>> = { darwin: "open", win32: "explorer.exe" };

/** Opens a file in the browser. Where there is none, says so: the file is written in any case. */
export async function openInBrowser(shown: string, io: Io): Promise<void> {
  const program = openers[process.platform] ?? "xdg-open";
  const full = path.resolve(io.cwd, shown);
  const isStarted = await new Promise<boolean>((resolve) => {
    const child = spawn(program, [full], {
      env: io.env,
      cwd: io.cwd,
      detached: true,
      stdio: "ignore",
      windowsHide: true,
    });
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
    child.unref();
  });
  if (!isStarted)
    await note(io, `no browser was opened: ${program} cannot be started; open ${shown} yourself`);
}
