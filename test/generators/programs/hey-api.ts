import { client } from './made/client.gen.js';
import { createBatch, dnsCheck, redirectCheck } from './made/index.js';

client.setConfig({ baseUrl: server, auth: token });

const { data } = await redirectCheck({ query: { url } });
if (data === undefined || !('check' in data)) throw new Error('no report came');
if (data.state === 'failed') throw new Error(data.findings[0]?.detail);
// @ts-expect-error a field that the document does not have
data.scoore;
told.report = { state: data.state satisfies 'complete' | 'partial' | 'unreachable', hops: data.hops.length };

const refused = await dnsCheck({ path: { domain: '127.0.0.1' } });
told.problem = { status: refused.response?.status, code: refused.error?.code };

const batch = await createBatch({
  body: { check: 'redirect-check', targets: [url] },
});
told.batch = batch.data?.total;
