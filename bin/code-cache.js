/**
 * Loads the program with the code that V8 made of it in an earlier run: to compile it takes longer than to check a
 * small log. Node's own cache (`enableCompileCache`, from 22.1) holds what is compiled at once; this one also holds the
 * functions that ran, which are most of a check.
 *
 * Code is kept in the user's cache folder, and only run if nobody else can have written it. `NODE_DISABLE_COMPILE_CACHE`
 * turns this off, and `NODE_COMPILE_CACHE` names another folder, as for Node's own.
 */
const fs = require("node:fs");
const path = require("node:path");
const { Script } = require("node:vm");

/** Smaller files compile faster than their code is read. */
const smallest = 1 << 14;

/** How many bytes of a copy are compared at once. */
const comparedAtOnce = 1 << 16;

/** In a run that takes longer, in microseconds of CPU time, V8 begins to drop functions that ran at its start. */
const longestRun = 1e6;

/** Code is removed after this time, in milliseconds, as its version may no longer be run. */
const longestKept = 90 * 24 * 3600 * 1000;

/** Who builds the program gets other files each time; a version has about thirty. */
const mostFiles = 200;

/**
 * The exports of a CommonJS module of the program. Its modules require each other by relative paths.
 * @param {string} entry its absolute path
 */
exports.load = (entry) => {
  const folder = cacheFolder(process.env);
  return folder === undefined ? require(entry) : loader(folder)(entry);
};

/** Where code is kept; `undefined` where it is not. */
function cacheFolder(env) {
  // A coverage report is exact only for code that was compiled in this run.
  if (env.NODE_DISABLE_COMPILE_CACHE || env.NODE_V8_COVERAGE) return undefined;
  if (env.NODE_COMPILE_CACHE) return path.resolve(env.NODE_COMPILE_CACHE, "toollint");
  const ofUser =
    process.platform === "win32"
      ? env.LOCALAPPDATA
      : env.XDG_CACHE_HOME || (env.HOME && path.join(env.HOME, ".cache"));
  return ofUser && path.isAbsolute(ofUser) ? path.join(ofUser, "toollint") : undefined;
}

function loader(folder) {
  const modules = new Map();
  /** What this run compiled, by the path that its code is kept at. */
  const compiled = new Map();
  const load = (file) => {
    const loaded = modules.get(file);
    if (loaded) return loaded.exports;
    const module = { exports: {} };
    modules.set(file, module);
    const folderOfFile = path.dirname(file);
    const requireFrom = (id) => (id.startsWith(".") ? load(path.join(folderOfFile, id)) : require(id));
    compile(file)(module.exports, requireFrom, module, file, folderOfFile);
    return module.exports;
  };
  const compile = (file) => {
    const source = `(function(exports,require,module,__filename,__dirname){${fs.readFileSync(file, "latin1")}\n})`;
    if (source.length < smallest) return new Script(source, { filename: file }).runInThisContext();
    const kept = path.join(folder, keptName(file));
    const cachedData = keptCode(kept);
    const script = new Script(source, { filename: file, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) {
      if (compiled.size === 0) process.once("exit", () => keep(folder, compiled));
      compiled.set(kept, script);
    }
    return script.runInThisContext();
  };
  return load;
}

/** V8 compares the length of the source only, and its own version and settings. */
function keptName(file) {
  const { size, mtimeMs } = fs.statSync(file);
  const { version, arch } = process;
  return `${path.basename(file, ".cjs")}-${size}-${Math.round(mtimeMs)}-${version}-${arch}.code`;
}

/**
 * The code in a file that only this user can have written. V8 runs damaged code as it is, and crashes, so a file
 * holds its code twice: to compare the copies takes a fraction of the time that a checksum takes with its module.
 */
function keptCode(file) {
  let opened;
  try {
    if (!isOwn(fs.lstatSync(path.dirname(file)))) return undefined;
    opened = fs.openSync(file, "r");
    const stats = fs.fstatSync(opened);
    if (!isOwn(stats)) return undefined;
    const code = Buffer.allocUnsafeSlow(stats.size >> 1);
    if (fs.readSync(opened, code) !== code.length) return undefined;
    const copy = Buffer.allocUnsafe(comparedAtOnce);
    for (let at = 0; at < code.length; ) {
      const read = fs.readSync(opened, copy, 0, Math.min(copy.length, code.length - at));
      if (read === 0 || code.compare(copy, 0, read, at, at + read) !== 0) return undefined;
      at += read;
    }
    return code;
  } catch {
    // It was not kept, or cannot be read: then it is compiled.
    return undefined;
  } finally {
    if (opened !== undefined) fs.closeSync(opened);
  }
}

/** On Windows, the folder of a user is closed to others. */
function isOwn({ uid, mode }) {
  return process.platform === "win32" || (uid === process.getuid() && (mode & 0o22) === 0);
}

/** Keeps the code of scripts, including the functions that were called, which V8 compiles one by one. */
function keep(folder, scripts) {
  const { user, system } = process.cpuUsage();
  if (user + system > longestRun) return;
  try {
    for (const each of [path.dirname(folder), folder])
      if (!fs.existsSync(each)) fs.mkdirSync(each, { mode: 0o700 });
    if (!isOwn(fs.lstatSync(folder))) return;
    for (const [file, script] of scripts) {
      const draft = `${file}.${process.pid}`;
      const code = script.createCachedData();
      fs.writeFileSync(draft, Buffer.concat([code, code]), { mode: 0o600, flag: "wx" });
      fs.renameSync(draft, file);
    }
    const files = fs.readdirSync(folder).map((name) => {
      const file = path.join(folder, name);
      return { file, age: Date.now() - fs.statSync(file).mtimeMs };
    });
    files.sort((a, b) => a.age - b.age);
    for (const [index, { file, age }] of files.entries())
      if (index >= mostFiles || age > longestKept) fs.unlinkSync(file);
  } catch {
    // The folder cannot be written, or another run writes it: the next run compiles again.
  }
}
