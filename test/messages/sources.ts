import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** The product's own sources as the tests of completeness read them: what is imported, and what is written in them for people. */

const root = resolve(import.meta.dirname, '../..');

export function sourcesIn(...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
}

function parsed(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

/** `file:name` of every function of a folder that a file imports: names that are only types do not count. */
export function importedFrom(folder: string, file: string): readonly string[] {
  return parsed(file).statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const target = relative(root, resolve(root, file, '..', statement.moduleSpecifier.text)).replace(/\.js$/, '.ts');
    const bindings = statement.importClause?.namedBindings;
    if (!target.startsWith(`${folder}/`) || bindings === undefined || statement.importClause?.isTypeOnly === true) return [];
    if (ts.isNamespaceImport(bindings)) return [`${target}:*`];
    return bindings.elements.flatMap((each) => (each.isTypeOnly ? [] : [`${target}:${(each.propertyName ?? each.name).text}`]));
  });
}

/** Functions that a module exports. */
export function functionsOf(file: string): readonly string[] {
  return parsed(file).statements.flatMap((statement) =>
    ts.isFunctionDeclaration(statement) && statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
      ? [`${file}:${statement.name?.text ?? ''}`]
      : [],
  );
}

export function saysSomething(file: string): boolean {
  return nodesOf(parsed(file)).some((node) => ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'say');
}

/** Everything of two words or more that a file holds as text, but for imports, types and faults. */
export function sentencesIn(file: string): readonly string[] {
  return nodesOf(parsed(file)).flatMap((node) => (isText(node) && /\p{L}{2,}[ ,;:.’']+\p{L}{2,}/u.test(node.text) ? [node.text] : []));
}

function isText(node: ts.Node): node is ts.LiteralLikeNode {
  return (
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node)
  );
}

function nodesOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || ts.isThrowStatement(node)) return [];
  const all: ts.Node[] = [node];
  node.forEachChild((child) => {
    all.push(...nodesOf(child));
  });
  return all;
}
