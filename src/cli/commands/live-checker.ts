import { programBundle } from "../jobs/bundle.ts";
import { bundleWorker, isOutOfMemory } from "../jobs/bundle-worker.ts";
import { reasonOf } from "../trouble.ts";
import { type CheckedRecording, checkedFile, type WorkerAnswer } from "./live-worker.ts";

/** Checks a recording again and again. */
export interface LiveChecker {
  /** Rejects with a reason in words, when the recording cannot be read or checked. */
  check(): Promise<CheckedRecording>;
  close(): Promise<void>;
}

/** A checker's memory, in megabytes: it ends before the recorder does. */
const memory = 1024;

/**
 * A checker in a thread of its own: a check that takes long, or all memory, holds up no traffic.
 * @param shown the recording as the user named it
 */
export function liveChecker(file: string, shown: string): LiveChecker {
  const bundle = programBundle();
  if (!bundle) {
    return {
      check: () => checkedFile(file, shown),
      close: async () => {},
    };
  }
  return threadedChecker(bundle, file, shown);
}

function threadedChecker(bundle: URL, file: string, shown: string): LiveChecker {
  let ended: string | undefined;
  let waiting: { resolve(checked: CheckedRecording): void; reject(error: Error): void } | undefined;
  const worker = bundleWorker(bundle, "liveWorker", undefined, { maxOldGenerationSizeMb: memory });
  worker.on("message", (answer: WorkerAnswer) => {
    if (answer.kind === "checked") waiting?.resolve(answer.checked);
    else waiting?.reject(new Error(answer.reason));
    waiting = undefined;
  });
  const end = (reason: string): void => {
    ended ??= reason;
    waiting?.reject(new Error(ended));
    waiting = undefined;
  };
  worker.on("error", (error) =>
    end(
      isOutOfMemory(error)
        ? `a check takes more than ${memory} MB`
        : `internal error: ${error.message || reasonOf(error)}; please report it`,
    ),
  );
  worker.on("exit", () => end("the check has ended"));
  // A recorder that is done does not wait for it.
  worker.unref();
  return {
    check: () =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) {
          reject(new Error(ended));
          return;
        }
        waiting = { resolve, reject };
        worker.postMessage({ file, shown });
      }),
    async close() {
      await worker.terminate();
    },
  };
}
