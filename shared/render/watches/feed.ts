import type { Delivery } from '../../model/watch.ts';
import { markup, nothing, printMarkup } from '../markup.ts';
import { visible } from '../visible-text.ts';

export type Feed = {
  readonly feedId: string;
  /** Its own address; undefined where the service has no public one. */
  readonly self: string | undefined;
  readonly events: readonly Pick<Delivery, 'deliveryId' | 'type' | 'createdAt' | 'body'>[];
};

type EventBody = {
  readonly data?: { readonly summary?: string; readonly links?: { readonly page?: string | null } | null };
};

/** The events of watches as an Atom feed (RFC 4287), newest first. */
export function renderFeed({ feedId, self, events }: Feed): string {
  const updated = new Date(events[0]?.createdAt ?? 0).toISOString();
  const feed = markup`<feed xmlns="http://www.w3.org/2005/Atom">
<id>${feedId}</id>
<title>Diagnostic Tools: watches</title>
<updated>${updated}</updated>
<author><name>Diagnostic Tools</name></author>
${
  self === undefined
    ? nothing
    : markup`<link rel="self" href="${self}"/>
`
}${events.map(({ deliveryId, type, createdAt, body }) => {
    const { data } = JSON.parse(body) as EventBody;
    const summary = visible(data?.summary ?? '');
    const page = data?.links?.page;
    return markup`<entry>
<id>urn:diag:event:${deliveryId}</id>
<title>${summary.slice(0, longestTitle)}</title>
<updated>${new Date(createdAt).toISOString()}</updated>
<category term="${type}"/>
${
  typeof page === 'string'
    ? markup`<link rel="alternate" href="${page}"/>
`
    : nothing
}<summary>${summary}</summary>
</entry>
`;
  })}</feed>
`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${printMarkup(feed)}`;
}

const longestTitle = 200;
