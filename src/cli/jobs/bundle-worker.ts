import { type ResourceLimits, Worker } from "node:worker_threads";

/**
 * Starts a thread that runs a function of the program's bundle.
 * @param entry the name that the bundle exports it by
 * @param data what it is called with: plain data
 */
export function bundleWorker(
  bundle: URL,
  entry: "liveWorker" | "partWorker" | "watchWorker",
  data: unknown,
  resourceLimits: ResourceLimits = {},
): Worker {
  return new Worker(
    `require("node:module").enableCompileCache?.();
const { bundle, data } = require("node:worker_threads").workerData;
import(bundle).then((program) => program[${JSON.stringify(entry)}](data))`,
    { eval: true, workerData: { bundle: bundle.href, data }, resourceLimits, stdout: true, stderr: true },
  );
}

/** Whether a thread ended because it needed more memory than it may have. */
export function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
}
