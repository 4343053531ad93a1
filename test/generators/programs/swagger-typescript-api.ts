import { Api } from './made/api.js';

const { api } = new Api({
  baseUrl: server,
  baseApiParams: { headers: { authorization: `Bearer ${token}` } },
});

const { data } = await api.redirectCheck({ url });
if (!('check' in data)) throw new Error('no report came');
if (data.state === 'failed') throw new Error(data.findings[0]?.detail);
// @ts-expect-error a field that the document does not have
data.scoore;
told.report = { state: data.state satisfies 'complete' | 'partial' | 'unreachable', hops: data.hops.length };

const refused = await api.dnsCheck('127.0.0.1').then(
  () => undefined,
  (answer: { readonly status: number; readonly error: { readonly code: string } }) => answer,
);
told.problem = { status: refused?.status, code: refused?.error.code };

const batch = await api.createBatch({ check: 'redirect-check', targets: [url] });
told.batch = batch.data.total;
