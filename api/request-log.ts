import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from '../shared/logger.ts';

/** Gives each request an id (the caller's own X-Request-Id if it is a plain one) and writes one line when it is answered. Never headers or whole URLs: targets may carry secrets. */
export function logRequests(log: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const start = performance.now();
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const tookMs = Math.round((performance.now() - start) * 10) / 10;
      const status = response.writableEnded ? response.statusCode : 499;
      log.info(
        {
          requestId,
          method: request.method,
          route: routeOf(request),
          status,
          tookMs,
          cache: response.getHeader('cache-status'),
        },
        'request',
      );
    });
    next();
  };
}

/** The id that was given to this response's request. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader('X-Request-Id'));
}

function routeOf(request: Request): string {
  const route: unknown = request.route;
  return typeof route === 'object' && route !== null && 'path' in route ? String(route.path) : '-';
}
