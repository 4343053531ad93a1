-- Takes a job out of the lists of its host and its caller, tells of its end, and hands free slots to the jobs whose turn it is. Idempotent.
-- Returns queue, job id, host, queue, ... of the jobs that may run now; nothing when an older attempt asks. The functions of host-slots.lua and turns.lua stand before this.
local SLOTS = KEYS[1] -- sorted set: "<queue> <job id>" -> when its lease ends, Redis ms
local PARKED = { network = KEYS[2], browser = KEYS[3] } -- sorted sets: job id -> turn * ARRIVALS + arrival
local OWNER = KEYS[4] -- hash: job id -> the attempt that runs it
local TURNS = KEYS[5] -- hash: caller -> its last turn; "" -> the turn that was handed a slot last; "#" -> arrivals
local ENDED = KEYS[6] -- there for a while after a run of the job's key has ended
local QUEUE, ID = ARGV[1], ARGV[2]
local ATTEMPT = ARGV[3] -- "": whichever attempt it is
local SLOT_LIMIT = tonumber(ARGV[4])
local LEASE_MS = tonumber(ARGV[5]) -- of a slot that is handed on
local CHANNEL, MESSAGE = ARGV[6], ARGV[7] -- an empty message is not published
local BULL_PREFIX = ARGV[8] -- of BullMQ's job hashes
local ENDED_MS = ARGV[9] -- for so long
local HOST, CALLER, BASE = ARGV[10], ARGV[11], ARGV[12] -- the caller may be unknown: ""
local MOVED_MOST = 8 -- so many jobs leave the line of the host at once

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local owner = redis.call('HGET', OWNER, ID)
if ATTEMPT ~= '' and owner and owner ~= ATTEMPT then return {} end

redis.call('ZREM', SLOTS, QUEUE .. ' ' .. ID)
redis.call('HDEL', OWNER, ID)
local turnsOf = { [QUEUE] = openTurns(BASE, QUEUE, now) }
local parked = PARKED[QUEUE] or PARKED.network
local drawn = redis.call('ZSCORE', parked, ID)
if drawn then
  redis.call('ZREM', parked, ID)
  redis.call('ZREM', turnsOf[QUEUE].base .. ':parked:' .. CALLER, ID)
  -- A turn that nobody used is the caller's next one again.
  local turn = math.floor(tonumber(drawn) / ARRIVALS)
  if tonumber(redis.call('HGET', TURNS, CALLER) or 0) == turn then redis.call('HSET', TURNS, CALLER, turn - 1) end
end
leaveTurns(turnsOf[QUEUE], ID)
endLeasesAt(SLOTS, OWNER, now)
if MESSAGE ~= '' then
  redis.call('SET', ENDED, '', 'PX', ENDED_MS)
  redis.call('PUBLISH', CHANNEL, MESSAGE)
end

local count, browsers = countSlots(SLOTS)
local function readJob(queue, id)
  local isRead, job = pcall(cjson.decode, redis.call('HGET', BULL_PREFIX .. ':' .. queue .. ':' .. id, 'data') or '{}')
  return isRead and type(job) == 'table' and job or {}
end
-- What its host lets go waits for its caller's turn next, and holds no slot of the host until it has one: others of the host go on meanwhile.
-- A job that is not written down yet waits under the name of its host. Returns true when it has its turn.
local handed = {}
local function takeItsTurn(queue, id)
  local turns = turnsOf[queue] or openTurns(BASE, queue, now)
  turnsOf[queue] = turns
  if turns.slots == 0 then
    for _, word in ipairs({ queue, id, HOST }) do handed[#handed + 1] = word end
    return true
  end
  local job = readJob(queue, id)
  local levels = {}
  for _, level in ipairs(type(job.levels) == 'table' and job.levels or {}) do
    if type(level) == 'string' then levels[#levels + 1] = level end
  end
  levels[#levels + 1] = type(job.caller) == 'string' and job.caller or HOST
  redis.call('ZREM', turns.base .. ':parked:' .. levels[#levels], id)
  waitForTurn(turns, id, HOST, { nodes = nodesOf(levels), isAnonymous = job.isAnonymous == true })
  handTurns(turns, handed, LEASE_MS)
  return redis.call('ZSCORE', turns.base .. ':held', id) ~= false
end

for _ = 1, MOVED_MOST do
  if count >= SLOT_LIMIT then break end
  local network = redis.call('ZRANGE', PARKED.network, 0, 0, 'WITHSCORES')
  local browser = browsers < BROWSER_SLOTS and redis.call('ZRANGE', PARKED.browser, 0, 0, 'WITHSCORES') or {}
  local queue, head = 'network', network
  if browser[1] and (not network[1] or tonumber(browser[2]) < tonumber(network[2])) then
    queue, head = 'browser', browser
  end
  if not head[1] then break end
  redis.call('ZREM', PARKED[queue], head[1])
  local turn = math.floor(tonumber(head[2]) / ARRIVALS)
  if turn > tonumber(redis.call('HGET', TURNS, '') or 0) then redis.call('HSET', TURNS, '', turn) end
  -- From now on it waits for a worker, no longer for its host.
  local job = BULL_PREFIX .. ':' .. queue .. ':' .. head[1]
  if redis.call('EXISTS', job) == 1 then redis.call('HSET', job, 'readyAt', now) end
  if takeItsTurn(queue, head[1]) then
    redis.call('ZADD', SLOTS, now + LEASE_MS, queue .. ' ' .. head[1])
    count = count + 1
    if queue == 'browser' then browsers = browsers + 1 end
  end
end
handTurns(turnsOf[QUEUE], handed, LEASE_MS)
if redis.call('EXISTS', PARKED.network, PARKED.browser) == 0 then redis.call('DEL', TURNS) end
return handed
