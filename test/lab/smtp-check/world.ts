import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { noPace } from '#shared/limits/pace/memory';
import type { Freshness } from '#shared/model/freshness';
import { makeReport, type Report } from '#shared/model/report';
import { codesBroken } from '#shared/model/verdict';
import type { Pace } from '#shared/ports/pace';
import { readConfig } from '#shared/settings/config';
import { assessSmtp } from '../../../worker/checks/smtp-check/assess.ts';
import type { SmtpEvidence } from '../../../worker/checks/smtp-check/evidence.ts';
import { gatherSmtp } from '../../../worker/checks/smtp-check/gather/gather-smtp.ts';
import { smtpCheck } from '../../../worker/checks/smtp-check/index.ts';
import { prepareProbes, type ProbeFactory } from '../../../worker/probes/open.ts';
import type { SmtpLimits } from '../../../worker/probes/smtp/talk.ts';
import { probeSettingsOf } from '../../../worker/start/probe-settings.ts';
import { freePort } from '../../kit/programs.ts';
import { type Authority, makeAuthority } from '../kit/certificates.ts';
import { type DnsServer, type IsSigned, openDnsServer, type Zone } from '../kit/dns-server.ts';
import { type Certificates, openWebServers, type Sites } from '../kit/web-servers.ts';
import { type MailServer, openMailServer, type Script } from './mail-server.ts';

/** Times of a lab: on loopback a reply takes a millisecond, but a busy machine may take seconds. */
const patience: SmtpLimits = { greetingMs: 4000, replyMs: 4000, handshakeMs: 4000, quitMs: 1000 };

export type Checked = {
  readonly evidence: SmtpEvidence;
  readonly broken: readonly string[];
  readonly notTested: ReadonlyMap<string, string>;
  readonly report: Report;
  /** The addresses of the first host, as reported. */
  readonly addresses: readonly { readonly [key: string]: unknown }[];
};

export type MailWorld = {
  readonly authority: Authority;
  readonly dns: DnsServer;
  readonly settings: Record<string, string>;
  /** Where all mail servers listen. */
  readonly port: number;
  /** Opens a server at 127.0.0.<last>. */
  serve(last: number, script: Script): Promise<MailServer>;
  serveAt(address: string, script: Script): Promise<MailServer>;
  check(domain: string, wanted?: Freshness): Promise<Checked>;
  /** The same by a process that knows of nothing. */
  checkAnew(domain: string): Promise<Checked>;
  close(): Promise<void>;
};

export type WorldOptions = {
  readonly isSigned?: IsSigned;
  readonly limits?: Partial<SmtpLimits>;
  readonly pace?: Pace;
  /** The clock by which it is known when a host answered. */
  readonly now?: () => number;
  readonly settings?: Readonly<Record<string, string>>;
  /** Where policies are fetched; at 127.0.0.1. */
  readonly sites?: Sites;
  readonly certificates?: Certificates;
};

/** Opens a small internet of mail: a resolver, an authority that is trusted, and servers that all listen on one port. */
export async function openMailWorld(zone: Zone, options: WorldOptions = {}): Promise<MailWorld> {
  const authority = await makeAuthority();
  setDefaultCACertificates([...getCACertificates('bundled'), authority.cert]);
  const web = await openWebServers(options.sites ?? {}, authority, options.certificates);
  const dns = await openDnsServer(zone, options.isSigned);
  const port = await freePort();
  const servers: MailServer[] = [];
  const settings = {
    DATA_DIR: ':memory:',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'silent',
    DNS_SERVERS: dns.address,
    TARGET_ALLOW_CIDRS: '127.0.0.0/8',
    TARGET_ALLOW_SUFFIXES: 'test',
    TARGET_PORT_MAP: `25=${port},443=${web.httpsPort}`,
    PROBE_SMTP: 'on',
    SMTP_HELO: 'probe.lab.test',
    CONTACT_URL: 'https://probe.lab.test/',
    ...options.settings,
  };
  const serveAt = async (address: string, script: Script): Promise<MailServer> => {
    const server = await openMailServer(address, port, script);
    servers.push(server);
    return server;
  };
  const { pace = noPace, now } = options;
  const limits = { ...patience, ...options.limits };
  const probes = openProbes(settings, pace, { limits, ...(now ? { mailPort: { now } } : {}) });
  return {
    authority,
    dns,
    settings,
    port,
    serve: (last, script) => serveAt(`127.0.0.${last}`, script),
    serveAt,
    check: (domain, wanted) => checkMail(probes, domain, wanted),
    async checkAnew(domain) {
      const anew = openProbes(settings, pace, { limits, ...(now ? { mailPort: { now } } : {}) });
      try {
        return await checkMail(anew, domain);
      } finally {
        anew.close();
      }
    },
    async close() {
      probes.close();
      await Promise.all([dns.close(), web.close(), ...servers.map(async (server) => server.close())]);
    },
  };
}

function openProbes(
  settings: Record<string, string>,
  pace: Pace,
  mail: { readonly limits: SmtpLimits; readonly mailPort?: { readonly now: () => number } },
): ProbeFactory {
  const made = probeSettingsOf(readConfig(settings), pace, {});
  return prepareProbes({ ...made, ...(made.smtp ? { smtp: { ...made.smtp, ...mail } } : {}) });
}

async function checkMail(probes: ProbeFactory, domain: string, wanted?: Freshness): Promise<Checked> {
  const opened = probes.open(AbortSignal.timeout(smtpCheck.spec.runLimitMs({})));
  try {
    const evidence = await gatherSmtp({
      target: domain,
      options: {},
      wanted,
      probes: opened,
      progress: () => undefined,
    });
    return readChecked(evidence, domain);
  } finally {
    opened.close();
  }
}

function readChecked(evidence: SmtpEvidence, domain: string): Checked {
  const assessment = assessSmtp(JSON.parse(JSON.stringify(evidence)) as SmtpEvidence);
  const { name, rules, rulesVersion, freshForS } = smtpCheck.spec;
  const report = makeReport(
    {
      check: name,
      target: { domain },
      rules,
      rulesVersion,
      reportId: 'r',
      checkedAtMs: evidence.at,
      durationMs: 1,
      freshForS,
      keepForS: 60,
    },
    assessment,
  );
  return {
    evidence,
    broken: codesBroken(assessment.verdicts),
    notTested: new Map(report.notTested.map(({ code, reason }) => [code, reason])),
    report,
    addresses: assessment.fields.hosts[0]?.addresses ?? [],
  };
}
