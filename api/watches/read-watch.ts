import { z } from 'zod';
import type { Question } from '#shared/ask/question';
import { catalogue, findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { severitySchema } from '#shared/model/finding';
import { readAddress } from '#shared/model/mailbox';
import { type InputError, Problem } from '#shared/model/problem';
import type { Notify } from '#shared/model/watch';
import { parseHttpUrl, tellFault } from '#shared/targets/parse-target';
import { targetText, webAddressText } from '#shared/targets/target-texts';
import { giveBack } from '#shared/time/give-back';
import { mostTargets } from '../request/body-bounds.ts';
import { faultAt, invalidBody, mostFaults, placeIn } from '../request/faults.ts';
import { optionValues } from '../request/read-json.ts';
import type { Services } from '../services.ts';

const longestLabel = 200;
const names = catalogue.map(({ name }) => name);

const fields = {
  targets: z
    .array(z.string().max(2048).meta({ pattern: targetText.source }))
    .min(1, 'Give at least one target.')
    .max(mostTargets, `Give at most ${mostTargets} targets.`),
  options: optionValues,
  everySeconds: z.int('Give whole seconds.').min(1).max(2_592_000, 'Give at most 2592000 seconds, 30 days.'),
  label: z
    .string()
    .min(1)
    .max(longestLabel)
    .regex(/^[^\x00-\x1f\x7f-\x9f]*$/u, 'It has control characters.'),
  webhook: z.strictObject({ url: z.string().max(2048).meta({ pattern: webAddressText.source }) }),
  minSeverity: severitySchema,
  daysBefore: z.array(z.int().min(0).max(3650)).max(10, 'Give at most ten numbers of days.'),
};
const email = z.strictObject({ to: z.string().max(254) }).nullable();

/** The body of a new watch. */
export const newWatchSchema = z
  .strictObject({
    check: z.enum(names, `Give one of: ${names.join(', ')}.`),
    targets: fields.targets,
    everySeconds: fields.everySeconds,
    options: fields.options.optional(),
    label: fields.label.nullable().optional(),
    notify: z
      .strictObject({
        webhook: fields.webhook.nullable().optional(),
        email: email.optional(),
        minSeverity: fields.minSeverity.optional(),
        daysBefore: fields.daysBefore.optional(),
      })
      .optional(),
  })
  .meta({ id: 'WatchRequest' });

/** The body of a change: a JSON merge patch (RFC 7396), in which null takes a field back to its default. */
export const watchPatchSchema = z
  .strictObject({
    label: fields.label.nullable().optional(),
    targets: fields.targets.optional(),
    options: fields.options.nullable().optional(),
    everySeconds: fields.everySeconds.optional(),
    paused: z.boolean().optional(),
    notify: z
      .strictObject({
        webhook: z.strictObject({ url: fields.webhook.shape.url.optional() }).nullable().optional(),
        email: z.strictObject({ to: email.unwrap().shape.to.optional() }).nullable().optional(),
        minSeverity: fields.minSeverity.nullable().optional(),
        daysBefore: fields.daysBefore.nullable().optional(),
      })
      .nullable()
      .optional(),
  })
  .meta({ id: 'WatchPatch' });

const usualNotify: Notify = { webhook: null, email: null, minSeverity: 'medium', daysBefore: [30, 7, 1] };

/** Whom a watch tells, once a wish was merged into what there is. */
export function mergeNotify(
  wish: z.infer<typeof watchPatchSchema>['notify'],
  known: Notify = usualNotify,
): Notify {
  if (wish === undefined) return known;
  if (wish === null) return usualNotify;
  const severity = wish.minSeverity === undefined ? known.minSeverity : wish.minSeverity;
  const days = wish.daysBefore === undefined ? known.daysBefore : wish.daysBefore;
  return {
    email: mergeEmail(wish.email, known.email),
    webhook: mergeWebhook(wish.webhook, known.webhook),
    minSeverity: severity ?? usualNotify.minSeverity,
    daysBefore: [...(days ?? usualNotify.daysBefore)],
  };
}

type NotifyPatch = NonNullable<z.infer<typeof watchPatchSchema>['notify']>;

function mergeWebhook(wish: NotifyPatch['webhook'], known: Notify['webhook']): Notify['webhook'] {
  if (wish === undefined) return known;
  const url = wish?.url ?? known?.url;
  return wish === null || url === undefined ? null : { url };
}

function mergeEmail(wish: NotifyPatch['email'], known: Notify['email']): Notify['email'] {
  if (wish === undefined) return known;
  const to = wish?.to ?? known?.to;
  return wish === null || to === undefined ? null : { to };
}

type ReadServices = Pick<Services, 'questions' | 'site' | 'targetPolicy'>;
export type WatchInput = {
  readonly spec: CheckSpec;
  readonly options: z.infer<typeof fields.options>;
  readonly targets: readonly string[];
  readonly account: string;
};
/** Targets and options of a watch, understood. */
export type Understood = {
  readonly options: Question['options'];
  readonly targets: readonly Pick<Question, 'target' | 'host'>[];
};

/**
 * Understands targets and options as a GET of the tool would. Rejects with the Problem that names every fault by its JSON Pointer.
 * @param told faults that were found in the body before, and are reported with them
 */
export async function readTargets(
  services: ReadServices,
  { spec, options, targets, account }: WatchInput,
  told: readonly InputError[] = [],
): Promise<Understood> {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(spec.options.shape, name));
  const known = Object.entries(options).filter(([name]) => !unknown.includes(name));
  const given = Object.fromEntries(known);
  const owner = services.site.ownerOf(account);
  const asked: Question[] = [];
  const faults: CodedInputError[] = [
    ...told,
    ...unknown.map((name) => faultAt(['options', name.slice(0, 60)], `${spec.name} has no such option.`)),
  ].map((fault) => ({ ...fault, code: 'invalid_request' }));
  for (const [at, target] of targets.entries()) {
    const place = (about: 'target' | { readonly option: string }) =>
      placeIn(about === 'target' ? ['targets', at] : ['options', about.option]);
    const question = services.questions.read(spec, { target, options: given, place }, owner);
    if (!(question instanceof Problem)) asked.push(question);
    else if (question.errors === undefined) throw question;
    else faults.push(...codedFaults(question));
    if (faults.length >= mostFaults) break;
    await giveBack();
  }
  for (const code of ['invalid_request', 'target_not_allowed'] as const) refuse(code, faults);
  const found = new Map(asked.map(({ target, host }) => [target, { target, host }]));
  return { options: asked[0]?.options ?? {}, targets: [...found.values()] };
}

