import { valuesOf } from '../../../web/fields.ts';
import {
  defaultReferrerPolicy,
  parseReferrerMeta,
  parseReferrerPolicy,
  type ReferrerPolicy,
} from '../grammar/referrer-policy.ts';
import type { PageFacts } from './page.ts';
import { attributeOf } from './policies.ts';

/** The referrer policy in force, and the two that it comes from. */
export type EffectiveReferrer = {
  readonly policy: ReferrerPolicy;
  readonly by: 'header' | 'meta' | 'default';
  readonly header: ReferrerPolicy | undefined;
  readonly meta: ReferrerPolicy | undefined;
};

/** The policy in force once the page is read: a meta element comes later than the header and wins; the last valid one counts. */
export function readReferrer({
  fields,
  document,
}: Pick<PageFacts, 'fields' | 'document'>): EffectiveReferrer {
  const header = parseReferrerPolicy(valuesOf(fields, 'referrer-policy'));
  const meta = (document?.elements ?? [])
    .filter(
      (element) => element.name === 'meta' && attributeOf(element, 'name')?.toLowerCase() === 'referrer',
    )
    .map((element) => parseReferrerMeta(attributeOf(element, 'content') ?? ''))
    .findLast((policy) => policy !== undefined);
  const by = meta ? 'meta' : header ? 'header' : 'default';
  return { policy: meta ?? header ?? defaultReferrerPolicy, by, header, meta };
}
