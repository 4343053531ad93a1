import type { Request, Response } from 'express';
import { z } from 'zod';
import { Problem } from '#shared/model/problem';
import type { StoredReport } from '#shared/ports/report-store';
import { drawFilmstrip, type FramePicture, filmstripSchema } from '#shared/render/filmstrip';
import { readReport } from '#shared/stores/reports/read-report';
import { represent } from '../answer/representation.ts';
import { sendStored } from '../reports/send-stored.ts';
import { pictureTypeOf } from '../reports/show.ts';
import { readOwnQuery } from '../request/read-query.ts';
import type { PageDesk } from './page-desk.ts';
import { findShared } from './shared-report.ts';

/** Pictures of the target within a picture of ours: only as data, and nothing of it runs. */
const picturePolicy = "default-src 'none'; img-src data:; sandbox";

/** Answers /r/{id}/filmstrip.svg: how the page looked while it loaded, or at the end, where only that is kept. */
export async function answerFilmstrip(desk: PageDesk, request: Request, response: Response): Promise<void> {
  const { stored } = await findShared(desk, request, response);
  readOwnQuery(request, []);
  const frames = await findFrames(desk, stored);
  if (frames.length === 0) throw new Problem('not_found', 'This report has no pictures.');
  response.setHeader('Content-Security-Policy', picturePolicy);
  await sendStored(request, response, stored, represent(Buffer.from(drawFilmstrip(frames)), 'image/svg+xml'));
}

async function findFrames(
  { shelf: { reportStore } }: PageDesk,
  stored: StoredReport,
): Promise<readonly FramePicture[]> {
  const { reportId } = stored;
  const kept = await reportStore.getBlob({ reportId, kind: 'filmstrip' });
  if (kept) return readFrames(kept);
  const bytes = await reportStore.getBlob({ reportId, kind: 'screenshot' });
  const type = bytes && pictureTypeOf(bytes);
  const size = screenshotSchema.safeParse(readReport(stored));
  if (!bytes || !type || !size.success) return [];
  return [{ atMs: 0, ...size.data.screenshot, type, base64: Buffer.from(bytes).toString('base64') }];
}

const screenshotSchema = z.looseObject({
  screenshot: z.object({ width: z.int().min(1), height: z.int().min(1) }),
});

// A store may have been written to by others.
function readFrames(bytes: Uint8Array): readonly FramePicture[] {
  const frames = filmstripSchema.safeParse(parseJson(bytes)).data ?? [];
  return frames.map(({ jpeg, ...frame }) => ({ ...frame, type: 'image/jpeg', base64: jpeg }));
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined; // said as "no pictures"
  }
}
