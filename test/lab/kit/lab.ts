import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Config, readConfig } from '#shared/settings/config';
import { type Authority, makeAuthority } from './certificates.ts';
import { type DnsServer, openDnsServer, type Zone } from './dns-server.ts';
import { type Certificates, openWebServers, type Sites, type WebServers } from './web-servers.ts';

/** A small internet on loopback: names, sites, and the settings under which the product sees it as the world. */
export type Lab = {
  readonly dns: DnsServer;
  readonly web: WebServers;
  readonly authority: Authority;
  /** Settings for the product; more may be laid over them. */
  settings(more?: Readonly<Record<string, string>>): Record<string, string>;
  config(more?: Readonly<Record<string, string>>): Config;
  close(): Promise<void>;
};

export type LabOptions = {
  readonly sites?: Sites;
  readonly zone?: Zone;
  readonly certificates?: Certificates;
};

/** Opens a lab; every host of `sites` gets the address 127.0.0.1 unless `zone` says otherwise. */
export async function openLab({ sites = {}, zone = {}, certificates = {} }: LabOptions): Promise<Lab> {
  const authority = await makeAuthority();
  // As NODE_EXTRA_CA_CERTS would at start: trusted beside the bundled roots.
  setDefaultCACertificates([...getCACertificates('bundled'), authority.cert]);
  const web = await openWebServers(sites, authority, certificates);
  const hosts = Object.keys(sites).map((origin) => new URL(origin).hostname);
  const dns = await openDnsServer({
    ...Object.fromEntries(hosts.map((host) => [host, { A: ['127.0.0.1'] }])),
    ...zone,
  });
  const settings = (more: Readonly<Record<string, string>> = {}) => ({
    DATA_DIR: ':memory:',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'silent',
    // A browser is tried at a worker's start; tests that load pages say so.
    WORKER_QUEUES: 'network',
    DNS_SERVERS: dns.address,
    TARGET_ALLOW_CIDRS: '127.0.0.1/32',
    TARGET_ALLOW_SUFFIXES: 'test',
    TARGET_PORT_MAP: `80=${web.httpPort},443=${web.httpsPort}`,
    ...more,
  });
  return {
    dns,
    web,
    authority,
    settings,
    config: (more) => readConfig(settings(more)),
    async close() {
      await Promise.all([web.close(), dns.close()]);
    },
  };
}
