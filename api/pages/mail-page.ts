import { timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { digestOfAddress, isConfirmed, type Mailbox, type Stop } from '#shared/model/mailbox';
import { Problem } from '#shared/model/problem';
import { type Markup, markup } from '#shared/render/markup';
import { giveBack } from '#shared/time/give-back';
import { admit } from '../request/admit.ts';
import { readForm } from '../request/read-json.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { admitForm } from './admit-form.ts';
import { basePathOf, type PageServices } from './page-services.ts';
import { renderPage, sendPassingPage } from './page.ts';

const keyForm = /^([0-9a-f]{32})-([\w-]{22})$/;
type KeyName = 'confirmKey' | 'stopKey';
type Found = { readonly mailbox: Mailbox; readonly stop: Stop | undefined; readonly key: string };

/** Answers /mail/confirm: asks whether an address may get messages. Programs open links of mail, so this changes nothing. */
export async function answerConfirmPage(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  await admit(services.limits, request, response, 'anyone');
  showConfirmPage(services, await findMailbox(services, request, 'confirmKey'), response);
}

/** Answers the POST of its form: the address is confirmed, and what waited for that is sent. */
export async function answerConfirm(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admitForm(services, request, response, 'anyone');
  await services.limits.quotas.takeWrites(caller, 1, response);
  const found = await findMailbox(services, request, 'confirmKey');
  const { confirm } = await readForm(services.bodies, { request, response, caller }, ['confirm']);
  const { mailbox, stop } = found;
  if (confirm === undefined || stop?.isOn === true) return showConfirmPage(services, found, response);
  const { watches } = services;
  const { mailboxId } = mailbox;
  const now = Date.now();
  if (!isConfirmed(mailbox, stop)) await watches.confirmMailbox(mailboxId, now);
  await releaseWaiting(services, mailboxId, now);
  showConfirmPage(services, { ...found, mailbox: { ...mailbox, confirmedAt: now } }, response);
}

/** Answers /mail/stop: offers to end all mail to an address, and to allow it again. */
export async function answerStopPage(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  await admit(services.limits, request, response, 'anyone');
  showStopPage(services, await findMailbox(services, request, 'stopKey'), response);
}

/** Answers the POST of its form, and that of a mail program by one click (RFC 8058), which has no session and follows no redirect. */
export async function answerStop(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admitForm(services, request, response, 'anyone');
  await services.limits.quotas.takeWrites(caller, 1, response);
  const found = await findMailbox(services, request, 'stopKey');
  const isMultipart = /^multipart\/form-data\s*;/i.test(request.headers['content-type'] ?? '');
  const { again } = isMultipart
    ? {}
    : await readForm(services.bodies, { request, response, caller }, ['again', 'List-Unsubscribe']);
  const stop = { at: Date.now(), isOn: again === undefined };
  await services.watches.setStop(digestOfAddress(found.mailbox.to), stop);
  showStopPage(services, { ...found, stop }, response);
}

const releasedAtOnce = 20;
/** Of the events that wait, the oldest go with one confirmation: a list without an end would hold up the page. */
const mostReleases = 250;

async function releaseWaiting({ watches }: PageServices, mailboxId: string, now: number): Promise<void> {
  for (let turn = 0; turn < mostReleases; turn += 1) {
    const waiting = await watches.listWaiting(mailboxId, releasedAtOnce);
    await Promise.all(
      waiting.map((one) => watches.settleDelivery({ ...one, waitsFor: null, nextAttemptAt: now })),
    );
    if (waiting.length < releasedAtOnce) return;
    await giveBack();
  }
}

async function findMailbox({ watches }: PageServices, request: Request, name: KeyName): Promise<Found> {
  const { key = '' } = readOwnQuery(request, ['key']);
  const [, mailboxId, secret] = keyForm.exec(key) ?? [];
  const mailbox = mailboxId === undefined ? undefined : await watches.getMailbox(mailboxId);
  if (!mailbox || !isEqual(mailbox[name], secret ?? ''))
    throw new Problem('not_found', 'This link is not valid any more.');
  return { mailbox, key, stop: await watches.getStop(digestOfAddress(mailbox.to)) };
}

function isEqual(known: string, given: string): boolean {
  return known.length === given.length && timingSafeEqual(Buffer.from(known), Buffer.from(given));
}

function showConfirmPage(services: PageServices, { mailbox, stop, key }: Found, response: Response): void {
  if (stop?.isOn === true)
    return send(
      services,
      response,
      'Mail is stopped',
      markup`<p>${mailbox.to} gets no mail of this service. To allow it again, open the address behind “get no more of it” in a message that you have.</p>
`,
    );
  if (isConfirmed(mailbox, stop))
    return send(
      services,
      response,
      'Your address is confirmed',
      markup`<p>${mailbox.to} is told when something changes. Every message has a link that ends it.</p>
`,
    );
  const base = basePathOf(services.site);
  send(
    services,
    response,
    'Confirm your e-mail address',
    markup`<p>Shall this service write to ${mailbox.to} when a watched domain changes? At most 20 messages a day.</p>
<form action="${base}/mail/confirm?key=${key}" method="post"><input type="hidden" name="confirm" value="yes">
<button type="submit">Yes, write to me</button></form>
<p class="hint">If you did not ask for it, close this page. Nothing is sent without your consent.</p>
`,
  );
}

function showStopPage(services: PageServices, { mailbox, stop, key }: Found, response: Response): void {
  const action = `${basePathOf(services.site)}/mail/stop?key=${key}`;
  if (stop?.isOn === true)
    return send(
      services,
      response,
      'Mail is stopped',
      markup`<p>This service writes to ${mailbox.to} no more, whoever asks for it.</p>
<form action="${action}" method="post"><input type="hidden" name="again" value="yes">
<button type="submit">Allow it again</button></form>
<p class="hint">Then everybody who wants to write to you has to ask first.</p>
`,
    );
  send(
    services,
    response,
    'Stop all mail',
    markup`<p>Shall this service stop writing to ${mailbox.to}? That ends the mail of all watches, of every account.</p>
<form action="${action}" method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">
<button type="submit">Stop all mail</button></form>
`,
  );
}

function send({ site }: PageServices, response: Response, title: string, content: Markup): void {
  const html = renderPage({
    base: basePathOf(site),
    title: `${title}: Diagnostic Tools`,
    description: 'Mail of watches.',
    main: markup`<h1>${title}</h1>
${content}`,
  });
  sendPassingPage(response, 200, html);
}
