import { z } from 'zod';
import type { Report } from '../../model/report.ts';
import type { Lifetime } from './lifetime.ts';

const date = z.iso.datetime();
const certificate = z.looseObject({ role: z.string(), notBefore: date, notAfter: date, sha256: z.string() });
const dated = z.looseObject({ thisUpdate: date.nullable(), nextUpdate: date.nullable() }).nullable();
const leaf = certificate.extend({
  judged: z.boolean().optional(),
  ocspStaple: dated.optional(),
  revocationList: dated.optional(),
});
const sslFields = z.looseObject({
  host: z.string(),
  certificates: z.array(certificate),
  otherCertificates: z.array(leaf).optional(),
  ocspStaple: dated.optional(),
  revocationList: dated.optional(),
});

type Dated = z.infer<typeof dated>;

/** The certificates that ssl-check was shown, with what tells whether they were revoked: stapled answers, and the lists that they point to. */
export function endingsOfCertificates(report: Report): readonly Lifetime[] {
  const fields = sslFields.safeParse(report).data;
  if (!fields) return [];
  const { host, certificates, otherCertificates = [], ocspStaple, revocationList } = fields;
  const first = certificates.filter(({ role }) => role === 'leaf').slice(0, 1);
  const judged = otherCertificates.filter((one) => one.judged !== false);
  const endings = [
    ...[...first, ...judged].map((one) => endingOf('certificate', host, one.notBefore, one.notAfter)),
    ...[{ ocspStaple, revocationList }, ...judged].flatMap((one) => [
      ...endingOfAnswer('ocsp', host, one.ocspStaple),
      ...endingOfAnswer('crl', host, one.revocationList),
    ]),
  ];
  return unique(endings);
}

function endingOfAnswer(what: 'ocsp' | 'crl', name: string, answer: Dated | undefined): readonly Lifetime[] {
  if (!answer?.nextUpdate) return [];
  return [endingOf(what, name, answer.thisUpdate, answer.nextUpdate)];
}

function endingOf(what: Lifetime['what'], name: string, begins: string | null, ends: string): Lifetime {
  return { what, name, beginsAt: begins === null ? null : Date.parse(begins), endsAt: Date.parse(ends) };
}

// Two certificates of one CA have the same list.
function unique(endings: readonly Lifetime[]): readonly Lifetime[] {
  const keyOf = ({ what, name, beginsAt, endsAt }: Lifetime) => `${what} ${name} ${beginsAt} ${endsAt}`;
  return [...new Map(endings.map((ending) => [keyOf(ending), ending])).values()];
}
