import { rules, type SslCode } from '#shared/catalogue/ssl-check/rules';
import type { Verdicts } from '#shared/model/verdict';
import { webServers } from '../../../fixes/servers.ts';
import { setHsts, setTls, type WantOfRule } from '../../../fixes/want.ts';
import { withFixes } from '../../../fixes/with-fixes.ts';

const protocols = setTls('protocols');
const suites = setTls('suites');

const wants: { readonly [C in SslCode]?: WantOfRule } = {
  'sslv2-offered': protocols,
  'sslv3-cbc-offered': protocols,
  'sslv3-offered': protocols,
  'tls10-offered': protocols,
  'tls11-offered': protocols,
  'tls-missing': protocols,
  'tls12-missing': protocols,
  'tls13-missing': protocols,
  'suite-null-offered': suites,
  'suite-anonymous-offered': suites,
  'suite-export-offered': suites,
  'suite-short-key-offered': suites,
  'suite-rc4-since-tls11': suites,
  'suite-rc4-offered': suites,
  'suite-3des-since-tls11': suites,
  'suite-3des-offered': suites,
  'dh-parameters-small': suites,
  'dh-prime-shared': suites,
  'forward-secrecy-missing': suites,
  'suite-without-forward-secrecy-offered': suites,
  'aead-missing': suites,
  'suite-cbc-offered': suites,
  'suite-finite-field-offered': suites,
  'group-deprecated-chosen': setTls('groups'),
  'early-data-offered': setTls('no-early-data'),
  'hsts-missing': setHsts(),
  'hsts-short': setHsts(),
};

/** The same verdicts; broken ones carry the lines to paste where there are such lines. */
export function withSslFixes(verdicts: Verdicts<SslCode>): Verdicts<SslCode> {
  return withFixes(verdicts, { rules, wants, servers: webServers });
}
