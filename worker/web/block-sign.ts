/** What answers instead of the site. */
export type BlockKind =
  | 'challenge'
  | 'denial'
  | 'rate-limit'
  | 'legal'
  | 'login'
  | 'consent'
  | 'maintenance'
  | 'captive-portal';

/** How sure it is that the answer is not the site's page. */
export type Certainty = 'certain' | 'likely';

/** A row of the table: everything that it names must be there. */
export type BlockSign = {
  readonly id: string;
  /** Who answers; null where nobody in particular can be named. */
  readonly vendor: string | null;
  readonly kind: BlockKind;
  readonly certainty: Certainty;
  /** Any of these; any status where it is left out. */
  readonly status?: readonly number[];
  /** Name in lower case → what its value must match. */
  readonly field?: readonly [name: string, value: RegExp];
  /** A cookie's name. */
  readonly cookie?: RegExp;
  /** Markup that stands on block pages alone, found in the first characters of the body. */
  readonly body?: RegExp;
  /** A sentence of the block page. It counts on a bare page only: articles and forums quote such sentences. */
  readonly phrase?: RegExp;
  /** What the page as a whole must be like. */
  readonly page?: (html: string, url?: string) => boolean;
};

export type BlockTraits = Pick<BlockSign, 'status' | 'field' | 'cookie' | 'body' | 'phrase' | 'page'>;

/** Statuses by which servers refuse a client and not an address. */
export const refusals: readonly number[] = [401, 403, 405, 406, 412, 418, 429, 503, 999];
export const any = /(?:)/;

/** A row for what stands on block pages alone. */
export function sign(id: string, vendor: string | null, kind: BlockKind, found: BlockTraits): BlockSign {
  return { id, vendor, kind, certainty: 'certain', ...found };
}

/** A row for a refusal by somebody who is known to stand before sites: it may be its doing or the site's. */
export function likely(id: string, vendor: string, found: BlockTraits): BlockSign {
  return { id, vendor, kind: 'denial', certainty: 'likely', status: refusals, ...found };
}
