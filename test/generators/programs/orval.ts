import { createBatch, dnsCheck, redirectCheck } from './made/client.js';

// Its functions ask paths: the server is put in front of them.
const ask = globalThis.fetch;
globalThis.fetch = (path, options) =>
  ask(new URL(String(path), server), {
    ...options,
    headers: { ...options?.headers, authorization: `Bearer ${token}` },
  });

const { data, status } = await redirectCheck({ url });
if (status !== 200) throw new Error('no report came');
if (data.state === 'failed') throw new Error(data.findings[0]?.detail);
// @ts-expect-error a field that the document does not have
data.scoore;
told.report = { state: data.state satisfies 'complete' | 'partial' | 'unreachable', hops: data.hops.length };

const refused = await dnsCheck('127.0.0.1');
told.problem = { status: refused.status, code: refused.status === 400 ? refused.data.code : undefined };

// A body may be JSON or lines, and it does not say which it sends.
const json = { headers: { 'content-type': 'application/json' } };
const batch = await createBatch({ check: 'redirect-check', targets: [url] }, undefined, json);
told.batch = batch.status === 201 ? batch.data.total : undefined;
