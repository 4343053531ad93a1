import createClient from 'openapi-fetch';
import type { paths } from './made/schema.js';

const client = createClient<paths>({ baseUrl: server, headers: { authorization: `Bearer ${token}` } });

const { data } = await client.GET('/api/tools/redirect-check', { params: { query: { url } } });
if (data === undefined || !('check' in data)) throw new Error('no report came');
if (data.state === 'failed') throw new Error(data.findings[0]?.detail);
// @ts-expect-error a field that the document does not have
data.scoore;
told.report = { state: data.state satisfies 'complete' | 'partial' | 'unreachable', hops: data.hops.length };

const refused = await client.GET('/api/tools/dns-check/{domain}', {
  params: { path: { domain: '127.0.0.1' } },
});
told.problem = { status: refused.response.status, code: refused.error?.code };

const batch = await client.POST('/api/batches', {
  body: { check: 'redirect-check', targets: [url] },
});
told.batch = batch.data?.total;

await client.POST('/api/batches', {
  // @ts-expect-error a field that the service refuses
  body: { check: 'redirect-check', targets: [], colour: 'red' },
});
