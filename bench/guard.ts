import { classifyAddress } from '#shared/target/classify-address';
import { parseHttpUrl, type TargetPolicy } from '#shared/target/parse-target';

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
export async function bench(): Promise<void> {
  const parse = perSecond(() => urls.forEach((url) => URL.canParse(url) && new URL(url)), urls.length);
  const judge = perSecond(() => urls.forEach((url) => parseHttpUrl(url, policy)), urls.length);
  const classify = perSecond(
    () => addresses.forEach((address) => classifyAddress(address, policy.addresses)),
    addresses.length,
  );
  console.log(
    `classifyAddress ${classify.toFixed(0)}/s; parseHttpUrl ${judge.toFixed(0)}/s, ${(judge / parse).toFixed(2)} of new URL alone (${parse.toFixed(0)}/s)`,
  );
}

function perSecond(act: () => void, count: number): number {
  for (let index = 0; index < 2000; index += 1) act();
  const start = performance.now();
  let rounds = 0;
  while (performance.now() - start < 1000) {
    act();
    rounds += 1;
  }
  return (rounds * count * 1000) / (performance.now() - start);
}
