// Bundles the declarations that `tsc -p tsconfig.build.json` writes into one file for each entry of the package: only what
// its exports reach, so that whoever uses the package compiles no more, and needs no types of what it is built from.
import fs from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";

const root = import.meta.dirname;

/** Where tsc leaves a declaration file for each module; not a part of the package. */
const emitted = path.join(root, "dist/.types");

/** Keys of nodes whose value names a member, a parameter or a label: nothing of the module. */
const ownNames = {
  TSPropertySignature: "key",
  TSMethodSignature: "key",
  PropertyDefinition: "key",
  MethodDefinition: "key",
  TSAbstractPropertyDefinition: "key",
  TSAbstractMethodDefinition: "key",
  TSQualifiedName: "right",
  TSNamedTupleMember: "label",
  TSTypePredicate: "parameterName",
  TSTypeParameter: "name",
  TSEnumMember: "id",
};

const modules = new Map();

/** A declaration file: its text, its top-level declarations by name, its imports and its exports. */
function moduleAt(file) {
  const known = modules.get(file);
  if (known) return known;
  const text = fs.readFileSync(file, "utf8");
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const module = {
    file,
    text,
    comments,
    declarations: new Map(),
    imports: new Map(),
    exports: new Map(),
    stars: [],
    augmentations: [],
  };
  modules.set(file, module);
  for (const node of program.body) addStatement(module, node);
  return module;
}

function addStatement(module, node) {
  const from = node.source?.value;
  switch (node.type) {
    case "ImportDeclaration":
      for (const { type, local, imported } of node.specifiers)
        module.imports.set(local.name, {
          from,
          name:
            type === "ImportSpecifier" ? imported.name : type === "ImportDefaultSpecifier" ? "default" : "*",
        });
      return;
    case "ExportAllDeclaration":
      module.stars.push(from);
      return;
    case "ExportNamedDeclaration":
      for (const { local, exported } of node.specifiers) {
        module.exports.set(
          exported.name,
          from === undefined ? { local: local.name } : { from, name: local.name },
        );
      }
      if (node.declaration)
        for (const name of declare(module, node.declaration, node)) module.exports.set(name, { local: name });
      return;
    case "TSModuleDeclaration":
    case "TSGlobalDeclaration":
      module.augmentations.push(node);
      return;
    case "ExpressionStatement":
    case "EmptyStatement":
      return;
    default:
      declare(module, node, node);
  }
}

/** Adds what a statement declares, overloads and merged interfaces too; returns the names. */
function declare(module, node, statement) {
  const names =
    node.type === "VariableDeclaration" ? node.declarations.map(({ id }) => id.name) : [node.id?.name];
  for (const name of names) {
    if (name === undefined) throw new Error(`${module.file}: a ${node.type} without a name`);
    const found = module.declarations.get(name) ?? [];
    if (!found.some((each) => each.node === node)) found.push({ node, statement });
    module.declarations.set(name, found);
  }
  return names;
}

function resolved(module, specifier) {
  if (!specifier.startsWith(".")) return undefined;
  return path.join(path.dirname(module.file), specifier.replace(/\.ts$/, ".d.ts"));
}

/** The declaration that a name of a module stands for: `{ module, name }`, or `{ external, name }` for a package's. */
function definitionOf(module, name) {
  if (module.declarations.has(name)) return { module, name };
  const imported = module.imports.get(name);
  return imported && followed(module, imported.from, imported.name);
}

function followed(module, specifier, name) {
  const file = resolved(module, specifier);
  if (file === undefined) return { external: specifier, name };
  return exported(moduleAt(file), name);
}

function exported(module, name) {
  const found = module.exports.get(name);
  if (found?.local !== undefined) return definitionOf(module, found.local);
  if (found) return followed(module, found.from, found.name);
  for (const star of module.stars) {
    const inner = followed(module, star, name);
    if (inner) return inner;
  }
  return undefined;
}

/** Every name that a module exports, by the name it has outside. */
function exportedNames(module) {
  return [
    ...module.exports.keys(),
    ...module.stars.flatMap((star) => exportedNames(moduleAt(resolved(module, star)))),
  ];
}

