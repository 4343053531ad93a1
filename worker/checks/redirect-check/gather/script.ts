import { type Running, reduceToRunning } from './running-code.ts';

/** What a script does with the visitor's address as it loads. */
export type AddressSetter = {
  /** What it sets, "${location.host}" and the like for parts of the page's own address; null where it is computed otherwise. */
  readonly target: string | null;
};

/** Functions that call functions that set the address: deeper chains are not followed. */
const rounds = 3;

/**
 * Finds where a script sets the visitor's address as it loads: by an assignment, or a call of replace or assign, at the top level or in
 * code that runs at once (blocks, setTimeout, onload, a function that is called there).
 * A guess: the script is neither run nor parsed in full.
 */
export function findAddressSetter(script: string): AddressSetter | undefined {
  if (script.indexOf('location') === -1) return undefined;
  let called: ReadonlySet<string> = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const running = reduceToRunning(script, called);
    const found = addressSetter.exec(running.text);
    if (found) return { target: readTarget(found, running) };
    const more = findCalled(running).filter((name) => running.waiting.has(name) && !called.has(name));
    if (more.length === 0) return undefined;
    called = new Set([...called, ...more]);
  }
  return undefined;
}

// Matched against reduced text, where spaces are single: no part of it can match the same run in two ways.
const addressSetter = new RegExp(
  [
    String.raw`(?:^|[;\n()?:,]|&&|\|\||\b(?:else|return)) ?`,
    String.raw`(?:(?:window|document|self|top|parent|globalThis)\s?\.\s?){0,3}location\s?`,
    String.raw`(?:(?:\.\s?(href|protocol|host|hostname|port|pathname|search)\s?)?=\s?(?=[^=>\s])|\.\s?(?:replace|assign)\s?\(\s?)`,
  ].join(''),
);

const ownPart = String.raw`(?:(?:window|document|self)\s?\.\s?)?location\s?\.\s?(?:origin|href|protocol|host|hostname|pathname|search|hash)\b`;
const operand = String.raw`(?:"\d+"|${ownPart})`;
/** Strings and parts of the page's own address, joined by plus signs, and nothing behind them. */
const sum = new RegExp(String.raw`^${operand}(?:\s?\+\s?${operand})*(?=\s?(?:[;\n),]|$))`);
const variable = /^([A-Za-z_$][\w$]*)(?=\s?(?:[;\n)]|$))/;
const targetLength = 500;

function readTarget(found: RegExpExecArray, { text, literals }: Running): string | null {
  // Setting a part of the address keeps the rest of it.
  if (found[1] !== undefined && found[1] !== 'href') return null;
  const from = found.index + found[0].length;
  const value = text.slice(from, from + targetLength);
  const name = variable.exec(value)?.[1];
  const operands = (name === undefined ? sum.exec(value)?.[0] : findValue(name, text)) ?? null;
  return operands === null ? null : joinOperands(operands, literals);
}

function joinOperands(operands: string, literals: readonly string[]): string {
  return operands
    .split('+')
    .map((each) => {
      const index = /"(\d+)"/.exec(each)?.[1];
      return index === undefined
        ? `\${location.${each.slice(each.lastIndexOf('.') + 1).trim()}}`
        : (literals[Number(index)] ?? '');
    })
    .join('');
}

/** The one string that a variable is set to. */
function findValue(name: string, text: string): string | undefined {
  const escaped = name.replaceAll('$', String.raw`\$`);
  const values = [...text.matchAll(new RegExp(String.raw`(?:^|[;\n, ])${escaped}\s?=\s?("\d+"|[^=])`, 'g'))];
  const value = values[0]?.[1];
  return values.length === 1 && value?.startsWith('"') === true ? value : undefined;
}

const calls = [
  /(?:^|[;\n]|&&|\|\||\b(?:else|return))\s?([A-Za-z_$][\w$]*)\s?\(/g,
  /\bonload\s?=\s?([A-Za-z_$][\w$]*)\b/g,
  /\b(?:setTimeout|requestAnimationFrame|queueMicrotask|ready|\$|jQuery)\s?\(\s?([A-Za-z_$][\w$]*)\s?[,)]/g,
];
const listener = /\baddEventListener\s?\(\s?"(\d+)"\s?,\s?([A-Za-z_$][\w$]*)\s?[,)]/g;

/** Names of functions that are called, or handed on to be called, as the page loads. */
function findCalled({ text, literals }: Running): string[] {
  const names = calls.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));
  const listeners = [...text.matchAll(listener)].flatMap(([, index, name = '']) =>
    isLoading(literals[Number(index)] ?? '') ? [name] : [],
  );
  return [...names, ...listeners];
}

function isLoading(event: string): boolean {
  return /^(?:load|DOMContentLoaded|pageshow)$/.test(event);
}