type CodedInputError = InputError & { readonly code: RefusalCode };

type RefusalCode = 'invalid_request' | 'target_not_allowed';

function codedFaults({ code, errors = [] }: Problem): readonly CodedInputError[] {
  const told: RefusalCode = code === 'target_not_allowed' ? code : 'invalid_request';
  return errors.map((fault) => ({ ...fault, code: told }));
}

/** Throws for the faults of this kind; one that is true of every target is reported once. */
function refuse(code: RefusalCode, faults: readonly CodedInputError[]): void {
  const own = faults.filter((fault) => fault.code === code);
  const told = new Map(own.map(({ code: _code, ...fault }) => [`${fault.name} ${fault.detail}`, fault]));
  if (told.size === 0) return;
  const errors = [...told.values()];
  throw new Problem(code, invalidBody(errors).detail, { errors });
}

/** The address of a receiver in normal form: https, as a target that may be checked. Throws a Problem. */
export function readWebhook({ targetPolicy }: ReadServices, url: string): string {
  const at = ['notify', 'webhook', 'url'];
  const parsed = parseHttpUrl(url, targetPolicy);
  if (parsed.ok && parsed.value.protocol === 'https:') return parsed.value.href;
  if (parsed.ok) throw invalidBody([faultAt(at, 'Give an https:// address.')]);
  const fault = faultAt(at, tellFault(parsed.fault));
  if (parsed.fault.kind === 'malformed') throw invalidBody([fault]);
  throw new Problem('target_not_allowed', `${fault.name}: ${fault.detail}`, { errors: [fault] });
}

/** An e-mail address in normal form. Throws a Problem for what is none, and where this service sends no mail. */
export function readEmail({ sendsMail }: ReadServices['site'], text: string): string {
  if (!sendsMail)
    throw invalidBody([
      faultAt(
        ['notify', 'email'],
        'This service sends no e-mail. Set it to null and use a webhook, or the feed: POST /api/watches/links gives its address.',
      ),
    ]);
  const to = readAddress(text);
  if (to !== undefined) return to;
  throw invalidBody([
    faultAt(
      ['notify', 'email', 'to'],
      'Give one e-mail address in ASCII, such as name@example.com, without a name, quotes or comments.',
    ),
  ]);
}

/** The check of a watch. */
export function specOf(check: string): CheckSpec {
  const spec = findSpec(check);
  if (!spec) throw new Error(`${check} is in the catalogue`);
  return spec;
}
