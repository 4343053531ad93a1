/** An answer of a registry in the shape that large ones send, with names of examples (RFC 9083 §5.3). What is changed is laid over it. */
export function registryAnswer(domain: string, more: object = {}): object {
  return {
    rdapConformance: [
      'rdap_level_0',
      'icann_rdap_response_profile_1',
      'icann_rdap_technical_implementation_guide_1',
    ],
    objectClassName: 'domain',
    handle: '2138514_DOMAIN_EXAMPLE-REG',
    ldhName: domain.toUpperCase(),
    links: [
      {
        value: `https://rdap.registry.test/domain/${domain}`,
        rel: 'self',
        href: `https://rdap.registry.test/domain/${domain}`,
      },
      {
        value: `https://rdap.registrar.test/domain/${domain}`,
        rel: 'related',
        href: `https://rdap.registrar.test/domain/${domain}`,
      },
    ],
    status: ['client delete prohibited', 'client transfer prohibited', 'client update prohibited'],
    entities: [
      {
        objectClassName: 'entity',
        handle: '292',
        roles: ['registrar'],
        publicIds: [{ type: 'IANA Registrar ID', identifier: '292' }],
        vcardArray: [
          'vcard',
          [
            ['version', {}, 'text', '4.0'],
            ['fn', {}, 'text', 'Example Registrar Inc.'],
            ['adr', {}, 'text', ['', '', 'canary street', '', '', '', '']],
          ],
        ],
        entities: [
          {
            objectClassName: 'entity',
            roles: ['abuse'],
            vcardArray: [
              'vcard',
              [
                ['tel', { type: 'voice' }, 'uri', 'tel:+1.canary'],
                ['email', {}, 'text', 'canary@registrar.test'],
              ],
            ],
          },
        ],
      },
      {
        objectClassName: 'entity',
        handle: 'canary-registrant',
        roles: ['registrant'],
        vcardArray: [
          'vcard',
          [
            ['fn', {}, 'text', 'canary person'],
            ['email', {}, 'text', 'canary@person.test'],
          ],
        ],
      },
    ],
    events: [
      { eventAction: 'registration', eventDate: '1997-09-15T04:00:00Z' },
      { eventAction: 'expiration', eventDate: '2028-09-14T04:00:00Z' },
      { eventAction: 'last changed', eventDate: '2019-09-09T15:39:04Z' },
      { eventAction: 'last update of RDAP database', eventDate: '2026-11-20T10:00:00Z' },
    ],
    secureDNS: { delegationSigned: false },
    nameservers: [
      { objectClassName: 'nameserver', ldhName: `NS1.${domain.toUpperCase()}` },
      { objectClassName: 'nameserver', ldhName: `NS2.${domain.toUpperCase()}` },
    ],
    notices: [{ title: 'Terms of Use', description: ['canary terms'] }],
    ...more,
  };
}
