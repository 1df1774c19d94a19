// Fails when `fix` restores fewer logs of the corpus than it did, or changes a healthy or an already repaired one.
import { spawnSync } from "node:child_process";

const floor = { restored: 100, stable: 100, clean: 100 };
const { stdout } = spawnSync(process.execPath, ["../shared/tools/score.mjs", "--fix", "--misses"], {
  encoding: "utf8",
  maxBuffer: 1 << 28,
});
console.log(stdout);
const rows = [...stdout.matchAll(/^(.*?) fix\b.*? (\d+) restored +([\d.]+)% .*? ([\d.]+)%$/gm)].map(
  ([, folder, logs, restored, stable]) => ({ folder, logs: +logs, restored: +restored, stable: +stable }),
);
const share = (list, what) =>
  list.reduce((sum, row) => sum + row[what] * row.logs, 0) / list.reduce((sum, { logs }) => sum + logs, 0);
const healthy = rows.filter(({ folder }) => folder === "clean");
const broken = rows.filter(({ folder }) => folder !== "clean");
const measured = {
  restored: share(broken, "restored"),
  stable: share(broken, "stable"),
  clean: share(healthy, "restored"),
};
const below = Object.entries(floor).filter(([what, least]) => !(measured[what] >= least));
for (const [what, least] of below)
  console.error(`fix: ${what} ${measured[what]?.toFixed(1)}, floor ${least}`);
process.exitCode = below.length > 0 ? 1 : 0;