/** Calls `visit` for each identifier below a node that may name a declaration of the module. */
function identifiersIn(node, visit) {
  if (node.type === "Identifier") visit(node);
  for (const [key, value] of Object.entries(node)) {
    if (key === ownNames[node.type] && !node.computed && value.type === "Identifier") continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child !== "object" || child === null || typeof child.type !== "string") continue;
      // The name of a parameter stands where a type could; its own type is below it.
      if (key === "params" && child.type === "Identifier") {
        if (child.typeAnnotation) identifiersIn(child.typeAnnotation, visit);
      } else if (key === "argument" && node.type === "RestElement" && child.type === "Identifier") continue;
      else identifiersIn(child, visit);
    }
  }
}

/** The declarations of one entry of the package, as the text of one file. */
function bundled(entry) {
  const main = moduleAt(path.join(emitted, entry));
  const names = new Map();
  const taken = new Set();
  const chosen = [];
  const idOf = ({ module, external, name }) => `${external ?? module.file}\0${name}`;

  const add = (definition, wanted) => {
    const id = idOf(definition);
    if (names.has(id)) return;
    if (definition.external !== undefined)
      throw new Error(`${entry}: its types need \`${definition.name}\` of ${definition.external}`);
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
    taken.add(name);
    names.set(id, name);
    chosen.push(definition);
  };
  const outside = exportedNames(main).map((name) => {
    const definition = exported(main, name);
    if (!definition) throw new Error(`${entry}: nothing is exported as \`${name}\``);
    return { name, definition };
  });
  for (const { name, definition } of outside) add(definition, name);

  const referencesIn = (module, node) => {
    const found = [];
    identifiersIn(node, ({ name, start, typeAnnotation }) => {
      const definition = definitionOf(module, name);
      if (definition && !typeAnnotation) found.push({ start, end: start + name.length, definition });
    });
    return found;
  };
  for (const { node } of main.augmentations.map((node) => ({ node })))
    for (const { definition } of referencesIn(main, node)) add(definition, definition.name);
  for (const { module, name } of chosen)
    for (const { node } of module.declarations.get(name))
      for (const { definition } of referencesIn(module, node)) add(definition, definition.name, name);

  /** A node's text with its references as they are called here. */
  const textOf = (module, node, keyword) => {
    let text = "";
    let at = node.start;
    const edits = referencesIn(module, node)
      .map(({ start, end, definition }) => ({ start, end, name: names.get(idOf(definition)) }))
      .sort((a, b) => a.start - b.start);
    for (const { start, end, name } of edits) {
      text += module.text.slice(at, start) + name;
      at = end;
    }
    text += module.text.slice(at, node.end);
    return keyword && !text.startsWith("declare ") ? `declare ${text}` : text;
  };
  /** The comment that stands directly above a statement. */
  const docsOf = (module, { start }) => {
    const comment = module.comments.findLast(
      (each) => each.end <= start && /^\s*$/.test(module.text.slice(each.end, start)),
    );
    return comment?.type === "Block" && comment.value.startsWith("*")
      ? `${module.text.slice(comment.start, comment.end)}\n`
      : "";
  };

  const statements = chosen.flatMap(({ module, name }) =>
    module.declarations
      .get(name)
      .map(
        ({ node, statement }) =>
          docsOf(module, statement) +
          textOf(module, node, !["TSInterfaceDeclaration", "TSTypeAliasDeclaration"].includes(node.type)),
      ),
  );
  const augmentations = main.augmentations.map((node) => docsOf(main, node) + textOf(main, node, false));
  const list = outside.map(({ name, definition }) => {
    const inner = names.get(idOf(definition));
    return inner === name ? name : `${inner} as ${name}`;
  });
  const text = [...statements, ...augmentations, `export { ${list.join(", ")} };`].join("\n");
  // Whoever compiles for an older library need not know this symbol.
  const library = text.includes("Symbol.asyncDispose") ? '/// <reference lib="esnext.disposable" />\n' : "";
  return `${library}${text}\n`;
}

/** The entries of the package, by the name of their module in src/. */
const entries = {
  index: "index",
  jest: "library/jest",
  testing: "library/testing",
  vitest: "library/vitest",
};

for (const [name, source] of Object.entries(entries)) {
  const text = bundled(`${source}.d.ts`);
  fs.writeFileSync(path.join(root, `dist/${name}.d.ts`), text);
  if (fs.existsSync(path.join(root, `dist/${name}.cjs`)))
    fs.writeFileSync(path.join(root, `dist/${name}.d.cts`), text);
}
// Also what earlier builds left there.
for (const entry of fs.readdirSync(path.join(root, "dist"), { withFileTypes: true }))
  if (entry.isDirectory() && !["chunks", "program"].includes(entry.name))
    fs.rmSync(path.join(root, "dist", entry.name), { recursive: true });
