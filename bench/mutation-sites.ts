import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import {
  isArrowFunction,
  isBinaryExpression,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isIfStatement,
  isMethodDeclaration,
  isNumericLiteral,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isReturnStatement,
  isStringLiteral,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';

/** A piece of a source text, and what takes its place in a mutant. */
export type Site = {
  readonly at: number;
  readonly end: number;
  readonly line: number;
  readonly from: string;
  readonly to: string;
  /** A statement is left out; an expression is replaced. */
  readonly isStatement: boolean;
};

const operators: ReadonlyMap<string, string> = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['&&', '||'],
  ['||', '&&'],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
]);

const words: ReadonlyMap<string, string> = new Map([
  ["'holds'", "'not-applicable'"],
  ["'not-applicable'", "'holds'"],
]);

/** A call that is left out: what it is called on stands alone. */
const removable = new Set(['filter', 'slice', 'trim', 'toLowerCase', 'toSorted', 'toReversed', 'flat']);

const renamed: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
]);

/**
 * Every place in a function of this file where a mutant can differ: flipped operators, negated conditions,
 * changed constants, calls and early returns left out. In the order of the text.
 */
export function findSites(file: SourceFile): readonly Site[] {
  const sites: Site[] = [];
  const numbers = namedNumbers(file);
  const visit = (node: Node, isInFunction: boolean): void => {
    if (isInFunction) for (const change of changesOf(node, file, numbers)) sites.push(siteOf(file, change));
    const isInside = isInFunction || isFunction(node);
    node.forEachChild((child) => {
      visit(child, isInside);
    });
  };
  visit(file, false);
  return sites.toSorted((a, b) => a.at - b.at || a.end - b.end);
}

type Change = { readonly node: Node; readonly to: string; readonly isStatement?: boolean };

function siteOf(file: SourceFile, { node, to, isStatement = false }: Change): Site {
  const at = node.getStart(file);
  const line = file.text.slice(0, at).split('\n').length;
  return { at, end: node.end, line, from: file.text.slice(at, node.end), to, isStatement };
}

function isFunction(node: Node): boolean {
  return (
    isArrowFunction(node) ||
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isMethodDeclaration(node)
  );
}

/** The names of numbers that stand outside all functions: where they are used, they can be another number. */
function namedNumbers(file: SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: Node): void => {
    if (isFunction(node)) return;
    if (isVariableDeclaration(node) && node.initializer && isNumericLiteral(node.initializer))
      names.add(textOf(node.name, file));
    node.forEachChild(visit);
  };
  visit(file);
  return names;
}

function changesOf(node: Node, file: SourceFile, numbers: ReadonlySet<string>): readonly Change[] {
  if (isBinaryExpression(node)) return operatorChanges(node, file);
  if (isIfStatement(node)) return negated(node.expression, file);
  if (isConditionalExpression(node)) return negated(node.condition, file);
  if (isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
    return [{ node, to: textOf(node.operand, file) }];
  if (isCallExpression(node)) return callChanges(node, file);
  if (isExpressionStatement(node) && isCallExpression(node.expression))
    return [{ node, to: '', isStatement: true }];
  if (isReturnStatement(node) && isEarly(node)) return [{ node, to: '', isStatement: true }];
  return constantChanges(node, file, numbers);
}

function operatorChanges(
  node: Node & { left: Node; right: Node; operatorToken: Node },
  file: SourceFile,
): Change[] {
  const to = operators.get(textOf(node.operatorToken, file));
  if (to === undefined) return [];
  return [{ node, to: `${textOf(node.left, file)} ${to} ${textOf(node.right, file)}` }];
}

/** A comparison is flipped already, and so is a condition that begins with "!". */
function negated(condition: Node, file: SourceFile): Change[] {
  if (isPrefixUnaryExpression(condition)) return [];
  if (isBinaryExpression(condition) && /^[!=]==$/.test(textOf(condition.operatorToken, file))) return [];
  return [{ node: condition, to: `!(${textOf(condition, file)})` }];
}

function callChanges(node: Node & { expression: Node }, file: SourceFile): Change[] {
  const called = node.expression;
  const text = textOf(node, file);
  // A chain that ends early would not end early when a part of it stands in parentheses.
  if (!isPropertyAccessExpression(called) || text.includes('?.')) return [];
  const name = textOf(called.name, file);
  const owner = textOf(called.expression, file);
  if (removable.has(name)) return [{ node, to: owner }];
  const other = renamed.get(name);
  if (other === undefined) return [];
  return [{ node, to: `${owner}.${other}${text.slice(textOf(called, file).length)}` }];
}

function isEarly({ parent }: Node): boolean {
  return isIfStatement(parent) || (isBlock(parent) && isIfStatement(parent.parent));
}

function constantChanges(node: Node, file: SourceFile, numbers: ReadonlySet<string>): Change[] {
  const text = textOf(node, file);
  if (node.kind === SyntaxKind.TrueKeyword) return [{ node, to: 'false' }];
  if (node.kind === SyntaxKind.FalseKeyword) return [{ node, to: 'true' }];
  if (isStringLiteral(node)) {
    const to = words.get(text);
    return to === undefined ? [] : [{ node, to }];
  }
  if (isNumericLiteral(node)) return [{ node, to: `(${text} + 1)` }];
  if (isIdentifier(node) && numbers.has(text) && isOperand(node)) return [{ node, to: `(${text} + 1)` }];
  return [];
}

function isOperand(node: Node): boolean {
  const { parent } = node;
  return isBinaryExpression(parent) || (isCallExpression(parent) && parent.expression !== node);
}

function textOf(node: Node, file: SourceFile): string {
  return file.text.slice(node.getStart(file), node.end);
}
