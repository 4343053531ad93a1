import type { Request, Response } from 'express';
import { markup } from '#shared/render/markup';
import type { AnswerRequest } from '../answer/accept-json.ts';
import { basePathOf } from '../pages/page-services.ts';
import { renderPage, sendPage } from '../pages/page.ts';
import { asPage } from '../pages/problem-page.ts';
import { admit } from '../request/admit.ts';
import type { Services } from '../services.ts';

const description = 'What this service sends to servers, how much of it, and how to be left alone.';

/** Adds the page for owners of servers that are checked. The User-Agent of every request leads to it. @param get adds a route */
export function addOwnersPage(services: Services, get: (path: string, answer: AnswerRequest) => void): void {
  get(
    '/owners',
    asPage(services, (request, response) => answerOwners(services, request, response)),
  );
}

async function answerOwners(services: Services, request: Request, response: Response): Promise<void> {
  await admit(services.limits, request, response, 'anyone');
  const html = renderPage({
    base: basePathOf(services.site),
    title: 'Requests from Diagnostic Tools',
    description,
    main: mainOf(services.site.owners),
    isIndexed: true,
  });
  await sendPage(request, response, html, 'public, max-age=3600');
}

type Owners = Services['site']['owners'];

function mainOf({ contact, hostConcurrency, accessDays }: Owners) {
  return markup`<h1>Requests from Diagnostic Tools</h1>
<p>A User-Agent with <code>DiagnosticTools</code> in it, and the questions to your name servers at the same time, came from this service. Somebody asked it to check your domain, a page of yours, or a site that uses your servers.</p>
<h2>What is sent</h2>
<ul>
<li>Questions to your name servers, requests for pages and well-known files, and TLS handshakes with different parameters. A performance check loads a page as a browser does.</li>
<li>At most 45 TLS handshakes with an address for one check, six at once, and sixteen where a server answers those promptly. Where the operator has turned that on, mail hosts get a greeting and a handshake (EHLO, STARTTLS, QUIT), and never a sender, a recipient or a mail.</li>
<li>Only what any visitor can ask: no password is tried, no form is filled in, and no known weakness is used.</li>
<li>At most ${hostConcurrency} checks of one domain at the same time. Requests, handshakes and questions to one address are paced, and a finished report answers the same question again while it is fresh.</li>
</ul>
<h2>How to be left alone</h2>
<p>${contactWords(contact)} Name your domains or networks. Once they are on the list, nothing is sent to them or to any name below them, also not for the checks of other domains, and stored reports of them are no longer shown.</p>
<p>You can also refuse the User-Agent. The report then says that the site refuses checks, and nothing else is tried.</p>
<h2>What was sent to you</h2>
<p>${recordWords(accessDays)}</p>
`;
}

function contactWords(contact: string | undefined) {
  if (contact === undefined)
    return 'This service names no address for such letters. Write to whoever owns the address that the requests came from (whois tells).';
  return markup`Write to <a href="${contact}">${contact.replace(/^mailto:/, '')}</a>.`;
}

function recordWords(days: number): string {
  if (days === 0) return 'This service keeps no record of who asked for which check.';
  return `For ${days} days the operator can see who asked for which check and how much each sent where. Give the time, and the name or address of your server.`;
}
