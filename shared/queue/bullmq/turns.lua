-- Whose turn it is at the workers of a queue: callers share its slots level by level. The same as caller-turns.ts; RULES are those of turn-rules.ts.
-- Below BASE: slots (of all workers; none known: no limit), held (job -> end of its lease), waiting (job -> since when), places (job -> where),
-- counts ("job <node>" -> its jobs here, "part <node>" -> its busy parts, "anonymous" -> slots held, "arrivals"), spent:<node>, line:<node>, own:<node>.
-- A node is a caller or what callers share: the names of its levels, the widest first, a space before each.
local SCALE = 2199023255552 -- a score holds the slots held above, the time spent in them below this, in units of 10 ms
local KEPT_MS = 900000 -- longer than any run: what a queue without workers left is gone then
local MOST_CALLERS = 8 -- of those who join a job, so many have it at their own turns, too

local function openTurns(BASE, queue, now)
  local base = BASE .. ':' .. queue
  return { base = base, queue = queue, rules = RULES[queue], now = now, slots = tonumber(redis.call('GET', base .. ':slots') or 0) }
end

local function nodesOf(levels)
  local nodes, name = {}, ''
  for index, level in ipairs(levels) do
    name = name .. ' ' .. level
    nodes[index] = name
  end
  return nodes
end

local function spentOf(turns, nodes, index)
  return turns.base .. ':spent:' .. (nodes[index - 1] or '')
end

local function lineOf(turns, place, index)
  local above = place.nodes[index - 1] or (place.isAnonymous and 'anonymous' or 'known')
  return turns.base .. ':line:' .. above
end

local function readScore(key, node)
  local score = tonumber(redis.call('ZSCORE', key, node) or 0)
  local held = math.floor(score / SCALE)
  return held, score - held * SCALE
end

local function countIn(turns, nodes)
  local counts = turns.base .. ':counts'
  for index, node in ipairs(nodes) do
    if redis.call('HINCRBY', counts, 'job ' .. node, 1) == 1 then
      redis.call('HINCRBY', counts, 'part ' .. (nodes[index - 1] or ''), 1)
    end
  end
end

-- What an idle node's parts have spent is forgotten with it.
local function countOut(turns, nodes)
  local counts = turns.base .. ':counts'
  for index, node in ipairs(nodes) do
    if redis.call('HINCRBY', counts, 'job ' .. node, -1) <= 0 then
      redis.call('HDEL', counts, 'job ' .. node)
      redis.call('DEL', turns.base .. ':spent:' .. node)
      local above = 'part ' .. (nodes[index - 1] or '')
      if redis.call('HINCRBY', counts, above, -1) <= 0 then redis.call('HDEL', counts, above) end
    end
  end
end

