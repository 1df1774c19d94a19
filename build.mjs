// Bundles the program and the library into dist/, without dependencies, and lists what they bundle in NOTICE; writes the indexes first.
import fs from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { build, transform } from "esbuild";
import { writeIndexes } from "./indexes.mjs";
import { vocabularySource } from "./src/redact/words-of-source.mjs";

const root = import.meta.dirname;
const { version, homepage } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));

/** What the bundles and the tests replace in the source: see src/build.d.ts. */
export const define = {
  __VERSION__: JSON.stringify(version),
  __HOMEPAGE__: JSON.stringify(homepage),
};

/**
 * The validator of schemas/`name`.schema.json as the source of a module: compiling a schema when the program starts costs more than all else.
 * One schema may refer to another by its file name, or by `$id` where it has one. Of a request's schema there are two, `body` and
 * `element` (what has this `$anchor`), whose errors carry the schema and the value at their place, for the words about them;
 * `words` are the types and roles that any of these schemas knows.
 */
function validatorSource(name) {
  const folder = path.join(root, "schemas");
  const isRequest = name.startsWith("requests/");
  const ajv = new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    discriminator: true,
    strictTypes: false,
    validateFormats: false,
    verbose: isRequest,
    messages: !isRequest,
    inlineRefs: !isRequest,
    code: { source: true, esm: true },
  });
  // Its references know anchors, its strictness does not.
  ajv.addKeyword("$anchor");
  const keys = new Map();
  for (const file of fs
    .readdirSync(folder, { recursive: true })
    .map((entry) => entry.split(path.sep).join("/"))) {
    if (!file.endsWith(".schema.json")) continue;
    const schema = JSON.parse(fs.readFileSync(path.join(folder, file), "utf8"));
    keys.set(file, schema.$id ?? file);
    ajv.addSchema(schema, keys.get(file));
  }
  const key = keys.get(`${name}.schema.json`);
  const validate = key && ajv.getSchema(key);
  if (!validate) throw new Error(`there is no schemas/${name}.schema.json`);
  return isRequest
    ? `${bounded(standaloneCode(ajv, { body: key, element: `${key}#element` }))}\nexport const words = ${JSON.stringify(requestWords())};\n`
    : bounded(standaloneCode(ajv, validate));
}

/** A list of a million wrong entries has as many errors, each joined to a copy of those before it, and twenty are reported. */
function bounded(source) {
  const isEnough = "errors >= 1000";
  const loops = source
    .replace(/for\(let (i\d+)=0; \1<(len\d+); \1\+\+\)/g, `for(let $1=0; $1<$2 && !(${isEnough}); $1++)`)
    .replace(/for\(const key\d+ in data\d*\)\{/g, `$&if(${isEnough})break;`);
  if (/for\((?:let i\d+=0; i\d+<len\d+;|const key\d+ in \w+\)\{(?!if\(errors))/.test(loops))
    throw new Error("a validator has a loop of another form");
  return loops;
}

/** The values that the schemas of all requests know for a type or a role. */
function requestWords() {
  const folder = path.join(root, "schemas/requests");
  const words = new Set();
  const add = (schema, key) => {
    if (typeof schema !== "object" || schema === null) return;
    if (key === "type" || key === "role")
      for (const word of [...(schema.enum ?? []), schema.const])
        if (typeof word === "string" && word !== "") words.add(word);
    for (const [name, inner] of Object.entries(schema)) add(inner, name);
  };
  for (const file of fs.readdirSync(folder))
    add(JSON.parse(fs.readFileSync(path.join(folder, file), "utf8")));
  return [...words].sort();
}

const esbuildValidators = {
  name: "validators",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^schema:/ }, ({ path }) => ({
      path: path.slice("schema:".length),
      namespace: "schema",
    }));
    onLoad({ filter: /.*/, namespace: "schema" }, ({ path }) => ({
      contents: validatorSource(path),
      resolveDir: root,
    }));
  },
};

