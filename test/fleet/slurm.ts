import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname, userInfo } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** A cluster of one node on this machine. */
export interface Cluster {
  /** The environment in which Slurm's commands find it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  stop(): void;
}

const programs = { munged: "/usr/sbin/munged", slurmctld: "/usr/sbin/slurmctld", slurmd: "/usr/sbin/slurmd" };

/** Whether Slurm is installed, and may be started by this user. */
export function hasSlurm(): boolean {
  return (
    [...Object.values(programs), "/usr/bin/sbatch"].every((file) => existsSync(file)) && userInfo().uid === 0
  );
}

/** Starts Slurm with everything that it writes in `folder`. */
export async function startCluster(folder: string): Promise<Cluster> {
  const host = hostname().split(".")[0] ?? "localhost";
  const at = (name: string): string => path.join(folder, name);
  for (const name of ["state", "spool"]) mkdirSync(at(name));
  mkdirSync(at("munge"), { mode: 0o700 });
  writeFileSync(at("munge/key"), randomBytes(1024), { mode: 0o600 });
  const [control, node] = [await freePort(), await freePort()];
  const settings = {
    ClusterName: "one",
    SlurmctldHost: `${host}(127.0.0.1)`,
    SlurmUser: userInfo().username,
    SlurmdUser: userInfo().username,
    AuthType: "auth/munge",
    AuthInfo: `socket=${at("munge/socket")}`,
    SlurmctldPort: control,
    SlurmdPort: node,
    StateSaveLocation: at("state"),
    SlurmdSpoolDir: at("spool"),
    SlurmctldPidFile: at("slurmctld.pid"),
    SlurmdPidFile: at("slurmd.pid"),
    SlurmctldLogFile: at("slurmctld.log"),
    SlurmdLogFile: at("slurmd.log"),
    ProctrackType: "proctrack/linuxproc",
    TaskPlugin: "task/none",
    ReturnToService: 2,
    SelectType: "select/cons_tres",
    SelectTypeParameters: "CR_CPU",
    SchedulerParameters: "sched_interval=1,bf_interval=1",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  lines.push(`NodeName=${host} NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN`);
  lines.push("PartitionName=main Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:4");
  writeFileSync(at("slurm.conf"), `${lines.join("\n")}\n`);
  const env = { ...process.env, SLURM_CONF: at("slurm.conf") };
  const started: ChildProcess[] = [];
  const start = (program: keyof typeof programs, ...args: string[]): void => {
    started.push(spawn(programs[program], args, { env, stdio: "ignore" }));
  };
  const stop = (): void => {
    for (const child of started.reverse()) child.kill("SIGKILL");
  };
  start(
    "munged",
    ...["--foreground", "--force", `--key-file=${at("munge/key")}`, `--socket=${at("munge/socket")}`],
    ...[`--pid-file=${at("munge/pid")}`, `--log-file=${at("munge/log")}`, `--seed-file=${at("munge/seed")}`],
  );
  for (let tries = 0; !existsSync(at("munge/socket")); tries++) {
    if (tries === 400) {
      stop();
      throw new Error(`Munge does not start: see ${folder}`);
    }
    await wait(50);
  }
  start("slurmctld", "-D", "-f", at("slurm.conf"));
  start("slurmd", "-D", "-f", at("slurm.conf"));
  for (let tries = 0; tries < 300; tries++) {
    const { stdout } = spawnSync("sinfo", ["-h", "-o", "%t"], { env, encoding: "utf8" });
    if (stdout.startsWith("idle")) return { env, stop };
    await wait(100);
  }
  stop();
  throw new Error(`Slurm does not start: see ${folder}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
