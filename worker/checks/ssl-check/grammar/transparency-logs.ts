/**
 * The logs whose timestamps Chrome counts, by operator: name, id (base64), and since when it is retired.
 * Source: https://www.gstatic.com/ct/log_list/v3/all_logs_list.json of 2026-08-21. Logs that are pending, rejected or for tests are left out,
 * and newer ones are not known here: a log that is not in this table may be accepted all the same.
 */
const operators: {
  readonly [operator: string]: readonly (readonly [name: string, id: string, retired?: string])[];
} = {
  Google: [
    ['Argon2026h2', '1219ENGn9XfCx+lf1wC/+YLJM1pl4dCzAXMXwMjFaXc='],
    ['Argon2027h1', '1tWNqdAXU/NqSqDHV0kCr+vH3CzTjNn3ZMgMiRkenwI='],
    ['Xenon2026h2', '2AlVO5RPev/IFhlvlE+Fq7D4/F6HVSYPFdEucrtFSxQ='],
    ['Xenon2027h1', 'RMK9DOkUDmSlyUoBkwpaobs1lw4A7hEWiWgqHETXtWY='],
    ['ParcelYard2026h2', 'utuIpG+cr6QJDoLlk1bbbni0pT9YLbCBl5UkLym2jJg='],
    ['ParcelYard2027h1', 'HIl0B+YBCgEpO7Z439ejaM6xjMpSHcyk04bkoy5bXQQ='],
    ['ParcelYard2027h2', 'aYS3IzyydLLRRn2l4EDXH+upCiHniGU3Srn5vPhocjc='],
    ['PlumbersArms2026h2', 'IPBfqqOkkvxqwUjMM6ICNhhrSfqpfmuzkk+yXsNrHDU='],
    ['PlumbersArms2027h1', 'X/nA+6QtrHjOZELrGazggaKb1OL7U68MYzB55QWCBMk='],
    ['PlumbersArms2027h2', 'M3qex8rmqQSLdS8tk65+SyqQLSG0lxKdg+J5x1PJL4w='],
  ],
  Cloudflare: [
    ['Nimbus2026', 'yzj3FYl8hKFEX1vB3fvJbvKaWc1HCmkFhbDLFMMUWOc='],
    ['Nimbus2027', 'TGPcmOWcHauI9h6KPd6uj6tEozd7X5uUw/uhnPzBviY='],
  ],
  DigiCert: [
    ['Wyvern2026h2', 'wjF+V0UZo0XufzjespBB68fCIVoiv3/Vta12mtkOUs0='],
    ['Wyvern2027h1', 'ABpdGhwtk3W2SFV4+C9xoa5u7zl9KXyK4xV7yt7hoB4='],
    ['Wyvern2027h2', 'N6oHzCFvLm2RnHCdJNj3MbAPKxR8YhzAkaX6GoTYFt0='],
    ['Sphinx2026h2', 'lE5Dh/rswe+B8xkkJqgYZQHH0184AgE/cmd9VTcuGdg='],
    ['sphinx2027h1', 'RqI5Z8YNtkaHxm89+ZmUdpOmphEghFfVVefj0KHZtkY='],
    ['sphinx2027h2', 'H7D4qS2K3aEhd2wF4qouFbrLxitlOTaVV2qqtS4R0R0='],
  ],
  Sectigo: [
    ['Mammoth2026h2', 'lLHBirDQV8R74KwEDh8svI3DdXJ7yVHyClJhJoY7pzw='],
    ['Sabre2026h2', 'H1bRq5RwSkHdP+r99GmTVTAsFDG/5hNGCJ//rnldzC8='],
    ['Elephant2026h2', 'r2eIO1ewTt2Pptl+9i6o64EKx3Fg8CReVdYML+eFhzo='],
    ['Elephant2027h1', 'YEyar3p/d18B1Ab8kg3ImesLHH34yVIb+voXdzuXi8k='],
    ['Elephant2027h2', 'okkM3NuOM6QAMhdg1tTVGiA2GR6nfZaL4mqKAPb///c='],
    ['Tiger2026h2', 'yKPEf8ezrbk1awE/anoSbeM6TkOlxkb5l605dZkdz5o='],
    ['Tiger2027h1', 'HJ9oLOn68EVpUPgbloqH3dsyENhM5siy44JSSsTPWZ8='],
    ['Tiger2027h2', 'A4AqwmL24F4D+Lxve5hRMk/Xaj31t1lRdeIi+46b1fY='],
  ],
  "Let's Encrypt": [
    ['Oak2026h2', 'rKswcGzr7IQx9BPS9JFfER5CJEOx8qaMTzwrO6ceAsM=', '2026-02-28T00:00:00Z'],
    ['Sycamore2026h2', 'bP5QGUOoXqkWvFLRM+TcyR7xQRx9JYQg0XOAnhgY6zo='],
    ['Sycamore2027h1', 'jspHC6zeavOiBrCkeoS3Rv4fxr+VPiXmm07kAkjzxug='],
    ['Sycamore2027h2', '5eNiR9ku9K2jhYO1NZHbcp/C8ArktnRRdNPd/GqiU4g='],
    ['Willow2026h2', 'qCbL4wrGNRJGUz/gZfFPGdluGQgTxB3ZbXkAsxI8VSc='],
    ['Willow2027h1', 'ooEAGHNOF24dR+CVQPOBulRml81jqENQcW64CU7a8Q0='],
    ['Willow2027h2', 'ppWirZJtb5lujvxJAUJX2LvwRqfWJYm4jcLXh2x45S8='],
  ],
  TrustAsia: [
    ['log2026a', 'dNudWPfUfp39eHoWKpkcGM9pjafHKZGMmhiwRQ26RLw='],
    ['log2026b', 'Jbfv3qETAZPtkweXcKoyKiZiDeNayKp8dRl94LGp4GU='],
    ['HETU2027', '7drrgVxjITRJtHvlB3kFq9DZMUfCesUUazvFjkPptsc='],
    ['Luoshu2027', 'VzRIzG4dLA3JS2nyh9Hv5IPHolxQxTILuzrep29usEE='],
  ],
  Geomys: [
    ['Tuscolo2026h2', 'Rq+GPTs+5Z+ld96oJF02sNntIqIj9GF3QSKUUu6VUF8='],
    ['Tuscolo2027h1', 'WW5sM4aUsllyolbIoOjdkEp26Ag92oc7AQg4KBQ87lk='],
    ['Tuscolo2027h2', '1d5V7roItgyf/BjFE75qYLoARga8WVuWu0T2LMV9Ofo='],
  ],
  'IPng Networks': [
    ['Halloumi2026h2a', 'JuNkblhpISO8ND9HJDWbN5LNJFqI2BXTkzP9mRirRyM='],
    ['Halloumi2027h1', 'ROgi/CurDpLu0On61pZkYCd20Bdg4IkFCckjobA/w38='],
    ['Halloumi2027h2', 'CRV/Yy1Gx/dtlSZUk7wPALOVrF2zorJr+wQ9ukrGOJM='],
    ['Gouda2026h2', 'Goudaw/+v4G0eTnG0jEKhtbRAtTwRuIYLJ3jX14mJe8='],
    ['Gouda2027h1', 'Gouda43XkdHNBUnttgNV1ga2T60w23H+eI8Px8j7xLE='],
    ['Gouda2027h2', 'GoudaVNi2GSSp7niI2BuNOzp4xC6NPuTBXhdKc5XV+s='],
  ],
};

/** The day of the list above. */
export const logsListedOn = '2026-08-21';

export type TransparencyLog = {
  readonly operator: string;
  readonly name: string;
  /** Unix ms; later timestamps of the log do not count. null for a log in service. */
  readonly retiredAt: number | null;
};

const logs: ReadonlyMap<string, TransparencyLog> = new Map(
  Object.entries(operators).flatMap(([operator, all]) =>
    all.map(([name, id, retired]) => [
      id,
      { operator, name, retiredAt: retired === undefined ? null : Date.parse(retired) },
    ]),
  ),
);

/** The log with this id (base64); null for one that is not in the list. */
export function findLog(id: string): TransparencyLog | null {
  return logs.get(id) ?? null;
}
