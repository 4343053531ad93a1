import type { Rule } from '../../../model/verdict.ts';

const acmeMethods = {
  title: 'IANA: ACME Validation Methods',
  url: 'https://www.iana.org/assignments/acme/#acme-validation-methods',
};

/** What can be wrong with CAA. Points: 20 no certificate is issued, 9 it does not do what it says, 1 hygiene. */
export const caaRules = {
  'caa-missing': {
    part: 'caa',
    severity: 'info',
    points: 0,
    title: 'Any CA may issue certificates for the domain',
    detail: 'Neither {name} nor a name above it has a CAA record.',
    fix: 'Publish a CAA record that names your CA.',
    references: ['RFC 8659 §3'],
  },
  'caa-lookup-failed': {
    part: 'caa',
    severity: 'medium',
    points: 9,
    title: 'The lookup of CAA fails, and CAs may not issue',
    detail: 'The lookup of CAA for {name} fails: {reason}. {effect}',
    fix: 'Let the name servers of that name, or of the name that its alias leads to, answer for CAA: with records, or with “there is none”.',
    references: [
      'RFC 8659 §3',
      {
        title: 'CA/Browser Forum Baseline Requirements §3.2.2.8',
        url: 'https://cabforum.org/working-groups/server/baseline-requirements/requirements/',
      },
    ],
  },
  'caa-unknown-critical': {
    part: 'caa',
    severity: 'high',
    points: 20,
    title: 'A CAA record forbids all CAs that do not know it',
    detail:
      'The property “{tag}” at {name} is marked critical and is not a known one; CAs must then refuse to issue.',
    fix: 'Correct the tag, or set the flags to 0.',
    references: ['RFC 8659 §4.1', 'RFC 8659 §4.5'],
  },
  'caa-value-malformed': {
    part: 'caa',
    severity: 'medium',
    points: 9,
    title: 'A CAA record cannot be read',
    detail: '{tag} “{value}” at {name}: {reason}. A CA treats it as a ban.',
    fix: 'Write only the CA’s own domain name, for example “letsencrypt.org”, with parameters after a semicolon.',
    references: ['RFC 8659 §4.2'],
  },
  'caa-methods-none-known': {
    part: 'caa',
    severity: 'medium',
    points: 9,
    title: 'A CAA record allows only validation methods that do not exist',
    detail:
      '{tag} “{value}” at {name} allows {methods}, and no CA knows such a method.{meant} The CA cannot issue by this record.',
    fix: 'Name methods as ACME does, in small letters with commas between them, for example validationmethods=dns-01,http-01.',
    references: ['RFC 8657 §4', acmeMethods],
  },
  'caa-method-unknown': {
    part: 'caa',
    severity: 'low',
    points: 1,
    title: 'A CAA record names a validation method that does not exist',
    detail:
      '{tag} at {name} allows the method “{method}”, which no CA knows.{meant} The other methods count.',
    fix: 'Correct the name of the method, or remove it.',
    references: ['RFC 8657 §4', acmeMethods],
  },
  'caa-parameter-misspelt': {
    part: 'caa',
    severity: 'low',
    points: 1,
    title: 'A parameter of a CAA record is misspelt',
    detail:
      '{tag} at {name} has the parameter “{parameter}”, which probably means {meant}. CAs ignore it, so what it should restrict is open.',
    fix: 'Correct the name of the parameter.',
    references: ['RFC 8657 §3', 'RFC 8657 §4', 'RFC 8659 §4.2'],
  },
  'caa-issuer-misspelt': {
    part: 'caa',
    severity: 'medium',
    points: 9,
    title: 'A CAA record names a CA that is probably misspelt',
    detail:
      '{tag} at {name} allows “{issuer}”, which is the name of no known CA; {meant} is probably meant, and may not issue.',
    fix: 'Correct the name of the CA.',
    references: ['RFC 8659 §4.2'],
  },
  'caa-contact-invalid': {
    part: 'caa',
    severity: 'low',
    points: 1,
    title: 'A contact for CAs is not valid',
    detail: '{tag} “{value}” at {name} must be {wanted}. CAs cannot use it to validate the domain.',
    fix: 'Write contactemail as user@example.com and contactphone as +15555550100.',
    references: [
      {
        title: 'CA/Browser Forum Baseline Requirements, appendix A.1',
        url: 'https://cabforum.org/working-groups/server/baseline-requirements/requirements/',
      },
    ],
  },
  'caa-iodef-invalid': {
    part: 'caa',
    severity: 'low',
    points: 1,
    title: 'The address for CA reports is not valid',
    detail:
      'iodef “{value}” at {name} is not a mailto:, http: or https: address, so CAs cannot send reports to it.',
    fix: 'Write mailto: before the mail address.',
    references: ['RFC 8659 §4.4'],
  },
  'caa-tag-unknown': {
    part: 'caa',
    severity: 'low',
    points: 1,
    title: 'A CAA record has an unknown property',
    detail: 'The property “{tag}” at {name} is not registered; CAs ignore it.',
    fix: 'Correct the tag. The known ones are issue, issuewild, issuemail, issuevmc, iodef, contactemail and contactphone.',
    references: [
      'RFC 8659 §4.1',
      {
        title: 'IANA: Certification Authority Restriction Properties',
        url: 'https://www.iana.org/assignments/pkix-parameters/#caa-properties',
      },
    ],
  },
  'caa-forbids-all': {
    part: 'caa',
    severity: 'info',
    points: 0,
    title: 'No CA may issue a certificate',
    detail: 'CAA at {name} names no CA at all.',
    fix: 'You do not need to do anything if the domain serves no TLS. Otherwise publish a CAA record that names your CA.',
    references: ['RFC 8659 §4.2'],
  },
} as const satisfies Record<string, Rule>;
