-- Takes a slot of a host and one of the workers for a job, renews those it has, or gives it a place in the line. Idempotent.
-- Returns 0 when the job has both, n > 0 for its place in the line of its host, -1 when that line is full, -2 when no worker serves the queue,
-- -4 when it waits for its caller's turn, without a slot of its host: others may have that meanwhile. The functions of host-slots.lua and turns.lua stand before this.
local SLOTS = KEYS[1] -- sorted set: "<queue> <job id>" -> when its lease ends, Redis ms
local PARKED = { network = KEYS[2], browser = KEYS[3] } -- sorted sets: job id -> turn * ARRIVALS + arrival
local OWNER = KEYS[4] -- hash: job id -> the attempt that runs it
local TURNS = KEYS[5] -- hash: caller -> its last turn; "" -> the turn that was handed a slot last; "#" -> arrivals
local WORKER = KEYS[6] -- there while a worker serves the queue
local QUEUE, ID = ARGV[1], ARGV[2]
local ATTEMPT = ARGV[3] -- "" on submit; else a worker's start
local LEVELS = cjson.decode(ARGV[4]) -- of its caller, the widest first, itself last
local SLOT_LIMIT = tonumber(ARGV[5])
local LEASE_MS = tonumber(ARGV[6])
local LINE_LIMIT = tonumber(ARGV[7]) -- jobs that may wait when one is submitted
local HOST, IS_ANONYMOUS, BASE = ARGV[8], ARGV[9] == '1', ARGV[10]
local IDLE_MS = 60000 -- what a dead process left of an idle host is gone so long after its last lease

local isSubmit = ATTEMPT == ''
local caller = LEVELS[#LEVELS]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local member = QUEUE .. ' ' .. ID
local parked = PARKED[QUEUE] or PARKED.network
local turns = openTurns(BASE, QUEUE, now)
local place = { nodes = nodesOf(LEVELS), isAnonymous = IS_ANONYMOUS }

-- A full Redis refuses a script whose first write needs memory. A submit is refused so; a worker's start is not.
if not isSubmit then redis.call('ZREM', SLOTS, '') end
if QUEUE == 'composite' then
  if isSubmit and redis.call('EXISTS', WORKER) == 0 then return -2 end
  return takeTurn(turns, ID, HOST, place, LEASE_MS) and 0 or -4
end

endLeasesAt(SLOTS, OWNER, now)

if not redis.call('ZSCORE', SLOTS, member) then
  if isSubmit and redis.call('EXISTS', WORKER) == 0 then return -2 end
  local held, browsers = countSlots(SLOTS)
  local isFree = held < SLOT_LIMIT and (QUEUE ~= 'browser' or browsers < BROWSER_SLOTS)
  local first = redis.call('ZRANGE', parked, 0, 0)[1]
  -- One that has its turn was before those of the line: it gave its host's slot up only to wait for that.
  local hasTurn = redis.call('ZSCORE', turns.base .. ':held', ID)
  if isFree and (not first or first == ID or hasTurn) then
    redis.call('ZREM', parked, ID)
    redis.call('ZREM', turns.base .. ':parked:' .. caller, ID)
  else
    leaveTurns(turns, ID)
    local score = redis.call('ZSCORE', parked, ID)
    if not score and isSubmit and redis.call('ZCARD', parked) >= LINE_LIMIT then return -1 end
    -- Round-robin by caller: the next turn after the host's and the caller's own; within a turn by arrival. One that joins lifts the job to its own turn.
    local current = tonumber(redis.call('HGET', TURNS, '') or 0)
    local turn = math.max(current, tonumber(redis.call('HGET', TURNS, caller) or 0)) + 1
    if not score or turn < math.floor(tonumber(score) / ARRIVALS) then
      local arrival = redis.call('HINCRBY', TURNS, '#', 1) % ARRIVALS
      redis.call('HSET', TURNS, caller, turn)
      redis.call('ZADD', parked, turn * ARRIVALS + arrival, ID)
    end
    if not score then
      redis.call('ZADD', turns.base .. ':parked:' .. caller, now + KEPT_MS, ID)
      redis.call('PEXPIRE', turns.base .. ':parked:' .. caller, KEPT_MS)
    end
    return redis.call('ZRANK', parked, ID) + 1
  end
end

if not takeTurn(turns, ID, HOST, place, LEASE_MS) then
  redis.call('ZREM', SLOTS, member)
  return -4
end
redis.call('ZADD', SLOTS, now + LEASE_MS, member)
if not isSubmit then redis.call('HSET', OWNER, ID, ATTEMPT) end
for _, key in ipairs({ SLOTS, OWNER }) do
  if redis.call('PTTL', key) < LEASE_MS + IDLE_MS then redis.call('PEXPIRE', key, LEASE_MS + IDLE_MS) end
end
return 0
