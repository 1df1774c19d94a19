#!/usr/bin/env node
/**
 * Logs whose tool schemas make a validator work hard, of n, 2n and 4n bytes: `npm run bench`, or `node bench/schemas.mjs [words of a kind]`.
 * Prints CPU time beyond that of a tiny log, as ratios of neighbours: up to 2.3 is linear, and what reaches its budget stays at 1.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeLog } from "./logs.mjs";
import { hostileLog, kinds } from "./schema-kinds.mjs";

const wanted = process.argv.slice(2).join(" ");
const bin = process.env.TOOLLINT_BIN ?? join(import.meta.dirname, "..", "bin", "toollint.js");
const folder = mkdtempSync(join(tmpdir(), "toollint-bench-"));
const probe = join(folder, "probe.cjs");
const least = 225_000;
const runs = 3;

function run(path) {
  const args = ["--require", probe, bin, "check", "--no-config", "--fail-on", "never", path];
  const stdio = ["ignore", "ignore", "pipe", "pipe"];
  const { status, stderr, output } = spawnSync(process.execPath, args, { stdio });
  if (status !== 0) throw new Error(`${path}: ${stderr}`);
  return JSON.parse(String(output[3]));
}

/** The median CPU time in seconds, and the highest peak in MiB. */
function measured(path) {
  const all = Array.from({ length: runs }, () => run(path)).sort((a, b) => a.cpu - b.cpu);
  return { cpu: all[runs >> 1].cpu, peak: Math.max(...all.map(({ peak }) => peak)) };
}

try {
  writeFileSync(
    probe,
    `process.on("exit", () => {
      const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
      require("node:fs").writeSync(3, JSON.stringify({ peak: maxRSS / 1024, cpu: (userCPUTime + systemCPUTime) / 1e6 }));
    });`,
  );
  const tiny = join(folder, "tiny.jsonl");
  writeLog(tiny, "plain", 3, 200);
  const start = measured(tiny).cpu;
  for (const name of Object.keys(kinds).filter((kind) => kind.includes(wanted))) {
    const rows = [1, 2, 4].map((times) => {
      const path = join(folder, "log.jsonl");
      writeFileSync(path, hostileLog(name, least * times));
      return measured(path);
    });
    const cpu = rows.map((row) => Math.max(0.01, row.cpu - start));
    const ratios = [cpu[1] / cpu[0], cpu[2] / cpu[1]].map((ratio) => `${ratio.toFixed(1)}×`).join(" ");
    const peak = Math.max(...rows.map((row) => row.peak));
    console.log(
      `${name.padEnd(44)} ${cpu.map((one) => one.toFixed(2)).join(" ")} s, ${ratios}, peak ${Math.round(peak)} MiB`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
