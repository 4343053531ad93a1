import { describe } from 'vitest';
import { openMemoryRateLimiter } from '../../shared/rate-limiter/memory.ts';
import { rateLimiterContract } from './rate-limiter.contract.ts';

describe('memory rate limiter', () => {
  rateLimiterContract(async () => openMemoryRateLimiter());
});
