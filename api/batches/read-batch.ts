import type { Request } from 'express';
import { z } from 'zod';
import { readOptions } from '#shared/catalogue/read-options';
import { catalogue, findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { describeFaults, type Fault, Problem } from '#shared/model/problem';
import type { Batch } from '#shared/ports/batch-store';
import { mostTargets } from '../request/body-bounds.ts';
import { faultAt, invalidBody, mostFaults } from '../request/faults.ts';
import { maxAgeText } from '../request/read-ask.ts';
import type { Body } from '../request/read-body.ts';
import { optionValues, type OptionValues, readFields } from '../request/read-json.ts';
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
  return body.type === 'application/json' ? readWhole(request, body.text) : readList(request, body);
}

function readWhole(request: Request, text: string): BatchWish {
  const { faults: unasked } = readQuery(rawQueryOf(request), [], []);
  if (unasked.length > 0) throw new Problem('invalid_request', describeFaults(unasked), { errors: unasked });
  const { fields, faults } = readFields(text, batchSchema);
  const { check, targets, options = {}, maxAge, fresh, label } = fields;
  const found = [...faults];
  const read = check === undefined ? {} : readTyped(specOf(check), options, found);
  if (found.length > 0 || check === undefined || targets === undefined) throw invalidBody(found);
  return {
    check,
    options: read,
    label: label ?? null,
    maxAgeS: fresh === true ? 0 : (maxAge ?? null),
    targets,
  };
}

/** The options of a JSON body as the texts of a query: numbers, booleans and lists have their own types there. */
function readTyped(spec: CheckSpec, options: OptionValues, faults: Fault[]): Batch['options'] {
  const place = (name: PropertyKey) => ['options', name];
  const given = Object.entries(options).flatMap(([name, value]) => {
    if (!Object.hasOwn(spec.options.shape, name)) {
      faults.push(faultAt(place(name.slice(0, 60)), 'This check has no such option.'));
      return [];
    }
    const isMany = spec.repeatable.includes(name);
    if (Array.isArray(value) !== isMany) {
      faults.push(faultAt(place(name), isMany ? 'Give a list.' : 'Give one value.'));
      return [];
    }
    return [[name, Array.isArray(value) ? value.toSorted() : String(value)] as const];
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
  const lines = linesOf(text);
  const targets = readTargets(type === 'text/plain' ? lines : readLines(lines, faults), faults);
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

/** The lines that are not empty; the body's bounds say how many there may be. One pass: an expression would make a list of all the empty ones too. */
function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  let isBlank = true;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? newline : text.charCodeAt(at);
    if (code !== newline && code !== carriageReturn) {
      isBlank &&= code === space || code === tab;
      continue;
    }
    const line = isBlank ? '' : text.slice(start, at).trim();
    if (line !== '') lines.push(line);
    start = at + 1;
    isBlank = true;
  }
  return lines;
}

const [tab, newline, carriageReturn, space] = [9, 10, 13, 32];

function readLines(lines: readonly string[], faults: Fault[]): readonly unknown[] {
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

function readTargets(given: readonly unknown[], faults: Fault[]): readonly string[] {
  if (given.length === 0) faults.push(faultAt(['targets'], 'Give at least one target.'));
  return given.map((target, index) => {
    if (typeof target === 'string' && target.length <= longestTarget) return target;
    if (faults.length < mostFaults) faults.push(faultAt(['targets', index], targetFault));
    return '';
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
