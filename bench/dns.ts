import { openLab } from '../test/lab/kit/lab.ts';
import { findCheck } from '../worker/checks/registry.ts';
import { prepareProbesOf } from '../worker/start/probe-settings.ts';
import { inLanes } from './slow-host.ts';

const domains = 300;

/** Domains/s of dns-check in one worker, 16 at a time; the lab's name server shares the process, so it is a floor. */
export async function bench(): Promise<void> {
  const names = Array.from({ length: domains }, (_, index) => `d${index}.test`);
  const zone = Object.fromEntries(
    names.map((name) => [
      name,
      { A: ['127.0.0.1'], MX: [{ preference: 10, exchange: `mx.${name}` }], TXT: ['v=spf1 mx -all'] },
    ]),
  );
  const lab = await openLab({ zone });
  const factory = prepareProbesOf(lab.config());
  const check = await findCheck('dns-check');
  if (!check) throw new Error('there is no dns-check');
  const times: number[] = [];
  const start = performance.now();
  await inLanes(domains, 16, async (index) => {
    const began = performance.now();
    const probes = factory.open(AbortSignal.timeout(20_000));
    check.assess(
      await check.gather({ target: names[index] ?? '', options: {}, probes, progress: () => undefined }),
    );
    probes.close();
    times.push(performance.now() - began);
  });
  const perSecond = (domains * 1000) / (performance.now() - start);
  times.sort((a, b) => a - b);
  console.log(
    `dns-check: ${perSecond.toFixed(0)} domains/s, ${lab.dns.questions.length / domains} questions each, p50 ${times[150]?.toFixed(0)} ms`,
  );
  factory.close();
  await lab.close();
}
