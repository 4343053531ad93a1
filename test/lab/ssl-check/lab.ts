import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Assessment, makeReport } from '#shared/model/report';
import { codesBroken } from '#shared/model/verdict';
import { readConfig } from '#shared/settings/config';
import { assessSsl } from '../../../worker/checks/ssl-check/assess.ts';
import type { SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import type { AllowanceLimits } from '../../../worker/checks/ssl-check/gather/allowance.ts';
import { allowanceLimits } from '../../../worker/checks/ssl-check/gather/allowance.ts';
import { gatherWithin } from '../../../worker/checks/ssl-check/gather/gather-ssl.ts';
import { sslCheck } from '../../../worker/checks/ssl-check/index.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';
import {
  type Issued,
  issueCertificate,
  issuerAt,
  type Wishes,
} from '../../unit/ssl-check/issue-certificate.ts';
import { knownLogs } from '../../unit/ssl-check/write-timestamps.ts';
import { openDnsServer, type Zone } from '../kit/dns-server.ts';

const dayMs = 86_400_000;

/** On loopback an answer takes a millisecond, but a ticket that is late by a busy machine's doing must still be met. */
const patience = { leastLingerMs: 120 };

/** A run that takes longer is ended. Tests hold against it what must not hang: a busy machine is slow, but not that slow. */
export const runLimitMs = sslCheck.spec.runLimitMs({});

/** An ISO date so many days from now, with half an hour of slack for a slow run. */
export const inDays = (days: number) =>
  new Date(Date.now() + days * dayMs + 1_800_000).toISOString().slice(0, 19);

export type Seen = {
  readonly evidence: SslEvidence;
  readonly assessment: Assessment;
  /** Codes of what is broken, but for the compression of certificates: OpenSSL as Node and Debian build it has none. */
  readonly broken: readonly string[];
  readonly allBroken: readonly string[];
  readonly report: ReturnType<typeof makeReport>;
  readonly tookMs: number;
};

export type SslLab = {
  readonly root: Issued;
  readonly intermediate: Issued;
  /** A certificate for lab.test under the intermediate: 90 days, a month old. */
  readonly leaf: Issued;
  check(port: number, host?: string, more?: Partial<AllowanceLimits>): Promise<Seen>;
  close(): Promise<void>;
};

/** A root that Node trusts for this process, an intermediate, a resolver, and the real probes behind the real guard. */
export async function openSslLab({
  zone = {},
  limits = {},
  allow = '127.0.0.0/8,::1/128',
  watch = (probes) => probes,
}: {
  zone?: Zone;
  limits?: Partial<AllowanceLimits>;
  /** Addresses that the guard lets through. */
  allow?: string;
  /** Stands between the check and its probes. */
  watch?: (probes: Probes) => Probes;
} = {}): Promise<SslLab> {
  const years = { notBefore: inDays(-400), notAfter: inDays(4000), isAuthority: true };
  const root = issueCertificate({ subject: 'Lab Root', issuer: null, ...years });
  const intermediate = issueCertificate({ subject: 'Lab Intermediate', issuer: root, ...years });
  const validity = { notBefore: inDays(-30), notAfter: inDays(60) };
  const leaf = issueCertificate({
    subject: 'lab.test',
    issuer: intermediate,
    names: ['lab.test'],
    ...validity,
    extensions: [issuerAt],
  });
  setDefaultCACertificates([...getCACertificates('bundled'), root.certPem]);
  const dns = await openDnsServer({ 'lab.test': { A: ['127.0.0.1'] }, ...zone });
  const config = readConfig({
    DATA_DIR: ':memory:',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'silent',
    DNS_SERVERS: dns.address,
    TARGET_ALLOW_CIDRS: allow,
    TARGET_ALLOW_SUFFIXES: 'test',
    TARGET_PORTS: '1-65535',
  });
  const probes = prepareProbesOf(config);
  const check: SslLab['check'] = async (port, host = 'lab.test', more = {}) => {
    const opened = probes.open(AbortSignal.timeout(runLimitMs));
    const start = performance.now();
    const context = {
      target: host,
      options: { port: String(port) },
      probes: watch(opened),
      progress: () => undefined,
    };
    const evidence = await gatherWithin(context, { ...allowanceLimits, ...patience, ...limits, ...more });
    opened.close();
    const tookMs = performance.now() - start;
    // As a stored evidence file would: nothing but JSON may matter. The lab has transparency logs of its own, as it has a root.
    const kept: SslEvidence = { ...(JSON.parse(JSON.stringify(evidence)) as SslEvidence), logs: knownLogs };
    const assessment = assessSsl(kept);
    const report = makeReport(factsOf(host, evidence.at, tookMs), assessment);
    const allBroken = codesBroken(assessment.verdicts);
    const broken = allBroken.filter((code) => code !== 'certificate-compression-missing');
    return { evidence, assessment, broken, allBroken, report, tookMs };
  };
  return {
    root,
    intermediate,
    leaf,
    check,
    async close() {
      probes.close();
      await dns.close();
    },
  };
}

function factsOf(host: string, checkedAtMs: number, durationMs: number) {
  const { rules, rulesVersion, name } = sslCheck.spec;
  return {
    check: name,
    target: { domain: host },
    rules,
    rulesVersion,
    reportId: undefined,
    checkedAtMs,
    durationMs,
    freshForS: 1,
    keepForS: 1,
  };
}

/** Issues sound leaves of lab.test by an intermediate; what is wished otherwise is as wished. */
export function leafIssuer(intermediate: Issued): (wishes: Partial<Wishes>) => Issued {
  return (wishes) =>
    issueCertificate({
      subject: 'lab.test',
      issuer: intermediate,
      names: ['lab.test'],
      notBefore: inDays(-30),
      notAfter: inDays(60),
      ...wishes,
      extensions: [issuerAt, ...(wishes.extensions ?? [])],
    });
}
