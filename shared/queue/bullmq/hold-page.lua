-- Counts a page load for its caller. Idempotent. Returns false when the caller has enough of them already; nothing is counted then.
local function holdPage(HELD, ID, LIMIT, LAST_MS)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZREMRANGEBYSCORE', HELD, '-inf', now)
  local others = redis.call('ZCARD', HELD) - (redis.call('ZSCORE', HELD, ID) and 1 or 0)
  if others >= LIMIT then return false end
  redis.call('ZADD', HELD, now + LAST_MS, ID)
  if redis.call('PTTL', HELD) < LAST_MS then redis.call('PEXPIRE', HELD, LAST_MS) end
  return true
end

