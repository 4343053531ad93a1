import type { Config } from './config.ts';

/** What an operator reads of a setting: its default as it would be written, null where it is unset or depends on the process, and one or two sentences in Markdown. */
export type SettingText = { readonly byDefault: string | null; readonly meaning: string };

/** The one place for the meaning of every setting, in the order of the schema; the table of docs/settings.md and .env.example are made from it. */
export const settingTexts: Readonly<Record<keyof Config, SettingText>> = {
  HOST: { byDefault: '127.0.0.1', meaning: 'Address or name of the public listener.' },
  PORT: { byDefault: '3000', meaning: 'Its port.' },
  ADMIN_HOST: { byDefault: '127.0.0.1', meaning: 'Listener of `/livez`, `/readyz` and `/metrics`.' },
  ADMIN_PORT: {
    byDefault: null,
    meaning:
      'Its port: 3001, for a worker 3002. A taken default takes a free port; a taken explicit port ends the process.',
  },
  DRAIN_SECONDS: {
    byDefault: '0',
    meaning:
      'After SIGTERM the API goes on accepting for so long, while `/readyz` is 503: longer than your load balancer takes to notice. 10 in the image.',
  },
  PUBLIC_URL: {
    byDefault: null,
    meaning: 'Address that callers use, such as https://checks.example/tools; prefix of every link.',
  },
  CONTACT_URL: {
    byDefault: null,
    meaning: 'http, https or mailto URL in the User-Agent of every probe. Set it on public deployments.',
  },
  CORS_ORIGINS: {
    byDefault: null,
    meaning: 'Origins of web pages that may read answers, comma separated; `*` for public services.',
  },
  REDIS_URL: {
    byDefault: null,
    meaning:
      '`redis://` or `rediss://`: the queue, in one Redis that is no cluster. Set it and MONGODB_URL, or neither. `redis+sentinel://user:password@a,b,c/master?sentinelUsername=…&sentinelPassword=…` a master that sentinels watch; `rediss+…` for TLS. Percent-encode passwords.',
  },
  MONGODB_URL: { byDefault: null, meaning: '`mongodb://` or `mongodb+srv://`: the reports.' },
  DATA_DIR: {
    byDefault: './data',
    meaning: 'Folder of the database files and of the unpacked browser; `:memory:` keeps nothing.',
  },
  AUTH_MODE: {
    byDefault: 'open',
    meaning: '`token`: everything that starts or shows a check needs a token.',
  },
  ACCOUNT_CACHE: {
    byDefault: 'shared',
    meaning:
      '`own` (with `AUTH_MODE=token`): the fresh reports and jobs of an account answer that account only, and their ids are its own.',
  },
  REPORT_IDS: {
    byDefault: 'on',
    meaning: '`off`: reports have no id and are kept only while they are fresh.',
  },
  REPORT_TTL_DAYS: { byDefault: '30', meaning: 'Days until a report is deleted.' },
  EVIDENCE_HOURS: {
    byDefault: '24',
    meaning: 'How long `diag evidence <reportId>` finds what a report was judged from.',
  },
  ACCESS_DAYS: {
    byDefault: '30',
    meaning:
      'How long the record for complaints is kept: who asked for a run, and what it sent where (`diag access`). 0: none is kept.',
  },
  STORE_MAX_MB: {
    byDefault: '20000',
    meaning: 'What the store may hold; beyond it the oldest reports are deleted first.',
  },
  RATE_LIMIT: {
    byDefault: 'on',
    meaning: '`off`, for labs: no limits for callers, and no pace at the hosts that targets name.',
  },
  LIMIT_ANON_REQUESTS: {
    byDefault: '600/60',
    meaning: 'Points/seconds for each caller without a token: requests. Each API process counts for itself.',
  },
  LIMIT_ANON_SCANS: { byDefault: '60/60', meaning: 'The same for new runs, counted over all processes.' },
  LIMIT_TOKEN_REQUESTS: {
    byDefault: '6000/60',
    meaning: 'The same for each token, which may have limits of its own.',
  },
  LIMIT_TOKEN_SCANS: { byDefault: '600/60', meaning: 'The same for each token: new runs.' },
  LIMIT_TOKEN_PAGES: {
    byDefault: '40',
    meaning:
      'How many page loads of a token may wait at once; a token may have its own number. Without a token it is 4.',
  },
  LIMIT_ACCOUNT_BATCHES: { byDefault: '20', meaning: 'Open batches of an account.' },
  LIMIT_ACCOUNT_TARGETS: { byDefault: '50000', meaning: 'Targets that wait in batches of an account.' },
  LIMIT_ACCOUNT_WATCHES: { byDefault: '10000', meaning: 'Targets that an account may watch.' },
  WATCH_MIN_SECONDS: { byDefault: '3600', meaning: 'Shortest interval of a watch; less for labs.' },
  MAIL_URL: {
    byDefault: null,
    meaning:
      'Server that takes the mail of watches: `smtp://user:password@host:587` (STARTTLS), or `smtps://` for TLS from the start. Needs MAIL_FROM and an https PUBLIC_URL. Without it watches tell by webhook and feed only.',
  },
  MAIL_FROM: { byDefault: null, meaning: 'Sender of that mail: one e-mail address.' },
  TRUST_PROXY: {
    byDefault: null,
    meaning: 'Number of proxies in front, or their CIDR blocks; `true` is refused.',
  },
  WAIT_SECONDS: {
    byDefault: null,
    meaning: 'How long a GET waits before it is answered 202: 25, for domain-health and pagespeed-check 50.',
  },
  QUEUE_SECONDS: { byDefault: '600', meaning: 'How long a job may wait for its turn.' },
  FRESH_SECONDS: {
    byDefault: null,
    meaning: 'One number for all checks, for labs; otherwise each check has its own.',
  },
  HOST_CONCURRENCY: {
    byDefault: '4',
    meaning: 'Checks at once against one registrable domain, over all workers.',
  },
  WORKER_CONCURRENCY: { byDefault: '50', meaning: 'Network checks at once in one worker.' },
  WORKER_QUEUES: { byDefault: 'network,browser', meaning: 'Queues that this worker serves.' },
  VANTAGE_ID: {
    byDefault: null,
    meaning: "Name of this worker's network, shown in its reports as `vantage.id`.",
  },
  CONTROL_HOSTS: {
    byDefault: null,
    meaning:
      'Up to five hosts that answer https, asked once an hour, and when a target fails, to tell the faults of this network from those of targets.',
  },
  DNS_SERVERS: { byDefault: null, meaning: "`host-or-ip[:port]`, comma separated; otherwise the system's." },
  NAMESERVER_PORT: { byDefault: '53', meaning: "For labs: the port of a domain's own name servers." },
  TARGET_PORTS: {
    byDefault: '80,443,8080,8443',
    meaning: 'Ports that a target may name; ranges are allowed.',
  },
  TARGET_PORT_MAP: {
    byDefault: null,
    meaning: 'For labs: ports that are dialled instead, such as 80=45080.',
  },
  TARGET_ALLOW_CIDRS: {
    byDefault: null,
    meaning: 'Networks that may be checked although they are not public.',
  },
  TARGET_DENY_CIDRS: { byDefault: null, meaning: 'Networks that are never checked.' },
  TARGET_DENY_NAMES: {
    byDefault: null,
    meaning: 'Domains that are never checked and never asked, with all below them, comma separated.',
  },
  TARGET_DENY_NAMES_FILE: {
    byDefault: null,
    meaning:
      'More of them in a file, one a line, `#` for comments; it is read again when it changes. Write a new file and rename it.',
  },
  TARGET_ALLOW_SUFFIXES: {
    byDefault: null,
    meaning: 'For labs: special-use names that may be checked, such as test.',
  },
  NODE_EXTRA_CA_CERTS: {
    byDefault: null,
    meaning: "PEM file of authorities that are trusted beside Node's own.",
  },
  BROWSER_PATH: { byDefault: null, meaning: 'Another Chrome or Chromium; the same for API and workers.' },
  BROWSER_NO_SANDBOX: {
    byDefault: 'off',
    meaning: '`on`: run it without its sandbox, where a container guards enough.',
  },
  PROBE_AXFR: {
    byDefault: 'off',
    meaning:
      '`on`: dns-check asks each name server for a zone transfer. Some operators see that as an attack.',
  },
  PROBE_SMTP: {
    byDefault: 'off',
    meaning: '`on`: smtp-check talks to mail hosts on port 25. Needs SMTP_HELO and CONTACT_URL.',
  },
  SMTP_HELO: {
    byDefault: null,
    meaning:
      'Name that mail hosts are greeted with. It should have the address of this machine, and the address its PTR (`diag doctor` looks).',
  },
  SMTP_CONTROL_HOST: {
    byDefault: null,
    meaning:
      'A mail host that always answers you. Only where it is silent too, or one that answered within a day, silence on port 25 is blamed on this network.',
  },
  PROBE_RDAP: {
    byDefault: 'on',
    meaning: '`off`: domain-health asks no registry when a domain expires.',
  },
  RDAP_BOOTSTRAP_FILE: {
    byDefault: null,
    meaning:
      "A newer copy of IANA's `dns.json`, or a lab's own list of registries; otherwise the project's copy.",
  },
  MCP: {
    byDefault: 'off',
    meaning:
      '`on`: agents may ask at `/mcp` (Model Context Protocol), with the tokens, limits and costs of any caller.',
  },
  ORIGIN_ASN_ZONE: {
    byDefault: null,
    meaning:
      'Zone that tells which network announces an address, such as origin.asn.cymru.com (its zone for IPv6 is origin6.asn.cymru.com); without it dns-check does not look at that.',
  },
  CRUX_API_KEY: {
    byDefault: null,
    meaning:
      "Key of the Chrome UX Report: field data of page and origin beside the lab's, with their history. Two to four questions a report.",
  },
  PSI_API_KEY: {
    byDefault: null,
    meaning: 'Key of PageSpeed Insights, used where this machine has no browser.',
  },
  HSTS_PRELOAD_FILE: {
    byDefault: null,
    meaning: "Chromium's `transport_security_state_static.json`; without it only preloaded TLDs are known.",
  },
  LOG_LEVEL: { byDefault: 'info', meaning: 'fatal, error, warn, info, debug, trace or silent.' },
  TRACE_INCOMING: {
    byDefault: 'off',
    meaning: "`on`, behind a gateway of your own: a request's `traceparent` is gone on with.",
  },
};