/** `vocabulary:NAME`: what a redacted log keeps, taken from the source. */
const vocabularies = {
  name: "vocabularies",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vocabulary:/ }, ({ path }) => ({
      path: path.slice("vocabulary:".length),
      namespace: "vocabulary",
    }));
    onLoad({ filter: /.*/, namespace: "vocabulary" }, ({ path }) => ({ contents: vocabularySource(path) }));
  },
};

/**
 * The app of the HTML page as the source of a module: what stands in the page's `<script>` and `<style>`. The bundler escapes the end of
 * a script in strings, and everything that is not ASCII.
 */
async function pageAppSource() {
  const folder = path.join(root, "src/page/app");
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["main.tsx", "page.css"].map((name) => path.join(folder, name)),
    outdir: "page-app",
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    metafile: true,
    write: false,
  });
  const text = (ending) => outputFiles.find(({ path: file }) => file.endsWith(ending)).text;
  const [script, style] = [text(".js"), text(".css")];
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error("the page's app would end its own element");
  return {
    contents: `export const script = ${JSON.stringify(script)};\nexport const style = ${JSON.stringify(style)};\n`,
    metafile,
  };
}

/** What the app of the page is made of, for the list of licences. */
let pageAppInputs;

const pageApp = {
  name: "page-app",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^page:app$/ }, () => ({ path: "app", namespace: "page" }));
    onLoad({ filter: /.*/, namespace: "page" }, async () => {
      const { contents, metafile } = await pageAppSource();
      pageAppInputs = metafile;
      return { contents, resolveDir: root };
    });
  },
};

/** A CommonJS package that lies in a chunk of its own has lost its named exports, which the types do not show. */
const lazyPackages = {
  name: "lazy-packages",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ kind, path, importer }) => {
      if (
        kind !== "dynamic-import" ||
        /^(?:node|schema|vocabulary):/.test(path) ||
        importer.includes("node_modules")
      )
        return undefined;
      return {
        errors: [
          { text: `import "${path}" at the top of a module of the project, and that module with import()` },
        ],
      };
    });
  },
};

/**
 * An agent's session format stands in one file with its reader, which few runs need. The index imports each file at its top for `format`,
 * and with import() for the reader. So it is bundled with what `format` needs of these files; esbuild puts a file into one chunk only.
 */
const sessionIndex = {
  name: "session-index",
  setup({ onLoad }) {
    const folder = path.join(root, "src/containers/sessions");
    const elsewhere = {
      name: "elsewhere",
      setup({ onResolve }) {
        onResolve({ filter: /^\./ }, ({ kind, path: imported, resolveDir }) => {
          if (kind === "import-statement" && imported.startsWith("./agents/")) return undefined;
          const file = path.relative(folder, path.join(resolveDir, imported)).split(path.sep).join("/");
          return { path: file.startsWith(".") ? file : `./${file}`, external: true, sideEffects: false };
        });
      },
    };
    onLoad({ filter: /[\\/]containers[\\/]sessions[\\/]index\.ts$/ }, async ({ path: file }) => {
      const { outputFiles } = await build({
        entryPoints: [file],
        bundle: true,
        format: "esm",
        platform: "node",
        target: "node20",
        write: false,
        plugins: [elsewhere],
      });
      return { contents: outputFiles[0].text, loader: "js", resolveDir: folder };
    });
  },
};

/**
 * Keeps what a check loads together: modules lie in one chunk when the same entry points reach them, so every module that is imported with
 * import() reaches them all. Otherwise a check opens some thirty files, which takes longer than to compile them.
 */
