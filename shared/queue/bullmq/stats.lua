-- Counts the jobs of one queue, and says how long the oldest of them has waited, by Redis' clock.
-- Returns: waiting for a worker, waiting for a host, running, the oldest wait for a worker, the oldest wait for a host (ms).
local WAIT, PRIORITIZED, DELAYED, ACTIVE = KEYS[1], KEYS[2], KEYS[3], KEYS[4] -- BullMQ's own; only an older version prioritizes
local TURNS = KEYS[5] -- sorted set: a job that waits for its caller's turn -> since when; BullMQ has it among the delayed ones
local JOB_PREFIX = ARGV[1] -- of BullMQ's job hashes
local SAMPLE = 100 -- the oldest is looked for among so many that are next

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function longest(ids)
  local since = now
  for _, id in ipairs(ids) do
    -- readyAt: when its host's slot was handed to it; a job that never waited for its host has none.
    local times = redis.call('HMGET', JOB_PREFIX .. id, 'readyAt', 'timestamp')
    since = math.min(since, tonumber(times[1] or times[2] or now))
  end
  return now - since
end

-- The list's end is what a worker takes next.
local ready = redis.call('LRANGE', WAIT, -1, -1)
local oldest = redis.call('ZRANGE', TURNS, 0, 0, 'WITHSCORES')
local turns = redis.call('ZCARD', TURNS)
local parked = {}
for _, id in ipairs(redis.call('ZRANGE', DELAYED, 0, SAMPLE - 1)) do
  if not redis.call('ZSCORE', TURNS, id) then parked[#parked + 1] = id end
end
return {
  redis.call('LLEN', WAIT) + redis.call('ZCARD', PRIORITIZED) + turns,
  math.max(0, redis.call('ZCARD', DELAYED) - turns),
  redis.call('LLEN', ACTIVE),
  math.max(longest(ready), oldest[2] and now - tonumber(oldest[2]) or 0),
  longest(parked),
}
