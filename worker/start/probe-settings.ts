import { noPace } from '#shared/limits/pace/memory';
import type { Pace } from '#shared/ports/pace';
import { type Config, ConfigError } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { namesProxy } from '#shared/settings/proxy';
import { readRdapBootstrapFile } from '#shared/settings/rdap-bootstrap';
import { contains } from '#shared/targets/address';
import { parseCidr } from '#shared/targets/classify-address';
import { dnsLimits } from '../probes/dns/open.ts';
import { httpLimits } from '../probes/http/settings.ts';
import { type MailSettings, prepareProbes, type ProbeFactory, type ProbeSettings } from '../probes/open.ts';
import { openRegistries, readListedRegistries, type Registries } from '../probes/rdap/registries.ts';
import type { PortState } from '../probes/smtp/port.ts';
import type { TalkStore } from '../probes/smtp/shelf.ts';
import { smtpLimits } from '../probes/smtp/talk.ts';
import { tlsLimits } from '../probes/tls/open.ts';
import type { VantageMemory } from '../probes/vantage/memory.ts';
import { browserSettingsOf } from './browser-settings.ts';

/** Where what was seen of mail hosts is kept for other processes, and who hears whether port 25 is open. */
type MailBeside = {
  readonly store?: TalkStore;
  readonly tellPort?: (state: PortState) => void;
};

/**
 * The probes as the settings want them, with production's limits.
 * @param pace of all runs together, which RATE_LIMIT=off sets aside but for registries; left out by labs and by the command line, whose
 *   targets are its own caller's
 * @param mail what others are to know of mail hosts
 */
export function prepareProbesOf(
  config: Config,
  pace: Pace = noPace,
  mail: MailBeside = {},
  vantage?: TellVantage,
): ProbeFactory {
  const factory = prepareProbes(probeSettingsOf(config, pace, mail, vantage));
  return config.PROBE_AXFR ? factory : withoutTransfers(factory);
}

/** Probes for what the service sends of its own accord, to receivers that are no targets: nobody asks whose failure theirs is. */
export function prepareSendersOf(config: Config): ProbeFactory {
  return prepareProbes({ ...probeSettingsOf(config, noPace, {}), vantage: undefined });
}

/** What the settings say of the probes. */
export function probeSettingsOf(
  config: Config,
  pace: Pace,
  mail: MailBeside,
  vantage?: TellVantage,
): ProbeSettings {
  return {
    vantage: vantageSettingsOf(config, vantage),
    pace: config.RATE_LIMIT ? pace : noPace,
    policy: targetPolicyOf(config),
    portMap: config.TARGET_PORT_MAP,
    contactUrl: contactOf(config),
    connectTimeoutMs: 3000,
    socketsPerAddress: 8,
    dns: {
      servers: config.DNS_SERVERS,
      nameserverPort: config.NAMESERVER_PORT,
      originZones: config.ORIGIN_ASN_ZONE,
      ...dnsLimits,
    },
    browser: browserSettingsOf(config),
    http: httpLimits,
    tls: tlsLimits,
    smtp: mailSettingsOf(config, mail),
    rdap: config.PROBE_RDAP ? { registries: registriesOf(config), pace } : undefined,
  };
}

function mailSettingsOf(
  { PROBE_SMTP, SMTP_HELO: helo, SMTP_CONTROL_HOST: controlHost }: Config,
  { store, tellPort }: MailBeside,
): MailSettings | undefined {
  if (!PROBE_SMTP || helo === undefined) return undefined;
  return { helo, controlHost, limits: smtpLimits, store, mailPort: tellPort ? { tell: tellPort } : {} };
}

/** Who hears what is learnt of this machine's network. */
type TellVantage = (memory: VantageMemory) => void;

const loopback = ['127.0.0.0/8', '::1/128'].map(parseCidr);

/** Whether the operator allows targets on this machine itself: then no host of the internet tells anything of the way to them. */
export function isLab({ TARGET_ALLOW_CIDRS }: Config): boolean {
  return TARGET_ALLOW_CIDRS.some(({ network }) => loopback.some((block) => contains(block, network)));
}

function vantageSettingsOf(config: Config, tell: TellVantage | undefined): ProbeSettings['vantage'] {
  return isLab(config) || !config.CONTROLS
    ? undefined
    : { controlHosts: config.CONTROL_HOSTS ?? [], ignoresProxy: namesProxy(), tell };
}

/** A mail address says nothing of what was sent and why: where the service has a public address, its page for owners stands before it. */
function contactOf({ CONTACT_URL, PUBLIC_URL }: Config): string | undefined {
  if (PUBLIC_URL === undefined || CONTACT_URL?.startsWith('mailto:') !== true) return CONTACT_URL;
  // A bracket would end the comment that it stands in.
  const base = PUBLIC_URL.replaceAll('(', '%28').replaceAll(')', '%29');
  return `${base}/owners; ${CONTACT_URL}`;
}

function registriesOf({ RDAP_BOOTSTRAP_FILE: path }: Config): Registries {
  if (path === undefined) return openRegistries(readListedRegistries());
  const read = readRdapBootstrapFile(path);
  if ('fault' in read) throw new ConfigError(`RDAP_BOOTSTRAP_FILE: ${read.fault}`);
  return openRegistries(read.bootstrap);
}

/**
 * The same probes, but none of them asks for a zone transfer: some operators see the question as an attack (PROBE_AXFR).
 * The run's slot is not passed on, so a run keeps it while it waits for a pace (docs/decisions/006 says what was measured).
 */
export function withoutTransfers(factory: ProbeFactory): ProbeFactory {
  return {
    ...factory,
    open(signal, owner) {
      const opened = factory.open(signal, owner);
      const { dns } = opened;
      const { originZones } = dns;
      return { ...opened, dns: { originZones, ask: (question, options) => dns.ask(question, options) } };
    },
  };
}