const together = {
  name: "together",
  setup({ onEnd, onLoad, onResolve }) {
    const [main, check] = ["main", "commands/check"].map((name) => path.join(root, `src/cli/${name}.ts`));
    /** What answers without a check, and is not to wait for it: it has copies of what both need, which keep no state. */
    const light = new Set(
      ["usage/help", "terminal/complaint"].map((name) => path.join(root, `src/cli/${name}.ts`)),
    );
    const lazy = new Set();
    /** What each module imports at its top. */
    const imports = new Map();
    onResolve({ filter: /^\./ }, ({ kind, path: imported, importer, namespace, resolveDir }) => {
      const full = path.join(resolveDir, imported);
      if (namespace === "light" || (kind === "dynamic-import" && light.has(full)))
        return { path: full, namespace: "light" };
      if (kind !== "dynamic-import") imports.set(importer, [...(imports.get(importer) ?? []), full]);
      else if (full !== check) lazy.add(full);
      return undefined;
    });
    onLoad({ filter: /.*/, namespace: "light" }, ({ path: file }) => ({
      contents: fs.readFileSync(file, "utf8"),
      loader: "ts",
      resolveDir: path.dirname(file),
    }));
    // Such a module would import the check that imports it, and be there in time or not, as the files happen to be read.
    onEnd(() => {
      const reached = new Set([main, check]);
      for (const file of reached) for (const next of imports.get(file) ?? []) reached.add(next);
      const errors = [...lazy].filter((file) => reached.has(file));
      return {
        errors: errors.map((file) => ({
          text: `${path.relative(root, file)} is imported with import(), although each check loads it`,
        })),
      };
    });
    onResolve({ filter: /^together$/ }, () => ({ path: "together", namespace: "together" }));
    onLoad({ filter: /.*/, namespace: "together" }, () => ({
      contents: `export * from ${JSON.stringify(main)};\nexport * from ${JSON.stringify(check)};`,
      resolveDir: root,
    }));
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path: file }) =>
      lazy.has(file)
        ? {
            contents: `${fs.readFileSync(file, "utf8")}\nexport { check as "together", main as "main" } from "together";`,
            loader: "ts",
          }
        : undefined,
    );
  },
};

/** Packages that few logs need: each becomes a file beside the chunks, which is required late. */
const late = ["fzstd"];

const latePackages = {
  name: "late-packages",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path: name }) =>
      late.includes(name) ? { path: `./${name}.cjs`, external: true } : undefined,
    );
  },
};

/** Gives the tests the same `schema:`, `page:`, `vocabulary:` and `*.md` modules that the bundles have, without a build. */
export const vitePlugin = {
  name: "toollint-modules",
  enforce: "pre",
  resolveId: (id) => (/^(?:schema|page|vocabulary):/.test(id) ? `\0${id}` : undefined),
  async load(id) {
    if (/\.(?:md|jsonl)$/.test(id)) return `export default ${JSON.stringify(fs.readFileSync(id, "utf8"))};`;
    if (id.startsWith("\0vocabulary:")) return vocabularySource(id.slice("\0vocabulary:".length));
    if (id === "\0page:app") return (await pageAppSource()).contents;
    if (!id.startsWith("\0schema:")) return undefined;
    // The validator requires CommonJS helpers of ajv, so it has to be bundled to be a module.
    const stdin = { contents: validatorSource(id.slice("\0schema:".length)), resolveDir: root };
    const { outputFiles } = await build({
      stdin,
      bundle: true,
      format: "esm",
      platform: "node",
      write: false,
    });
    return outputFiles[0].text;
  },
};

/** The licences of the packages that have code in these outputs. */
function notice(...metafiles) {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []) : [],
  );
  const sections = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      fs.readFileSync(path.join(root, folder, "package.json"), "utf8"),
    );
    const file = fs
      .readdirSync(path.join(root, folder))
      .find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file
      ? fs
          .readFileSync(path.join(root, folder, file), "utf8")
          .replaceAll("\r\n", "\n")
          .trim()
      : "";
    return `${"-".repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`;
  });
  return ["toollint contains code of these packages.\n", ...sections].join("\n");
}

/** What both builds of the program have in common. */
const bundling = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  loader: { ".md": "text", ".jsonl": "text" },
  define,
  // Its main module loads its parts in a way that bundlers cannot follow.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};

/** Bundled CommonJS packages call require() for Node's own modules. It is made when first called: every chunk has this line, and few need it. */
const withRequire = {
  js: 'import { createRequire as __createRequire } from "node:module";\nconst require = (id) => __createRequire(import.meta.url)(id);',
};

/** Writes a module of the source with all that it imports, as one file. */
export async function writeModule(entry, outfile) {
  await build({
    ...bundling,
    outdir: undefined,
    outfile,
    entryPoints: [entry],
    minify: false,
    format: "esm",
    plugins: [lazyPackages, sessionIndex, esbuildValidators, vocabularies, pageApp],
    banner: withRequire,
  });
}

