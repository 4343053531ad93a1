import { type Job, randomId } from '#shared/model/job';
import { type Config, ConfigError } from '#shared/settings/config';
import { isOffered } from '#shared/settings/offered';
import type { Check } from '../checks/check.ts';
import { vantageOf } from '../run/examine.ts';
import type { EvidenceFile } from '../run/judge.ts';
import { prepareProbesOf } from './probe-settings.ts';

/** Runs a check in this process, without queue and store, and gives what was seen. Rejects when the run hits its limit. */
export async function gatherLocally(
  check: Check,
  { target, options }: Pick<Job, 'target' | 'options'>,
  config: Config,
): Promise<EvidenceFile> {
  if (!isOffered(config, check.spec))
    throw new ConfigError(`${check.spec.name} needs the setting ${check.spec.switchedOnBy}=on.`);
  const factory = prepareProbesOf(config);
  const probes = factory.open(AbortSignal.timeout(check.spec.runLimitMs(options)));
  const start = performance.now();
  try {
    const evidence = await check.gather({
      target,
      options,
      probes,
      progress: () => undefined,
    });
    return {
      v: 1,
      check: check.spec.name,
      target,
      options,
      reportId: randomId(),
      checkedAtMs: Date.now(),
      durationMs: Math.round(performance.now() - start),
      freshForS: config.FRESH_SECONDS ?? null,
      keepForS: config.REPORT_TTL_DAYS * 86_400,
      ...vantageOf(config.VANTAGE_ID, probes),
      evidence,
    };
  } finally {
    probes.close();
    factory.close();
  }
}