-- Puts a job into its caller's line, and that into those above it, where it does not stand there.
local function joinLine(turns, id, place)
  local nodes = place.nodes
  local own = turns.base .. ':own:' .. nodes[#nodes]
  if not redis.call('ZSCORE', own, id) then
    redis.call('ZADD', own, redis.call('HINCRBY', turns.base .. ':counts', 'arrivals', 1), id)
  end
  redis.call('PEXPIRE', own, KEPT_MS)
  for index, node in ipairs(nodes) do
    local key, line = spentOf(turns, nodes, index), lineOf(turns, place, index)
    if not redis.call('ZSCORE', line, node) then
      local held, spent = readScore(key, node)
      -- One that was idle begins where the others stand: it has saved nothing.
      if held == 0 then spent = math.max(spent, tonumber(redis.call('ZSCORE', key, '') or 0)) end
      redis.call('ZADD', line, held * SCALE + spent, node)
    end
    redis.call('PEXPIRE', line, KEPT_MS)
  end
end

local function enterLine(turns, id, place)
  countIn(turns, place.nodes)
  joinLine(turns, id, place)
end

local function leaveLine(turns, id, place)
  local nodes = place.nodes
  local own = turns.base .. ':own:' .. nodes[#nodes]
  redis.call('ZREM', own, id)
  countOut(turns, nodes)
  if redis.call('EXISTS', own) == 1 then return end
  for index = #nodes, 1, -1 do
    local line = lineOf(turns, place, index)
    redis.call('ZREM', line, nodes[index])
    if redis.call('EXISTS', line) == 1 then return end
  end
end

local function writeScore(turns, place, index, score)
  local node = place.nodes[index]
  redis.call('ZADD', spentOf(turns, place.nodes, index), score, node)
  local line = lineOf(turns, place, index)
  if redis.call('ZSCORE', line, node) then redis.call('ZADD', line, score, node) end
end

local function startTurn(turns, id, host, place, leaseMs)
  countIn(turns, place.nodes)
  for index, node in ipairs(place.nodes) do
    local key = spentOf(turns, place.nodes, index)
    local held, spent = readScore(key, node)
    local current = tonumber(redis.call('ZSCORE', key, '') or 0)
    if held == 0 then spent = math.max(spent, current) end
    writeScore(turns, place, index, (held + 1) * SCALE + spent)
    redis.call('ZADD', key, math.max(current, spent), '')
    redis.call('PEXPIRE', key, KEPT_MS)
  end
  if place.isAnonymous then redis.call('HINCRBY', turns.base .. ':counts', 'anonymous', 1) end
  redis.call('ZADD', turns.base .. ':held', turns.now + leaseMs, id)
  local written = cjson.encode({ host = host, callers = { place }, since = turns.now })
  redis.call('HSET', turns.base .. ':places', id, written)
end

local function endTurn(turns, id, place, since)
  local counts = turns.base .. ':counts'
  local charge = math.max(0, math.floor((turns.now - since) / 10))
  local top = turns.base .. ':spent:'
  -- The virtual time: what each of those who are there has had on average.
  local active = math.max(1, tonumber(redis.call('HGET', counts, 'part ') or 1))
  local current = tonumber(redis.call('ZINCRBY', top, charge / active, ''))
  for index, node in ipairs(place.nodes) do
    local held, spent = readScore(spentOf(turns, place.nodes, index), node)
    writeScore(turns, place, index, math.max(0, held - 1) * SCALE + spent + charge)
  end
  redis.call('ZREMRANGEBYSCORE', top, '-inf', '(' .. string.format('%.17g', current))
  -- Where another owner of this Redis has evicted the counts, they begin again at 0.
  if place.isAnonymous and redis.call('HINCRBY', counts, 'anonymous', -1) < 0 then redis.call('HDEL', counts, 'anonymous') end
  countOut(turns, place.nodes)
end

-- Ends what a job has here: its wait, or its slot.
local function leaveTurns(turns, id)
  local text = redis.call('HGET', turns.base .. ':places', id)
  redis.call('HDEL', turns.base .. ':places', id)
  local isWritten = redis.call('ZREM', turns.base .. ':waiting', id) + redis.call('ZREM', turns.base .. ':held', id) > 0
  if not text then
    -- Redis has lost whose slot it was.
    if isWritten then redis.call('HSET', turns.base .. ':counts', 'lost', 1) end
    return
  end
  local written = cjson.decode(text)
  for _, place in ipairs(written.callers) do
    if written.since then endTurn(turns, id, place, written.since) else leaveLine(turns, id, place) end
  end
end

local function endLeases(turns)
  local ended = redis.call('ZRANGEBYSCORE', turns.base .. ':held', '-inf', turns.now, 'LIMIT', 0, 100)
  for _, id in ipairs(ended) do leaveTurns(turns, id) end
end

-- While a known caller waits, work without a token holds a part of the slots only.
local function isKnownOnly(turns)
  if redis.call('EXISTS', turns.base .. ':line:known') == 0 then return false end
  local held = tonumber(redis.call('HGET', turns.base .. ':counts', 'anonymous') or 0)
  return held >= turns.slots * turns.rules.anonymousShare
end

-- True when a caller may hold another slot: one is free, or it has less than its share of those that are taken.
local function mayHold(turns, nodes)
  local held = redis.call('ZCARD', turns.base .. ':held')
  if held < turns.slots then return true end
  if held >= turns.slots * turns.rules.all then return false end
  local counts, share = turns.base .. ':counts', turns.slots
  for index, node in ipairs(nodes) do
    local parts = tonumber(redis.call('HGET', counts, 'part ' .. (nodes[index - 1] or '')) or 0)
    if redis.call('HEXISTS', counts, 'job ' .. node) == 0 then parts = parts + 1 end
    share = math.max(1, math.floor(share / math.max(1, parts)))
    local own = readScore(spentOf(turns, nodes, index), node)
    if own >= (index == #nodes and share or share * turns.rules.network) then return false end
  end
  return true
end

local function writeWait(turns, id, host, callers)
  redis.call('HSET', turns.base .. ':places', id, cjson.encode({ host = host, callers = callers }))
  redis.call('ZADD', turns.base .. ':waiting', 'NX', turns.now, id)
end

-- Lets a job wait for its caller's turn. One that waits for others already gets the best turn of them all.
local function waitForTurn(turns, id, host, place)
  local text = redis.call('HGET', turns.base .. ':places', id)
  local written = text and cjson.decode(text) or { callers = {} }
  if written.since or #written.callers >= MOST_CALLERS then return end
  for _, other in ipairs(written.callers) do
    if other.nodes[#other.nodes] == place.nodes[#place.nodes] then return joinLine(turns, id, place) end
  end
  written.callers[#written.callers + 1] = place
  enterLine(turns, id, place)
  writeWait(turns, id, host, written.callers)
end

-- Takes a slot for a job, renews the one it has, or lets it wait. Returns true when it has one.
local function takeTurn(turns, id, host, place, leaseMs)
  if turns.slots == 0 then return true end
  if redis.call('ZSCORE', turns.base .. ':held', id) then
    redis.call('ZADD', turns.base .. ':held', turns.now + leaseMs, id)
    return true
  end
  endLeases(turns)
  local nodes = place.nodes
  local isFirst = redis.call('HEXISTS', turns.base .. ':places', id) == 0
    and redis.call('EXISTS', turns.base .. ':own:' .. nodes[#nodes]) == 0
  if isFirst and not (place.isAnonymous and isKnownOnly(turns)) and mayHold(turns, nodes) then
    startTurn(turns, id, host, place, leaseMs)
    return true
  end
  waitForTurn(turns, id, host, place)
  return false
end

-- The job whose turn it is: at each level of who holds the fewest slots, and of these of who had them for the shortest time.
local function findNext(turns)
  local known = redis.call('ZRANGE', turns.base .. ':line:known', 0, 0, 'WITHSCORES')
  local anonymous = isKnownOnly(turns) and {} or redis.call('ZRANGE', turns.base .. ':line:anonymous', 0, 0, 'WITHSCORES')
  local isAnonymous = not known[1] or (anonymous[1] and tonumber(anonymous[2]) < tonumber(known[2])) or false
  local node = isAnonymous and anonymous[1] or known[1]
  local nodes = {}
  while node do
    nodes[#nodes + 1] = node
    node = redis.call('ZRANGE', turns.base .. ':line:' .. node, 0, 0)[1]
  end
  if not nodes[1] then return nil end
  return { nodes = nodes, isAnonymous = isAnonymous }, redis.call('ZRANGE', turns.base .. ':own:' .. nodes[#nodes], 0, 0)[1]
end

-- Gives free slots to the jobs whose turn it is, and adds "queue, job id, host" of each to `handed`.
local function handTurns(turns, handed, leaseMs)
  if turns.slots == 0 then return end
  endLeases(turns)
  for _ = 1, turns.slots * turns.rules.all do
    local place, id = findNext(turns)
    if not place or not mayHold(turns, place.nodes) then return end
    local text = id and redis.call('HGET', turns.base .. ':places', id)
    if not text then
      -- Half of its keys have expired, or Redis has evicted them.
      redis.call('HSET', turns.base .. ':counts', 'lost', 1)
      redis.call('DEL', turns.base .. ':own:' .. place.nodes[#place.nodes])
      leaveLine(turns, id or '', place)
    else
      local host = cjson.decode(text).host
      leaveTurns(turns, id)
      startTurn(turns, id, host, place, leaseMs)
      handed[#handed + 1] = turns.queue
      handed[#handed + 1] = id
      handed[#handed + 1] = host
    end
  end
end

-- Every job that is written down holds a slot or waits. Where Redis has lost some of the keys, what is left is counted anew: else a caller
-- would be taken to hold slots that it has left, and a job might stand in no line.
local function findLost(turns, leaseMs)
  local base = turns.base
  local known = redis.call('ZCARD', base .. ':held') + redis.call('ZCARD', base .. ':waiting')
  if redis.call('HLEN', base .. ':places') == known and redis.call('HEXISTS', base .. ':counts', 'lost') == 0 then return end
  local arrivals = redis.call('HGET', base .. ':counts', 'arrivals')
  redis.call('DEL', base .. ':counts')
  -- Where that is lost, too, later ones stand behind those who are there.
  redis.call('HSET', base .. ':counts', 'arrivals', arrivals or string.format('%d', turns.now))
  local held, anonymous, flat = {}, 0, redis.call('HGETALL', base .. ':places')
  for at = 1, #flat, 2 do
    local id, written = flat[at], cjson.decode(flat[at + 1])
    local isHeld = written.since ~= nil
    redis.call('ZADD', base .. (isHeld and ':held' or ':waiting'), 'NX', isHeld and turns.now + leaseMs or turns.now, id)
    redis.call('ZREM', base .. (isHeld and ':waiting' or ':held'), id)
    for _, place in ipairs(written.callers) do
      countIn(turns, place.nodes)
      if written.since and place.isAnonymous then anonymous = anonymous + 1 end
      for _, node in ipairs(written.since and place.nodes or {}) do held[node] = (held[node] or 0) + 1 end
      if not written.since then joinLine(turns, id, place) end
    end
  end
  if anonymous > 0 then redis.call('HSET', base .. ':counts', 'anonymous', anonymous) end
  for _, line in ipairs({ ':held', ':waiting' }) do
    for _, id in ipairs(redis.call('ZRANGE', base .. line, 0, -1)) do
      if redis.call('HEXISTS', base .. ':places', id) == 0 then redis.call('ZREM', base .. line, id) end
    end
  end
  -- What nodes have spent stays; how many slots they hold is said anew, in their lines as well.
  local above = { '' }
  while above[1] do
    local node = table.remove(above)
    local key = base .. ':spent:' .. node
    local lines = node == '' and { ':line:known', ':line:anonymous' } or { ':line:' .. node }
    for _, part in ipairs(redis.call('ZRANGE', key, 0, -1)) do
      if part ~= '' then
        local was, spent = readScore(key, part)
        local score = (held[part] or 0) * SCALE + spent
        if was ~= (held[part] or 0) then
          redis.call('ZADD', key, score, part)
          for _, line in ipairs(lines) do redis.call('ZADD', base .. line, 'XX', score, part) end
        end
        above[#above + 1] = part
      end
    end
  end
end
