-- Says that a worker is alive and how many slots it has, counts anew what Redis has lost a part of, and hands free slots to the jobs whose turn it is.
-- Returns as release.lua. The functions of turns.lua stand before this.
local WORKER, BASE = KEYS[1], KEYS[2] -- the first is there while a worker serves the queue
local QUEUE, MEMBER, SLOTS = ARGV[1], ARGV[2], tonumber(ARGV[3]) -- no slots: the worker leaves; no worker: slots are only handed on
local ALIVE_MS, LEASE_MS = tonumber(ARGV[4]), tonumber(ARGV[5])
local SHARDS = tonumber(ARGV[6]) -- parts of the queue, of which this is one
local LEAST = 8 -- of all slots, those that each part has in any case

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local base = BASE .. ':' .. QUEUE
local crews = base .. ':crews' -- sorted set: "<worker> <slots>" -> until when it is taken to be alive

-- First what needs no memory: a full Redis refuses a script whose first write needs some.
redis.call('ZREMRANGEBYSCORE', crews, '-inf', now)
if SLOTS > 0 then
  if redis.call('PEXPIRE', WORKER, ALIVE_MS) == 0 then redis.call('SET', WORKER, '1', 'PX', ALIVE_MS) end
  redis.call('ZADD', crews, now + ALIVE_MS, MEMBER)
else
  redis.call('ZREM', crews, MEMBER)
end
local sum = 0
for _, member in ipairs(redis.call('ZRANGE', crews, 0, -1)) do
  sum = sum + tonumber(string.match(member, ' (%d+)$') or 0)
end
-- After the last one its number stays for a while: the next worker finds the lines as they are.
-- Work is not spread evenly: each part has twice its share. The places of the workers are the limit of all parts together.
if SHARDS > 1 then sum = math.min(sum, math.max(LEAST, math.ceil(2 * sum / SHARDS))) end
if sum > 0 then redis.call('SET', base .. ':slots', sum, 'PX', ALIVE_MS) end
redis.call('PEXPIRE', crews, ALIVE_MS)
for _, name in ipairs({ 'held', 'waiting', 'places', 'counts' }) do redis.call('PEXPIRE', base .. ':' .. name, KEPT_MS) end

local handed = {}
local turns = openTurns(BASE, QUEUE, now)
findLost(turns, LEASE_MS)
handTurns(turns, handed, LEASE_MS)
return handed
