import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A process as Prometheus knows it. */
export type Scraped = {
  readonly job: string;
  readonly instance: string;
  readonly adminUrl: string;
  /** It stands still, so that it is not waited for as long as one that may be busy. */
  readonly isFrozen?: boolean;
};

/** What real processes told at each scrape, and which alarms were to fire then. Between two scrapes lies a minute of Prometheus' time. */
export type Recording = {
  scrape(processes: readonly Scraped[]): Promise<void>;
  /** These alarms fire now, and no others. */
  expectAlarms(...names: readonly string[]): void;
  /** Lets promtool judge all of it by the service's own rules; gives what it says against it, nothing where all is as expected. */
  judge(promtool: string): string;
};

const rules = resolve('deploy/watch/rules.yml');
const used = new Set(readFileSync(rules, 'utf8').match(/\b(?:diag|nodejs|process)_\w+/g));
// The container is that of the tests, with all that runs beside them.
for (const name of used) if (name.startsWith('diag_container_')) used.delete(name);
const scrapeWithinMs = 3000;
const frozenWithinMs = 200;

/** Begins a recording. */
export function openRecording(): Recording {
  const series = new Map<string, string[]>();
  const tests: object[] = [];
  let minute = 0;
  const write = (name: string, value: string) => {
    const values = series.get(name) ?? [];
    while (values.length < minute) values.push('_');
    values.push(value);
    series.set(name, values);
  };
  return {
    async scrape(processes) {
      const told = await Promise.all(
        processes.map(async (each) => ({ ...each, text: await metricsOf(each) })),
      );
      for (const { job, instance, text } of told) {
        const labels = `job="${job}",instance="${instance}"`;
        write(`up{${labels}}`, text === undefined ? '0' : '1');
        for (const [, name = '', own = '', value = ''] of (text ?? '').matchAll(
          /^(\w+)(?:\{(.*)\})? (\S+)$/gm,
        ))
          if (used.has(name)) write(`${name}{${[labels, own].filter(Boolean).join(',')}}`, value);
      }
      minute += 1;
    },
    expectAlarms(...names) {
      // Where tests run side by side, a store may really be slow: this counts only where it is expected.
      const slow = names.includes('DiagBackendSlow') ? '' : ',alertname!="DiagBackendSlow"';
      tests.push({
        expr: `group by (alertname) (ALERTS{alertstate="firing"${slow}})`,
        eval_time: `${minute - 1}m`,
        exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
      });
    },
    judge(promtool) {
      const folder = mkdtempSync(join(tmpdir(), 'diag-alarms-'));
      const input_series = [...series].map(([name, values]) => ({ series: name, values: values.join(' ') }));
      const recorded = {
        rule_files: [rules],
        evaluation_interval: '1m',
        tests: [{ interval: '1m', input_series, promql_expr_test: tests }],
      };
      writeFileSync(join(folder, 'recorded.yml'), JSON.stringify(recorded)); // JSON is YAML
      try {
        execFileSync(promtool, ['test', 'rules', join(folder, 'recorded.yml')], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        return '';
      } catch (error) {
        const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
        return `${stdout}${stderr}`;
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  };
}

async function metricsOf({ adminUrl, isFrozen = false }: Scraped): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(isFrozen ? frozenWithinMs : scrapeWithinMs);
    const answer = await fetch(`${adminUrl}/metrics`, { signal });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined; // it is down
  }
}
