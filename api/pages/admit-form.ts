import type { Request, Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import { foreignForm } from '../origins/other-site.ts';
import { admit } from '../request/admit.ts';
import type { PageServices } from './page-services.ts';

/** Lets a form of our own pages in, as `admit` does. Throws the Problem of one that another site's page sent. */
export async function admitForm(
  { limits, origins }: Pick<PageServices, 'limits' | 'origins'>,
  request: Request,
  response: Response,
  need: 'anyone' | 'tools',
): Promise<Caller> {
  const caller = await admit(limits, request, response, need);
  if (!origins.isOwnPage(request.headers)) throw foreignForm();
  return caller;
}
