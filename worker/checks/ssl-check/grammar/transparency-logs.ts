import { createHash } from 'node:crypto';

/**
 * The logs whose timestamps Chrome counts, by operator: name, public key (the point on P-256, base64), and since when it is retired.
 * Source: https://www.gstatic.com/ct/log_list/v3/all_logs_list.json of 2026-08-21. Logs that are pending, rejected or for tests are left out,
 * and newer ones are not known here: a log that is not in this table may be accepted all the same.
 */
const operators: {
  readonly [operator: string]: readonly (readonly [name: string, key: string, retired?: string])[];
} = {
  Google: [
    [
      'Argon2026h2',
      'Kjpni/66DIYrSlGK6Rf+e6F2c/28ZUvDJ79N81+gyimAESAyeNZ++TRgjHWg9TVQnKHTSU0T1TtqDupFnSQTIg==',
    ],
    [
      'Argon2027h1',
      'KHRm0H/zUaFA6Idz5cGvGO3tCPQyfGMgJmVBOPyKAP6mGM1IiNXi4CLomOUyYj0YN74p+eGVApFMsM4h/jzCsA==',
    ],
    [
      'Xenon2026h2',
      '5Xd4lXEos5XJpcx6TOgyA5Z7/C4duaTbQ6C9aXL5Rbqaw+mW1XDnDX7JlRUninIwZYZDU9wRRBhJmCVopzwFvw==',
    ],
    [
      'Xenon2027h1',
      '/6WcA4VRSljIfTdY48+pFRLLtLrmTb88cGDdl8Gv3E2LduG4jgJ3AK5iNMFGhpbRRLi5B3rPlBaXVywuR5IFDg==',
    ],
    [
      'ParcelYard2026h2',
      'P2H56bHx6pPm5mCku6PFpeRuA5Ux0gs8iwXIVhvVdbojs0pPwZqLtlIEoJNbjxMEePTYo/qDW85AjhMJITlavA==',
    ],
    [
      'ParcelYard2027h1',
      'X7i7gYwmBxpiLXAlM/VLk4BFzspJRmZA86iReO7NVRlwGL1KWb/Dv5DRXJNBZd+9uREkNUTee5yBy2dRdRGa0w==',
    ],
    [
      'ParcelYard2027h2',
      '+CTFsoroxXi53eLT+x2T4gsMKOcqzYEhqSLjyF6uVfdgF8yBeyA2cDWsu6nmhKGhqyoohwLh3PPgXdltfPP3BA==',
    ],
    [
      'PlumbersArms2026h2',
      'RcKG6mGyrCTtzkWBNT51LFFsM1lZ3ZPSIoXgVilDtnY0dyhwKSX7jomkXvdyqWr8DOP3HA6I6kzmREX5wpUvug==',
    ],
    [
      'PlumbersArms2027h1',
      'AKYYdjIeQwDP0RIY9mhAVntX5s2ObMc2F6u8cELSbhvavljWD/OesJZHUtqQjBXE5Ekbpiq6nchmaVnEHHpJmw==',
    ],
    [
      'PlumbersArms2027h2',
      'HCu5hooSXlk8FAiSkoWiZJ5G9GzCiJhj3eoJ9p3F3ZzV2QgcgxWWI9f75vnFgygju+baK11dsf3bXHAo/+TL/Q==',
    ],
  ],
  Cloudflare: [
    [
      'Nimbus2026',
      '2FxhT6xq0iCATopC9gStS9SxHHmOKTLeaVNZ661488Aq8tARXQV+6+jB0983v5FkRm4OJxPqu29GJ1iG70Ahow==',
    ],
    [
      'Nimbus2027',
      'Yjd/jE0EoAhNBbfcNhrTb7F0x10KZK8r2SDjx1GdjJ75hJrHx2OCQ+BXRjXi+czoREN1u0j9cWl8d6OoPMPogQ==',
    ],
  ],
  DigiCert: [
    [
      'Wyvern2026h2',
      'enPbSvLeT+zhFBu+pqk8IbhFEs16iCaRIFb1STLDdWzL6XwTdTWcbOzxMTzB3puME5K3rT0PoZyPSM50JxgjmQ==',
    ],
    [
      'Wyvern2027h1',
      'astxYj1mntGuyv74k4f+yaIx+ZEzlSJ+iVTYWlw8SpSKJ4TfxYWuBhnETlhpyG/5seJn0mOSnVgXsZ1JRflI7g==',
    ],
    [
      'Wyvern2027h2',
      'uOg8hcgaYT/MShxpag2Hige0zsLzz8vOLZXp6faCdzM+Mn/njyU9ROAuwDxuu88/Grxn46kmehdOKVDFexbdSg==',
    ],
    [
      'Sphinx2026h2',
      'quD0JkRQT/2inuaA4HC1sc6UpfiXgURVQmQcInmnZFnTiZMhZvsJgWAfYlU0OIykOC6slQzr7U9kvEVC9wZ6zQ==',
    ],
    [
      'sphinx2027h1',
      'virIq1XPwgwG7BnbMh2zoUbEt+T8z8XAtg9lo8jma+aaTQl8iVCypUFXtLpt4/SHaoUzbvcjDX/6B1IbL3OoIQ==',
    ],
    [
      'sphinx2027h2',
      'UCe23M889mAsUVeTTBcNsAmP374ZWQboLdR8RdGwM3VZ6P/sDwhrL7wK4zrXPh3HwLDDLxDjvRBeivUSbpZSwA==',
    ],
  ],
  Sectigo: [
    [
      'Mammoth2026h2',
      '7INh8te0u+TkO+vIY3WYz2GQYxQ9XyLfdLpQp1ibaX3mY4lt2ddRhD/4AtjI/8KXceV+J/VysY8kJ1cKDXTAtg==',
    ],
    [
      'Sabre2026h2',
      'zjXK7DkHgtp3J4bk8n7F3Djym6mrjKfA7YMePmobwPCVVroyM0x1fAkH6eE+ZTVj8Em+ctGqna99CMS0jVk9cw==',
    ],
    [
      'Elephant2026h2',
      'O/t4Uwkoou78zkCchh9tfAKbIUJmbOoUAb8szD8StnnHFKAVY5kq1Ljs8YD7CfzdD7xcVjmQYpbtNUhxRMRtmA==',
    ],
    [
      'Elephant2027h1',
      '4fu36JygUwaaVO+ddWJ97FJZlA5SjPLmT+RHwg0pavkIrbT1b5LNQrsaEw0CoGraf7BkzKZf7PC8gYAScw2woA==',
    ],
    [
      'Elephant2027h2',
      'CTPhpJnRFroRRpP/1DdAns+PrnmUywtqIV+EeL4Jg8zKouoW7kuAkYo+kZeoHtyK7CBhflIlMk7T2Qrn4w/t8g==',
    ],
    [
      'Tiger2026h2',
      'fJFUD/FRkonvZIA9ZT1J3yvA4EpSp3innbIVpMTDR1oCe5vguapheQ7wYiWaCES1EL1B+2BEC+P5bUfwF44lnA==',
    ],
    [
      'Tiger2027h1',
      'mMQofpsDjCVYzF4jXdFWM/ioYBJIPcsQQrNAHE6v4lOsADoI+/jN1lph8x4K3NgnXDXwmyJcFwRYgVOBMhaYhA==',
    ],
    [
      'Tiger2027h2',
      'b0AgkemhsPmYe1goCSy5ncf2lG9vtK6f+SzODKJMYEgPOT+z93cUEKM1EaTuo09rozfdqhjeihIl25y9A3JhyQ==',
    ],
  ],
  "Let's Encrypt": [
    [
      'Oak2026h2',
      'anCds5bj7IU2lcNPnIvZfMnVkSmu69aH3AS8O/Y0D/bbCPdSqYjvuz9Z1tT29PxcqYxf+w1g5CwPFuwqsm3rFQ==',
      '2026-02-28T00:00:00Z',
    ],
    [
      'Sycamore2026h2',
      'wR1FtiiMbpvxR+sIeiZ5JSCIDIdTAPh7OrpdchcrCcyNVDvNUq358pqJx2qdyrOI+EjGxZ7UiPcN3bL3Q99FqA==',
    ],
    [
      'Sycamore2027h1',
      'WrGdYyZYB7teCS4K/oKIsbV0yVBSgjlOwO22OOCoA6Y252QhFzC8Wg7oVXVKqfkWaSaM/n+3pfCBf4BAkpdx8g==',
    ],
    [
      'Sycamore2027h2',
      'K+2zy2UWRMIyC2jU46+rj8UsyMjLsQIr1Y/6ClbdpWGthUb8y3Maf4zfAZTWW+AH9wAWPLRL5vmtz7Zkh2f2nA==',
    ],
    [
      'Willow2026h2',
      'p8wH8R6zfM+UhsQq5un+lPdNTDkzcgkWLi1DwyqU6T00mtP5/CuGjvpw4mIz89I6KV5ZvhRHt5ZTF6qe24pqiA==',
    ],
    [
      'Willow2027h1',
      'zsMKtojO0BVB4t59lVyAhxtqObVA+wId5BpJGA8pZrw5GTjzuhpvLu/heQGi0hHCeislkDe34N/2D0SwEUBE0w==',
    ],
    [
      'Willow2027h2',
      'YbMDg0qQEEYjsTttdDlouTKhg3fRiMJYNE+Epr/2bXyeQdQOHKQNKv5sbIKxjtE/5Vqo9YjQbnaOeH4Wm4PhdQ==',
    ],
  ],
  TrustAsia: [
    ['log2026a', 'p056yaYH+f907JjLSeEAJLNZLoP9wHA1M0xjynSDwDxbU0B8MR81pF8P5O5PiRfoWy7FrAAFyXY3RZcDFf9gWQ=='],
    ['log2026b', 'DxKMqebj7GLu31jIUOYmcHYQtwQ5s6f4THM7wzhaEgBM4NoOFopFMgoxqiLHnX0FU8eelOqbV0a/T6R++9/6hQ=='],
    ['HETU2027', '14jG8D9suqIVWPtTNOL33uXKZ4mUnnOMrIwOWeZU7GtoDRCWIXfy/9/SC8lTAbtP2NOP4wjIufAk6f64sY4DWg=='],
    [
      'Luoshu2027',
      'umSYzy6dUQlwTckPzKMKApMRinqxHIBlLfmrvx1SdMH1RTACi1wb1V18ss8YjlaC7Pch2OQa8OfRevub4Y9BDQ==',
    ],
  ],
  Geomys: [
    [
      'Tuscolo2026h2',
      'aA6P0i7JTsd9XfzF1/76avRWA3XXI4NStsFO/aFtBp6SY7olDEMiPSFSxGzFQjKA1r9vgG/oFQwurlWMy9FQNw==',
    ],
    [
      'Tuscolo2027h1',
      'OYwwGoaNpZ/SQW0VNGICP7wGRQsSeEowTRl4DPSdPjSkO/+ouvFH78I8sQTR3FWPZDScALbclBqnqL0ptY8beA==',
    ],
    [
      'Tuscolo2027h2',
      'IAz2gOD7wIptaiLTnmR4k7AQwp5kFmqmGHY/8JmMJxaSHyAipoFA/YSBCTX7ZowxIkSKpZYGlqLtdLVcLWDS5w==',
    ],
  ],
  'IPng Networks': [
    [
      'Halloumi2026h2a',
      'iGh4zMsdukTgrdk9iPIwz9OfU9TQVi4Mxufpmnlrzv3ivJcxVhrST4XQSeQoF5LlFVIU6PL4IzrYl12BUWn9rQ==',
    ],
    [
      'Halloumi2027h1',
      'w5SUl2yfd5TFSqUGv7A+I5+TpLe+zEccmtWVQakQQtOHYKqH8TbycalFx5xaqE5PU4NEwwnAJ9FWeT/6QaovZw==',
    ],
    [
      'Halloumi2027h2',
      'rmKbFkPG7QfQUARhbIik8vVbIkXhK+YMB6TvLZkyhnzv7wedn+l7VChqovZHKOQXmZEd4B+3ljovIpQz2HmyHA==',
    ],
    [
      'Gouda2026h2',
      'jayczmhUMNftWy6VjvYXcTUEpvL8LIAKcYcxrxx5xxQGZEVvhnZeCnXVlsMWhq1h9J55eZfQWM/dqIr6GmoN9Q==',
    ],
    [
      'Gouda2027h1',
      'Oh11B2aRT9BiTqo+6kvQ7cSGf819Ait+jGc6AuHlGUXxWCX1YCQ9OFNnr6MUKStyw4sVin5FCvtbke1mctl3gQ==',
    ],
    [
      'Gouda2027h2',
      'PuxPH20sSqUzHGllZceceFvyoSffwBWgX4LKd8wk3A3ayZuwwh2pDuEOsimMxLXFh0IUYz73a9I7kxkUqM+N8w==',
    ],
  ],
};

/** The day of the list above. */
export const logsListedOn = '2026-08-21';

/** A log, as it stands in evidence too. */
export type TransparencyLog = {
  /** SHA-256 of the public key, base64 (RFC 6962 §3.2). */
  readonly id: string;
  readonly operator: string;
  readonly name: string;
  /** SubjectPublicKeyInfo, DER in base64. */
  readonly key: string;
  /** Unix ms; later timestamps of the log do not count. null for a log in service. */
  readonly retiredAt: number | null;
};

/** SubjectPublicKeyInfo of any key on P-256, up to the point (RFC 5480 §2). */
const beforePoint = 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE';

/** Every log of the table. */
export const listedLogs: readonly TransparencyLog[] = Object.entries(operators).flatMap(([operator, all]) =>
  all.map(([name, point, retired]) => {
    const key = `${beforePoint}${point}`;
    const id = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64');
    return { id, operator, name, key, retiredAt: retired === undefined ? null : Date.parse(retired) };
  }),
);

/** Those of the logs with these ids (base64) that are listed, each once. */
export function findLogs(ids: readonly string[]): readonly TransparencyLog[] {
  return listedLogs.filter(({ id }) => ids.includes(id));
}
