-- Draws a caller's next turn in the browser queue, and counts the job for its caller. Idempotent but for the turn.
-- Callers alternate: a turn is the next one after the caller's own last turn and after the turn that runs now.
local TURNS = KEYS[1] -- sorted set: caller -> the last turn it drew; '' -> the turn that began last
local HELD = KEYS[2] -- sorted set of the caller's unfinished page loads: job id -> when it cannot run any more, Redis ms
local ID, CALLER = ARGV[1], ARGV[2]
local LIMIT = tonumber(ARGV[3]) -- unfinished page loads of a caller; 0 counts nothing
local LAST_MS = tonumber(ARGV[4]) -- from now until the job cannot run any more
local TURN_MAX = 2097151 -- BullMQ's lowest priority; the turns begin anew when nobody waits
local IDLE_MS = 3600000 -- an idle queue forgets its turns after so long

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

redis.call('ZREMRANGEBYSCORE', HELD, '-inf', now)
if LIMIT > 0 then
  local others = redis.call('ZCARD', HELD) - (redis.call('ZSCORE', HELD, ID) and 1 or 0)
  if others >= LIMIT then return 0 end
  redis.call('ZADD', HELD, now + LAST_MS, ID)
  if redis.call('PTTL', HELD) < LAST_MS then redis.call('PEXPIRE', HELD, LAST_MS) end
end

local current = tonumber(redis.call('ZSCORE', TURNS, '') or 0)
if current > 0 and redis.call('ZCARD', TURNS) == 1 then
  redis.call('DEL', TURNS)
  current = 0
end
local own = tonumber(redis.call('ZSCORE', TURNS, CALLER) or 0)
local turn = math.min(math.max(current, own) + 1, TURN_MAX)
redis.call('ZADD', TURNS, turn, CALLER)
redis.call('PEXPIRE', TURNS, IDLE_MS)
return turn
