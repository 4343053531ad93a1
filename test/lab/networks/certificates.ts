import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../dns-check/debian-tools.ts';
import { sites } from './names.ts';

const dayMs = 86_400_000;
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const isAuthority = ['-addext', 'keyUsage=critical,keyCertSign,cRLSign'];

/** Of OpenSSL's ways to sign only this one takes any time of begin and end. */
const register = `[ca]
default_ca = lab
[lab]
certificate = sub.pem
private_key = sub.key
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
unique_subject = no
policy = any
[any]
organizationName = optional
commonName = supplied
`;

/** Makes the lab's authority ("ca.pem"), and for each web host a certificate with its chain ("<domain>.pem", "<domain>.key"). */
export function writeCertificates(folder: string): void {
  const openssl = (...args: readonly string[]) => run('openssl', args, folder);
  const make = (name: string, ...more: readonly string[]) =>
    openssl('req', ...newKey, '-subj', `/O=Lab/CN=${name}`, ...more);
  make('Lab Root', '-x509', '-days', '3650', ...isAuthority, '-keyout', 'ca.key', '-out', 'ca.pem');
  make('Lab Intermediate', '-keyout', 'sub.key', '-out', 'sub.csr');
  writeFileSync(
    join(folder, 'sub.ext'),
    'basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n',
  );
  const byRoot = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'sub.ext'];
  openssl('x509', '-req', '-in', 'sub.csr', ...byRoot, '-days', '1800', '-out', 'sub.pem');
  writeFileSync(join(folder, 'ca.conf'), register);
  writeFileSync(join(folder, 'index'), '');
  for (const [domain, { webIs }] of Object.entries(sites)) {
    make(domain, '-keyout', `${domain}.key`, '-out', `${domain}.csr`);
    writeFileSync(join(folder, `${domain}.ext`), extensionsOf(domain));
    const days = webIs === 'expired' ? ([-80, -10] as const) : ([-10, 70] as const);
    const times = ['-startdate', timeIn(days[0]), '-enddate', timeIn(days[1])];
    const files = ['-in', `${domain}.csr`, '-out', `${domain}.crt`, '-extfile', `${domain}.ext`];
    openssl('ca', '-config', 'ca.conf', '-batch', '-notext', ...times, ...files);
    const chain = [`${domain}.crt`, 'sub.pem'].map((file) => readFileSync(join(folder, file), 'utf8'));
    writeFileSync(join(folder, `${domain}.pem`), chain.join(''));
  }
}

/** As many names as those of a hoster have, so that a server's first flight is longer than one packet. */
function extensionsOf(domain: string): string {
  const more = Array.from({ length: 24 }, (_, index) => `customer-number-${index + 10}.shops.${domain}`);
  const names = [domain, `www.${domain}`, `rdap.${domain}`, ...more].map((name) => `DNS:${name}`);
  return `basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\nsubjectAltName=${names.join(',')}\n`;
}

/** YYMMDDHHMMSSZ */
function timeIn(days: number): string {
  const iso = new Date(Date.now() + days * dayMs).toISOString();
  return `${iso.slice(2, 19).replaceAll(/\D/g, '')}Z`;
}
