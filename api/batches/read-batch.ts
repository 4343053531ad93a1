import type { Request } from 'express';
import { z } from 'zod';
import { readOptions } from '#shared/catalogue/read-options';
import { catalogue, findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { type Fault, Problem } from '#shared/model/problem';
import type { Batch } from '#shared/ports/batch-store';
import { maxAgeText } from '../request/ask.ts';
import type { Body } from '../request/read-body.ts';
import { faultAt, invalidBody, readJson } from '../request/read-json.ts';
import { describeFaults, rawQueryOf, readQuery } from '../request/read-query.ts';

/** What a POST takes. */
export const batchTypes = ['application/json', 'text/plain', 'application/x-ndjson'] as const;
export const batchBytes = 2_000_000;
const mostTargets = 10_000;
/** The longest URL of a check, and room for what makes it none. */
const longestTarget = 4096;
const longestMaxAgeS = 31_536_000;

/** A batch as it was asked for. */
export type BatchWish = Pick<Batch, 'check' | 'options' | 'label' | 'maxAgeS'> & {
  readonly targets: readonly string[];
};

const names = catalogue.map(({ name }) => name);
const checkFault = `Give one of: ${names.join(', ')}.`;
const labelFault = 'Give 1 to 100 characters in one line.';
/** The body as JSON. `options` are the query's names of the check, with real types. */
export const batchSchema = z
  .strictObject({
    check: z.enum(names, checkFault),
    targets: z
      .array(z.unknown(), 'Give a list of domains or URLs, as the check takes them.')
      .meta({ minItems: 1, maxItems: mostTargets, items: { type: 'string' } }),
    options: z.record(z.string(), z.unknown()).optional(),
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
  return body.type === 'application/json' ? readWhole(request, body.text) : readList(request, body);
}

function readWhole(request: Request, text: string): BatchWish {
  const { faults: unasked } = readQuery(rawQueryOf(request), [], []);
  if (unasked.length > 0) throw new Problem('invalid_request', describeFaults(unasked), { errors: unasked });
  const { check, targets, options = {}, maxAge, fresh, label } = readJson(text, batchSchema);
  const faults: Fault[] = [];
  const spec = specOf(check);
  const read = readTyped(spec, options, faults);
  const wish = {
    check,
    options: read,
    label: label ?? null,
    maxAgeS: fresh === true ? 0 : (maxAge ?? null),
    targets: readTargets(targets, faults),
  };
  if (faults.length > 0) throw invalidBody(faults);
  return wish;
}

/** The options of a JSON body as the texts of a query: numbers, booleans and lists have their own types there. */
function readTyped(spec: CheckSpec, options: object, faults: Fault[]): Batch['options'] {
  const place = (name: PropertyKey) => ['options', name];
  const given = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (!Object.hasOwn(spec.options.shape, name)) {
      faults.push(faultAt(place(name.slice(0, 60)), 'This check has no such option.'));
      return [];
    }
    const isMany = spec.repeatable.includes(name);
    if (Array.isArray(value) !== isMany || (typeof value === 'object' && !isMany)) {
      faults.push(faultAt(place(name), isMany ? 'Give a list.' : 'Give one value.'));
      return [];
    }
    return [[name, isMany ? (value as unknown[]).map(String).toSorted() : String(value)] as const];
  });
  const read = readOptions(spec, Object.fromEntries(given));
  if ('options' in read) return read.options;
  faults.push(...read.issues.map(({ path, message }) => faultAt(place(path[0] ?? ''), message)));
  return {};
}

/** A list whose check and options stand in the query: one target a line, or a JSON string a line. */
function readList(request: Request, { type, text }: Body): BatchWish {
  const { searchParams } = new URL(`http://localhost/?${rawQueryOf(request)}`);
  const spec = findSpec(searchParams.get('check') ?? '');
  if (!spec)
    throw new Problem('invalid_request', `check: ${checkFault}`, {
      errors: [{ in: 'query', name: 'check', detail: checkFault }],
    });
  const own = Object.keys(spec.options.shape);
  const { values, faults: found } = readQuery(
    rawQueryOf(request),
    ['check', 'label', 'maxAge', 'fresh', ...own],
    spec.repeatable,
  );
  const faults: Fault[] = [...found];
  const one = (name: string) => values.get(name)?.[0];
  const sent = own.flatMap((name) => {
    const texts = values.get(name);
    return texts ? [[name, spec.repeatable.includes(name) ? texts.toSorted() : texts[0]] as const] : [];
  });
  const read = readOptions(spec, Object.fromEntries(sent));
  if (!('options' in read))
    faults.push(
      ...read.issues.map(({ path, message }): Fault => ({
        in: 'query',
        name: String(path[0]),
        detail: message,
      })),
    );
  const label = batchSchema.shape.label.safeParse(one('label'));
  if (!label.success) faults.push({ in: 'query', name: 'label', detail: labelFault });
  const maxAgeS = readAge(one('maxAge'), one('fresh'), faults);
  const targets = readTargets(type === 'text/plain' ? linesOf(text) : readLines(text, faults), faults);
  if (faults.length > 0) throw invalidBody(faults);
  return {
    check: spec.name,
    options: 'options' in read ? read.options : {},
    label: label.data ?? null,
    maxAgeS,
    targets,
  };
}

function readAge(maxAge: string | undefined, fresh: string | undefined, faults: Fault[]): number | null {
  if (fresh !== undefined && fresh !== '1')
    faults.push({ in: 'query', name: 'fresh', detail: 'Give 1, or leave it out.' });
  if (maxAge !== undefined && !maxAgeText.test(maxAge))
    faults.push({
      in: 'query',
      name: 'maxAge',
      detail: `Give whole seconds from 0 to ${longestMaxAgeS}.`,
    });
  if (fresh === '1') return 0;
  return maxAge === undefined ? null : Number(maxAge);
}

function linesOf(text: string): readonly string[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r\n|[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function readLines(text: string, faults: Fault[]): readonly unknown[] {
  return linesOf(text).map((line, index): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      // Told as a fault.
      if (faults.length < mostFaults)
        faults.push(faultAt([index], 'This line is no JSON. Give a string on each line.'));
      return '';
    }
  });
}

const mostFaults = 50;

function readTargets(given: readonly unknown[], faults: Fault[]): readonly string[] {
  if (given.length === 0) faults.push(faultAt(['targets'], 'Give at least one target.'));
  if (given.length > mostTargets) {
    faults.push(faultAt(['targets'], `Give at most ${mostTargets} targets; these are ${given.length}.`));
    return [];
  }
  return given.map((target, index) => {
    if (typeof target === 'string' && target.length <= longestTarget) return target;
    if (faults.length < mostFaults)
      faults.push(faultAt(['targets', index], `Give a text of at most ${longestTarget} characters.`));
    return '';
  });
}

function specOf(check: string): CheckSpec {
  const spec = findSpec(check);
  if (!spec) throw new Error(`${check} is in the catalogue`);
  return spec;
}