/**
 * The program, apart from the library and as CommonJS: of that, code can be kept for the next run (`bin/code-cache.js`), and Node loads
 * it with less work. The bundler splits ES modules only, so its output is translated file by file.
 */
async function writeProgram() {
  const { outputFiles, metafile } = await build({
    ...bundling,
    entryPoints: { cli: "src/cli/main.ts" },
    splitting: true,
    chunkNames: "program/[name]-[hash]",
    outExtension: { ".js": ".cjs" },
    format: "esm",
    plugins: [latePackages, lazyPackages, sessionIndex, together, esbuildValidators, vocabularies, pageApp],
    write: false,
  });
  const packages = await build({
    ...bundling,
    entryPoints: Object.fromEntries(late.map((name) => [`program/${name}`, name])),
    outExtension: { ".js": ".cjs" },
    format: "cjs",
  });
  const program = path.join(root, "dist/program");
  fs.mkdirSync(program, { recursive: true });
  for (const { path: file, text } of outputFiles) {
    const { code } = await transform(text, {
      format: "cjs",
      platform: "node",
      target: "node20",
      minify: true,
      legalComments: "none",
      supported: { "dynamic-import": false },
      define: { "import.meta.url": "__url.href" },
      banner: text.includes("import.meta.url")
        ? 'const __url = { get href() { return require("node:url").pathToFileURL(__filename).href; } };'
        : "",
    });
    fs.writeFileSync(file, ascii(withLateModules(code)));
  }
  const outputs = { ...metafile.outputs, ...packages.metafile.outputs };
  removeOthers("dist/program", { outputs });
  return { outputs };
}

/** Removes the files of earlier builds from a folder. */
function removeOthers(folder, { outputs }) {
  for (const file of fs.readdirSync(path.join(root, folder))) {
    if (!outputs[`${folder}/${file}`]) fs.rmSync(path.join(root, folder, file));
  }
}

/**
 * Requires modules of Node, and the late packages, when something of them is first used: a check needs hardly any, and together they take
 * as long to load as a third of the check. Those that it needs, and those that are imported whole, stay as they are.
 */
function withLateModules(code) {
  const changed = code.replace(
    /(?<==)require\("(?:node:(?!(?:fs|path|buffer)")[\w/]+|\.\/\w+\.cjs)"\)(?=[,;])/g,
    (call) => call.replace("require", "__late"),
  );
  if (changed === code) return code;
  return `const __late=id=>new Proxy({},{get:(_,name)=>require(id)[name]});${changed}`;
}

/** One character beyond Latin-1 would double the memory of its file; the bundler leaves them in regular expressions. */
function ascii(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * The entries for CommonJS modules: tests under Jest are CommonJS unless configured, and so is much else. Each loads
 * the module of the same name when it is first called.
 */
const commonJs = {
  import: "src/library/commonjs/import.ts",
  index: "src/library/commonjs/index.ts",
  jest: "src/library/commonjs/jest.ts",
  testing: "src/library/commonjs/testing.ts",
};

if (fs.realpathSync(process.argv[1]) === import.meta.filename) {
  writeIndexes();
  const { metafile } = await build({
    ...bundling,
    entryPoints: {
      index: "src/index.ts",
      vitest: "src/library/vitest.ts",
      jest: "src/library/jest.ts",
      testing: "src/library/testing.ts",
    },
    // What is imported with import() is not even read before it is needed.
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    format: "esm",
    plugins: [lazyPackages, sessionIndex, esbuildValidators, vocabularies, pageApp],
    banner: withRequire,
  });
  const programMetafile = await writeProgram();
  await build({ ...bundling, entryPoints: commonJs, outExtension: { ".js": ".cjs" }, format: "cjs" });
  removeOthers("dist/chunks", metafile);
  fs.writeFileSync(
    path.join(root, "NOTICE"),
    notice(metafile, programMetafile, ...(pageAppInputs ? [pageAppInputs] : [])),
  );
}
