import { createServer, type Server } from 'node:http';
import { webAddress } from '../test/lab/domain-health/domains.ts';
import { openFarPort } from '../test/lab/domain-health/far-ports.ts';
import { openNameServers } from '../test/lab/domain-health/name-servers.ts';
import { type Lab, openLab } from '../test/lab/kit/lab.ts';
import { openMailHosts } from './mail.ts';
import { certificates, sites } from './sites.ts';
import { flatten, makeZones, plainAddress } from './zones.ts';

export type Internet = {
  /** The authority that signed the certificates, PEM. */
  readonly authority: string;
  /** Settings under which the service sees it as the world. */
  readonly settings: Readonly<Record<string, string>>;
  /** The machine has one loopback address only: no name servers of zones, and no host without https. */
  readonly isSmall: boolean;
};

/**
 * Opens the demo's internet on loopback: web servers, and a resolver with the name servers of every zone.
 * @param delayMs before each piece of an answer, as on a line with that round trip; 0 for none
 */
export async function openInternet(delayMs = 0): Promise<Internet> {
  const zones = makeZones();
  // Linux answers at all of 127.0.0.0/8, other systems at 127.0.0.1 alone.
  const isSmall = !(await hasAddress(plainAddress));
  const lab = await openLab({ sites, certificates, zone: isSmall ? flatten(zones) : {} });
  if (isSmall)
    return {
      authority: lab.authority.cert,
      settings: lab.settings({ NAMESERVER_PORT: lab.dns.address.replace(/.*:/, '') }),
      isSmall,
    };
  const [names, mailPort] = await Promise.all([
    openNameServers(zones, delayMs),
    openMailHosts(lab),
    servePlain(lab),
  ]);
  const ports = delayMs === 0 ? lab.settings()['TARGET_PORT_MAP'] : await farPorts(lab, delayMs);
  return {
    authority: lab.authority.cert,
    settings: lab.settings({
      ...names.settings,
      TARGET_ALLOW_CIDRS: '127.0.0.0/8',
      TARGET_PORT_MAP: `${ports},25=${mailPort}`,
      PROBE_SMTP: 'on',
      SMTP_HELO: 'demo.good.test',
      CONTACT_URL: 'mailto:demo@good.test',
    }),
    isSmall,
  };
}

async function farPorts({ web }: Lab, delayMs: number): Promise<string> {
  const [plain, secure] = [
    await openFarPort(delayMs, [webAddress]),
    await openFarPort(delayMs, [webAddress]),
  ];
  plain.lead(web.httpPort);
  secure.lead(web.httpsPort);
  return `80=${plain.port},443=${secure.port}`;
}

/** The same sites by http alone; for https nobody listens at this address. */
async function servePlain({ web }: Lab): Promise<void> {
  await listen(
    createServer((request, response) => {
      const site = sites[`http://${request.headers.host ?? ''}`];
      if (site) return site(request, response);
      response.writeHead(421).end();
    }),
    web.httpPort,
    plainAddress,
  );
}

async function hasAddress(address: string): Promise<boolean> {
  const server = createServer();
  const isThere = await listen(server, 0, address).then(
    () => true,
    () => false,
  );
  server.close();
  return isThere;
}

function listen(server: Server, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
}
