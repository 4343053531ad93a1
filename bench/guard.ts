import { classifyAddress } from '#shared/targets/classify-address';
import { parseHttpUrl, type TargetPolicy } from '#shared/targets/parse-target';
import type { Section } from './section.ts';

const policy: TargetPolicy = {
  addresses: { allow: [], deny: [] },
  allowedSuffixes: [],
  ports: [
    [80, 80],
    [443, 443],
  ],
}; // prettier-ignore
const addresses = ['8.8.8.8', '10.0.0.1', '2606:4700::1111', 'fe80::1', '::ffff:7f00:1', '198.51.100.7'];
const urls = [
  'https://example.com/a?b=c',
  'http://2130706433/',
  'http://[::1]/',
  'https://bücher.example.com/',
];

/** Throughput of the guard's classifier and of the reader of URLs, against `new URL` in the same run. */
export async function bench(): Promise<Section> {
  const parse = perSecond(() => urls.forEach((url) => URL.canParse(url) && new URL(url)), urls.length);
  const judge = perSecond(() => urls.forEach((url) => parseHttpUrl(url, policy)), urls.length);
  const classify = perSecond(
    () => addresses.forEach((address) => classifyAddress(address, policy.addresses)),
    addresses.length,
  );
  const us = (rate: number) => (1e6 / rate).toFixed(2);
  console.log(
    `classifyAddress ${us(classify)} µs; parseHttpUrl ${us(judge)} µs, ${(judge / parse).toFixed(2)} of the rate of new URL alone (${us(parse)} µs)`,
  );
  return {
    title: 'Reading addresses and URLs',
    about:
      'Both run for every target, hop and record. The reference is URL.canParse and new URL on the same texts.',
    columns: ['', 'µs', 'rate ÷ that of new URL'],
    rows: [
      ['classifyAddress', us(classify), ''],
      ['parseHttpUrl', us(judge), (judge / parse).toFixed(2)],
      ['new URL alone', us(parse), 1],
    ],
    limits: 'the URL parser itself, and its reading of names in Unicode.',
  };
}

/** By CPU time: other work on the machine takes none of it. */
function perSecond(act: () => void, count: number): number {
  for (let index = 0; index < 2000; index += 1) act();
  const start = process.cpuUsage();
  let rounds = 0;
  let us = 0;
  while (us < 500_000) {
    for (let index = 0; index < 100; index += 1) act();
    rounds += 100;
    const { user, system } = process.cpuUsage(start);
    us = user + system;
  }
  return (rounds * count * 1e6) / us;
}
