import { z } from 'zod';
import { catalogue } from '../catalogue/registry.ts';
import type { CheckSpec } from '../catalogue/spec.ts';
import { codeText } from '../model/finding.ts';
import { checkWords } from '../render/labels.ts';
import { type CheckCall, Refusal } from './service.ts';

type JsonSchema = { readonly [name: string]: unknown };

/** A check as a tool that an agent may call. */
type AgentTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' } & JsonSchema;
  readonly outputSchema: { readonly type: 'object' } & JsonSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
};

/** What the arguments of a tool say, once they are read. */
type ReadArguments = Pick<CheckCall, 'target' | 'options' | 'maxAgeS' | 'recheck'> & {
  /** Whether each finding says why it matters. */
  readonly explain: boolean;
};

const longestTarget = 2048;
const longestOption = 320;
const maxAgeLimitS = 31_536_000;

const maxAgeSchema: JsonSchema = {
  type: 'integer',
  minimum: 0,
  maximum: maxAgeLimitS,
  description: 'Accept a report up to so many seconds old; 0 checks again.',
};

const longestCode = 80;
const recheckSchema: JsonSchema = {
  type: 'string',
  maxLength: longestCode,
  description:
    'After a fix: the code of the finding. Only what found it is checked again, and `recheck` says whether it is fixed.',
};

const explainSchema: JsonSchema = {
  type: 'boolean',
  description: 'Say of each finding what can happen, and to whom.',
};

const text: JsonSchema = { type: 'string' };
const numberOrNull: JsonSchema = { type: ['number', 'null'] };

/** What a call answers: a short report, or how far a run is. Fields beside these differ by check. */
const outputSchema = {
  type: 'object',
  properties: {
    state: { ...text, description: 'How far the check came; "running": call again with the same arguments.' },
    check: text,
    target: text,
    checkedAt: text,
    score: numberOrNull,
    grade: { type: ['string', 'null'] },
    findings: {
      type: 'array',
      description: 'Worst first.',
      items: { type: 'object', properties: { code: text, severity: text }, required: ['code', 'severity'] },
    },
    notTested: { type: 'array', items: text },
    url: { ...text, description: 'The whole report.' },
    recheck: { type: 'object', properties: { code: text, state: text } },
    progress: { type: 'object' },
    retryAfterSeconds: { type: 'number' },
  },
  required: ['state'],
} as const;

/** The tools, in the order of the documentation. Their texts are ours: no target is in them. */
export const agentTools: readonly AgentTool[] = catalogue.map((spec) => ({
  name: spec.name,
  title: checkWords[spec.name]?.name ?? spec.name,
  description: spec.summary,
  inputSchema: {
    type: 'object',
    properties: {
      ...targetSchema(spec),
      ...optionSchemas(spec),
      maxAge: maxAgeSchema,
      recheck: recheckSchema,
      explain: explainSchema,
    },
    required: [spec.targetKind],
    additionalProperties: false,
  },
  outputSchema,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
}));

function targetSchema({ targetKind }: CheckSpec): JsonSchema {
  const description =
    targetKind === 'url' ? 'http or https URL, such as https://example.com/' : 'Domain, such as example.com';
  return { [targetKind]: { type: 'string', maxLength: longestTarget, description } };
}

function optionSchemas({ options }: CheckSpec): JsonSchema {
  return Object.fromEntries(Object.entries(options.shape).map(([name, schema]) => [name, plain(schema)]));
}

/** The schema of an option with the type that a program gives it: addresses have texts only, and patterns are for machines. */
function plain(option: z.core.$ZodType): JsonSchema {
  const whole = z.toJSONSchema(option, { io: 'input' }) as JsonSchema;
  const { enum: choices, items, default: usual } = whole;
  const schema = Object.fromEntries(
    ['type', 'description', 'enum', 'maxItems', 'maxLength'].flatMap((name) =>
      name in whole ? [[name, whole[name]]] : [],
    ),
  );
  if (Array.isArray(choices) && choices.every(isWholeNumber))
    return { ...schema, type: 'integer', enum: choices.map(Number) };
  if (isWholeNumber(usual)) return { ...schema, type: 'integer' };
  return items === undefined ? schema : { ...schema, items: { type: 'string' } };
}

function isWholeNumber(text: unknown): boolean {
  return typeof text === 'string' && /^\d{1,9}$/.test(text);
}

/** Reads the arguments of a call as texts, as they would stand in an address: the service judges them there. Throws a Refusal that names every fault. */
export function readArguments(spec: CheckSpec, given: object): ReadArguments {
  const faults: string[] = [];
  const { explain = false, ...others } = given as { readonly explain?: unknown };
  if (typeof explain !== 'boolean') faults.push('explain: give true or false.');
  const entries = Object.entries<unknown>(others);
  const known = new Set([spec.targetKind, 'maxAge', 'recheck', ...Object.keys(spec.options.shape)]);
  for (const [name] of entries)
    if (!known.has(name))
      faults.push(`${JSON.stringify(name.slice(0, 40))} is not an argument of this tool.`);
  const values = new Map(
    entries.flatMap(([name, value]): [string, string | readonly string[]][] => {
      if (!known.has(name)) return [];
      const texts = textsOf(value, name === spec.targetKind ? longestTarget : longestOption);
      const isMany = Array.isArray(value) && !spec.repeatable.includes(name);
      if (texts === undefined || isMany) faults.push(`${name}: this value has not the type of the argument.`);
      // An empty list is a list that says nothing.
      return texts === undefined || texts.length === 0
        ? []
        : [[name, Array.isArray(value) ? texts : (texts[0] ?? '')]];
    }),
  );
  const target = values.get(spec.targetKind);
  if (target === undefined && faults.length === 0)
    faults.push(`${spec.targetKind}: this argument is needed.`);
  const maxAgeS = readMaxAge(values.get('maxAge'), faults);
  const recheck = readCode(values.get('recheck'), faults);
  if (faults.length > 0) throw new Refusal('invalid_request', faults.join(' '));
  const options = [...values].filter(([name]) => name in spec.options.shape);
  return {
    target: String(target),
    options: Object.fromEntries(options),
    maxAgeS,
    recheck,
    explain: explain === true,
  };
}

type Given = string | readonly string[] | undefined;

function readMaxAge(given: Given, faults: string[]): number | undefined {
  if (given === undefined) return undefined;
  const maxAgeS = Number(given);
  if (!(Number.isInteger(maxAgeS) && maxAgeS >= 0 && maxAgeS <= maxAgeLimitS))
    faults.push(`maxAge: give whole seconds from 0 to ${maxAgeLimitS}.`);
  return maxAgeS;
}

function readCode(given: Given, faults: string[]): string | undefined {
  if (given === undefined || (typeof given === 'string' && codeText.test(given))) return given;
  faults.push('recheck: give the code of a finding.');
  return undefined;
}

/** Texts, numbers and lists of them as texts; undefined for anything else, and for a text that is too long or empty. */
function textsOf(value: unknown, longest: number): readonly string[] | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.length > 50) return undefined;
  const texts = items.flatMap((item) => (typeof item === 'number' ? String(item) : item));
  const areTexts = texts.every(
    (text): text is string => typeof text === 'string' && text !== '' && text.length <= longest,
  );
  return areTexts ? texts : undefined;
}
