import type { Request } from 'express';
import { z } from 'zod';
import { invalidRequest } from '#shared/ask/question';
import { readOptions } from '#shared/catalogue/read-options';
import { catalogue, findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { InputError } from '#shared/model/problem';
import type { Batch } from '#shared/ports/batch-store';
import { mostTargets } from '../request/body-bounds.ts';
import { faultAt, invalidBody, mostFaults } from '../request/faults.ts';
import { linesOf } from '../request/lines.ts';
import { givenOptions } from '../request/read-ask.ts';
import type { Body } from '../request/read-body.ts';
import {
  optionValues,
  type OptionValues,
  type ReadFields,
  readFields,
  readFieldsOf,
} from '../request/read-json.ts';
import { rawQueryOf, readQuery } from '../request/read-query.ts';

/** The longest URL of a check, and room for what makes it none. */
const longestTarget = 4096;
const longestMaxAgeS = 31_536_000;

/** A batch as it was asked for. */
export type BatchWish = Pick<Batch, 'check' | 'options' | 'label' | 'maxAgeS'> & {
  readonly targets: readonly string[];
};

const names = catalogue.map(({ name }) => name);
const checkFault = `Give one of: ${names.join(', ')}.`;
const targetFault = `Give a text of at most ${longestTarget} characters.`;
const targetShape = z.string(targetFault).max(longestTarget, targetFault);
const labelFault = 'Give 1 to 100 characters in one line.';
/** The body as JSON. `options` are the query's names of the check, with real types. */
export const batchSchema = z
  .strictObject({
    check: z.enum(names, checkFault),
    targets: z
      .array(targetShape, 'Give a list of domains or URLs, as the check takes them.')
      .min(1, 'Give at least one target.')
      .max(mostTargets, { error: ({ input }) => tooManyTargets((input as readonly unknown[]).length) }),
    options: optionValues.optional(),
    maxAge: z.int('Give whole seconds.').min(0).max(longestMaxAgeS).optional(),
    fresh: z.boolean('Give true or false.').optional(),
    label: z
      .string(labelFault)
      .regex(/^[^\x00-\x1f\x7f-\x9f]{1,100}$/u, labelFault)
      .optional(),
  })
  .meta({ id: 'BatchRequest' });

/** Understands a POST. Throws the Problem that names every fault. */
export function readBatchWish(request: Request, body: Body): BatchWish {
  const { sent, unasked } =
    body.type === 'application/json' ? wholeOf(request, body.text) : listOf(request, body);
  const { check, targets, options = {}, maxAge, fresh, label } = sent.fields;
  const faults: InputError[] = [...unasked, ...sent.faults];
  const read = check === undefined ? {} : readTyped(specOf(check), options, faults);
  if (faults.length > 0 || check === undefined || targets === undefined)
    throw invalidBody(body.type === 'application/json' ? faults : faults.map(inQuery));
  return {
    check,
    options: read,
    label: label ?? null,
    maxAgeS: fresh === true ? 0 : (maxAge ?? null),
    targets,
  };
}

type Sent = {
  readonly sent: ReadFields<typeof batchSchema.shape>;
  /** What was wrong beside the fields. */
  readonly unasked: readonly InputError[];
};

function wholeOf(request: Request, text: string): Sent {
  const { faults } = readQuery(rawQueryOf(request), [], []);
  if (faults.length > 0) throw invalidRequest(faults);
  return { sent: readFields(text, batchSchema), unasked: [] };
}

/** A list whose check and options stand in the query: one target a line, or a JSON string a line. */
function listOf(request: Request, { type, text }: Body): Sent {
  const raw = rawQueryOf(request);
  const spec = findSpec(new URLSearchParams(raw).get('check') ?? '');
  if (!spec) throw invalidRequest([{ in: 'query', name: 'check', detail: checkFault }]);
  const own = Object.keys(spec.options.shape);
  const { values, faults } = readQuery(raw, [...fieldsOfQuery, ...own], spec.repeatable);
  const unasked: InputError[] = [...faults];
  const [maxAge] = values.get('maxAge') ?? [];
  const [fresh] = values.get('fresh') ?? [];
  if (fresh !== undefined && fresh !== '1')
    unasked.push({ in: 'query', name: 'fresh', detail: 'Give 1, or leave it out.' });
  const lines = linesOf(text);
  const object = {
    check: spec.name,
    targets: type === 'text/plain' ? lines : readLines(lines, unasked),
    options: givenOptions(spec, { values }),
    label: values.get('label')?.[0],
    // A text that is no number stays one, and is reported as it was sent.
    maxAge: maxAge === undefined || !/^\d{1,9}$/.test(maxAge) ? maxAge : Number(maxAge),
    ...(fresh === '1' ? { fresh: true } : {}),
  };
  return { sent: readFieldsOf(object, batchSchema), unasked };
}

const fieldsOfQuery = ['check', 'label', 'maxAge', 'fresh'] as const;

/** Of a list, all but the targets stand in the query. */
function inQuery(fault: InputError): InputError {
  const [, first = '', option] = fault.in === 'body' ? fault.name.split('/') : [];
  const name = first === 'options' ? option : fieldsOfQuery.find((field) => field === first);
  return name === undefined ? fault : { ...fault, in: 'query', name };
}

/** The options of a body as the texts of a query: numbers, booleans and lists have their own types there. */
function readTyped(spec: CheckSpec, options: OptionValues, faults: InputError[]): Batch['options'] {
  const given = Object.entries(options).flatMap(([name, value]) => {
    if (!Object.hasOwn(spec.options.shape, name)) {
      faults.push(faultAt(['options', name.slice(0, 60)], 'This check has no such option.'));
      return [];
    }
    const isMany = spec.repeatable.includes(name);
    if (Array.isArray(value) !== isMany) {
      faults.push(faultAt(['options', name], isMany ? 'Give a list.' : 'Give one value.'));
      return [];
    }
    return [[name, Array.isArray(value) ? value.toSorted() : String(value)] as const];
  });
  const read = readOptions(spec, Object.fromEntries(given));
  if ('options' in read) return read.options;
  faults.push(...read.issues.map(({ path, message }) => faultAt(['options', path[0] ?? ''], message)));
  return {};
}

function readLines(lines: readonly string[], faults: InputError[]): readonly unknown[] {
  return lines.map((line, index): unknown => {
    // What is refused costs as much as what is understood, and more than 50 faults are not told.
    if (faults.length >= mostFaults) return '';
    try {
      return JSON.parse(line);
    } catch {
      // Told as a fault.
      faults.push(faultAt([index], 'This line is no JSON. Give a string on each line.'));
      return '';
    }
  });
}

function tooManyTargets(count: number): string {
  return `Give at most ${mostTargets} targets; these are ${count}.`;
}

function specOf(check: string): CheckSpec {
  const spec = findSpec(check);
  if (!spec) throw new Error(`${check} is in the catalogue`);
  return spec;
}
