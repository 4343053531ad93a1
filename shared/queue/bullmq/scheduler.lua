-- Who may run next. Callers' jobs wait here; BullMQ gets a job only when it may run now. docs/scheduler.md has the states and the rules.
-- KEYS[1]: what all our keys begin with. ARGV: the operation, the slots of a host, then the words of the operation. All times are Redis'.
--   job:<id>            r: the record below, as JSON · d: the payload
--   key:<key>           the unfinished job of a key · ended:<key>: a run of it has ended lately
--   at:<group>          places that are taken: job -> end of its lease. Groups: a pool, a node, "host <name>", "page <host>", "pages <caller>"
--   line:<node>         children that wait, by (places held, last turn) · kids:<node>: children with jobs · own:<node>: a caller's waiting jobs
--   mine:<node>         a caller's unfinished jobs · host:<pool>:<host>: jobs that wait for their host, by tag · tags:<host>
--   late                waiting jobs, by when they expire · asleep: by when they look again
--   waits, parks, handed, running (:<pool>)   since when; running: end of lease · alive, offers, slots (:<pool>): workers
-- A record: id, key, pool, host, check, report, page; by, seen (ms); seq; hand, runs (numbers of its turns and its runs); open, solo (runs that
-- began and did not end, and those of them that were alone); stored (a report of it may be in the store); till (ms: it has lost its process then); at (host, turn, held, run, away, asleep, or how it ended); who (up to eight who
-- wait: by, path); more (others wait as well); via (of who: whose place it has); back (a run that wants its place back).
local P, OP, HOST = KEYS[1], ARGV[1], tonumber(ARGV[2])
local call = redis.call
local clock = call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local POOLS = { 'network', 'browser', 'composite' }
-- All runs together may hold so many times the slots. A check waits for the network most of its time; a page load keeps a core busy.
local OVER = { network = 4, browser = 1, composite = 4 }
local NETWORK = 2 -- a network or an account may hold so many times its share beyond the slots
local ANONYMOUS = 3 / 4 -- of all places, what work without a token may hold
local WAITERS = 8 -- who wait for one job and give it their turns
local LEASE, GRACE, ALIVE = 15000, 10000, 9000 -- ms: until a handed job begins; beyond a run's limit; without a beat
local UNHEARD = 2500 -- ms: by then a run has begun and its number is known, or BullMQ has not heard of it
local LOST, LOST_BESIDE = 2, 4 -- runs lost that end a job: when it was alone once, and when it never was
local AGAIN, SPARE = 30000, 600000 -- ms: what was handed back may wait so long again; what is remembered of a job, longer than it can be there
local ENDED, KEPT, KEPT_MOST = 60000, 600000, 10000 -- ms that an end is remembered by key and by id; ids
local MOST = 1000000 -- jobs that may wait
local KEEP = 172800000 -- ms: every key ends, long after the longest wait
local BIG = 4294967296

local function key(...) return P .. ':' .. table.concat({ ... }, ':') end
local function put(name, score, member)
  call('ZADD', name, score, member)
  call('PEXPIRE', name, KEEP)
end
local function note(name, since, id)
  call('ZADD', name, 'NX', since, id)
  call('PEXPIRE', name, KEEP)
end
local function due(name, most, before) return call('ZRANGEBYSCORE', name, '-inf', before or now, 'LIMIT', 0, most) end

local function turn()
  local count = call('INCR', key('turn'))
  if count == 1 then call('PEXPIRE', key('turn'), KEEP) end
  return count
end

-- Undefined where there is none, or somebody else has written there.
local function load(id)
  local text = call('HGET', key('job', id), 'r')
  local isRead, r = pcall(cjson.decode, text or '')
  if not isRead or type(r) ~= 'table' or r.id ~= id or not OVER[r.pool] or type(r.who) ~= 'table' then return nil end
  for _, name in ipairs({ 'by', 'seen', 'seq', 'hand', 'runs', 'open', 'solo', 'run' }) do
    if type(r[name]) ~= 'number' then return nil end
  end
  return r
end
local function save(r)
  call('HSET', key('job', r.id), 'r', cjson.encode(r))
end

-- The primitive: places of a group, each with the end of its lease.
local function used(group) return call('ZCOUNT', key('at', group), now, '+inf') end
local function occupy(group, id, forMs) put(key('at', group), now + forMs, id) end
local function vacate(group, id) call('ZREM', key('at', group), id) end

-- A node is a caller or what callers share: the names of its levels, the widest first. The first level is its class.
local function nodesOf(r, i)
  local nodes, node = {}, r.pool
  for at, level in ipairs(r.who[i].path) do
    node = node .. '|' .. level
    nodes[at] = node
  end
  nodes[0] = r.pool
  return nodes
end

local function order(nodes, isTurn)
  for i = 1, #nodes do
    local line = key('line', nodes[i - 1])
    local old = call('ZSCORE', line, nodes[i])
    if old then put(line, used(nodes[i]) * BIG + (isTurn and turn() or old % BIG), nodes[i]) end
  end
end

-- Forgets the levels of a path that have no job any more.
local function settle(nodes)
  for i = #nodes, 1, -1 do
    if call('EXISTS', key('mine', nodes[i]), key('kids', nodes[i])) > 0 then return end
    call('ZREM', key('kids', nodes[i - 1]), nodes[i])
  end
end

-- Until when a job can be there, with some to spare: what its caller's levels remember of it ends by itself.
local function count(r, i)
  local nodes, last = nodesOf(r, i), math.max(r.by, now) + r.run + SPARE
  put(key('mine', nodes[#nodes]), last, r.id)
  for at = 1, #nodes do put(key('kids', nodes[at - 1]), last, nodes[at]) end
end

local function enterLine(r)
  r.at = 'turn'
  save(r)
  if not r.back then note(key('waits', r.pool), now, r.id) end
  for i = 1, #r.who do
    local nodes = nodesOf(r, i)
    put(key('own', nodes[#nodes]), r.seq, r.id)
    for at = 1, #nodes do
      local line = key('line', nodes[at - 1])
      if not call('ZSCORE', line, nodes[at]) then put(line, used(nodes[at]) * BIG + turn(), nodes[at]) end
    end
  end
end

local function leaveNode(nodes, id)
  call('ZREM', key('own', nodes[#nodes]), id)
  for at = #nodes, 1, -1 do
    if call('EXISTS', key('own', nodes[at]), key('line', nodes[at])) > 0 then return end
    call('ZREM', key('line', nodes[at - 1]), nodes[at])
  end
end

local function leaveLine(r)
  for i = 1, #r.who do leaveNode(nodesOf(r, i), r.id) end
end

local function hasRoom(r)
  if r.pool == 'composite' then return true end
  return used('host ' .. r.host) < HOST and (r.pool ~= 'browser' or used('page ' .. r.host) < 1)
end

local function holdHost(r, forMs)
  if r.pool == 'composite' then return end
  occupy('host ' .. r.host, r.id, forMs)
  if r.pool == 'browser' then occupy('page ' .. r.host, r.id, forMs) end
end

local function holdPlace(r, forMs, isTurn)
  local nodes = nodesOf(r, r.via)
  for at = 0, #nodes do occupy(nodes[at], r.id, forMs) end
  order(nodes, isTurn)
end

local function leavePlace(r)
  local nodes = nodesOf(r, r.via)
  for at = 0, #nodes do vacate(nodes[at], r.id) end
  order(nodes, false)
end

local function leaveHost(r)
  if r.pool == 'composite' then return end
  vacate('host ' .. r.host, r.id)
  vacate('page ' .. r.host, r.id)
end

-- At a host the parties take turns: each of their jobs stands one place behind their last one.
local function partyOf(path) return path[1] .. '|' .. (path[2] or '') end

local function tagFor(r, path)
  local tags, party = key('tags', r.host), partyOf(path)
  local last = math.max(tonumber(call('HGET', tags, '') or 0), tonumber(call('HGET', tags, party) or 0))
  if r.tag and r.tag <= last + 1 then return end
  r.tag = last + 1
  call('HSET', tags, party, r.tag)
  call('PEXPIRE', tags, KEEP)
end

-- Those of one tag in the order in which they came.
local function enterHostLine(r) put(key('host', r.pool, r.host), r.tag * BIG + r.seq, r.id) end

local function waitAtHost(r)
  if not r.tag then tagFor(r, r.who[1].path) end
  r.at = 'host'
  save(r)
  call('ZREM', key('waits', r.pool), r.id)
  note(key('parks', r.pool), r.born, r.id)
  enterHostLine(r)
end

local function leaveHostLine(r)
  call('ZREM', key('parks', r.pool), r.id)
  call('ZREM', key('host', r.pool, r.host), r.id)
  if call('EXISTS', key('host', 'network', r.host), key('host', 'browser', r.host)) == 0 then call('DEL', key('tags', r.host)) end
end

local handed = {}
local function hand(r)
  for _, word in ipairs({ r.id, tostring(r.hand), r.pool, r.check, tostring(r.open) }) do handed[#handed + 1] = word end
end
local finish

-- The places are the job's from now on. Who called adds it to BullMQ; `hand` tells this turn from an earlier one of the same job.
local function start(r, via)
  call('ZREM', key('late'), r.id)
  call('ZREM', key('waits', r.pool), r.id)
  r.via = via
  if r.back then
    -- It runs, and had given its place to others.
    r.back, r.at, r.till = nil, 'run', now + r.run + GRACE
    save(r)
    return holdPlace(r, r.run + GRACE, true)
  end
  r.at, r.hand = 'held', r.hand + 1
  r.till = now + 2 * LEASE
  r.stored = r.open > 0 or now - r.seen > 1000 or call('EXISTS', key('ended', r.key)) == 1
  save(r)
  holdHost(r, 2 * LEASE)
  holdPlace(r, 2 * LEASE, true)
  put(key('handed', r.pool), now, r.id)
  hand(r)
end

local function sleep(r, forMs)
  r.at = 'asleep'
  save(r)
  note(key('waits', r.pool), now, r.id)
  put(key('asleep'), now + forMs, r.id)
  put(key('late'), r.by, r.id)
end

local function mustWait(r) return r.pool ~= 'composite' and (call('EXISTS', key('host', r.pool, r.host)) == 1 or not hasRoom(r)) end

-- Puts a job where it has to wait.
local function place(r)
  put(key('late'), r.by, r.id)
  if mustWait(r) then waitAtHost(r) else enterLine(r) end
end

-- The next waiting job below a node, and whose it is. Those that hold the fewest places come first, then those whose last turn is the longest ago;
-- where no slot is free, nobody has one beyond its share.
local function pickBelow(node, slots, share, isFree)
  local line = key('line', node)
  local isTop = share == nil
  if isTop then share = slots else share = math.max(1, math.floor(share / math.max(1, call('ZCOUNT', key('kids', node), now, '+inf')))) end
  for _, kid in ipairs(call('ZRANGE', line, 0, 3)) do
    local id = call('ZRANGE', key('own', kid), 0, 0)[1]
    local most = id and share or share * NETWORK
    if isTop then most = kid == node .. '|anonymous' and math.ceil(slots * OVER[node] * ANONYMOUS) or slots * OVER[node] end
    if isFree or used(kid) < most then
      if id then return id, kid end
      if call('EXISTS', key('line', kid)) == 0 then call('ZREM', line, kid) end
      local found, owner = pickBelow(kid, slots, share, isFree)
      if found then return found, owner end
    end
  end
end

local function pick(pool)
  local slots, held = tonumber(call('GET', key('slots', pool)) or 0), used(pool)
  if held >= slots * OVER[pool] then return end
  return pickBelow(pool, slots, nil, held < slots)
end

local function pathOf(node)
  local nodes, name = {}, nil
  for level in string.gmatch(node, '[^|]+') do
    name = name and name .. '|' .. level or level
    nodes[#nodes + 1] = name
  end
  nodes[0] = table.remove(nodes, 1)
  return nodes
end

local function pauseLeft(r)
  return tonumber(call('HGET', key('pauses'), 'check ' .. r.check) or 0) - now
end

-- Hands out what may run.
local function passOnIn(pool)
  for _ = 1, 50 do
    if call('EXISTS', key('line', pool)) == 0 then return end
    local id, owner = pick(pool)
    if not id then return end
    local r = load(id)
    if not r or r.at ~= 'turn' then
      -- Its record is gone.
      leaveNode(pathOf(owner), id)
      call('ZREM', key('mine', owner), id)
      settle(pathOf(owner))
    else
      local left = pauseLeft(r)
      leaveLine(r)
      if r.by < now and not r.back then finish(r, 'expired')
      elseif left > 0 and not r.back then sleep(r, math.min(5000, left))
      elseif r.back or hasRoom(r) then
        local via = 1
        for i = 1, #r.who do
          local nodes = nodesOf(r, i)
          if nodes[#nodes] == owner then via = i end
        end
        start(r, via)
      else waitAtHost(r) end
    end
  end
end

local function passOn()
  for _, pool in ipairs(POOLS) do passOnIn(pool) end
end

-- The host of a job may have room now: those that wait for it go on to their callers' lines.
local function passHost(r)
  if r.pool == 'composite' then return end
  local host = r.host
  local room = HOST - used('host ' .. host)
  for _, pool in ipairs({ 'browser', 'network' }) do
    local line = key('host', pool, host)
    local left = pool == 'browser' and math.min(1, room) or room
    while left > 0 do
      local id = call('ZRANGE', line, 0, 0)[1]
      if not id then break end
      local next = load(id)
      if not next then call('ZREM', line, id)
      elseif not hasRoom(next) then break
      else
        call('HSET', key('tags', host), '', next.tag)
        leaveHostLine(next)
        enterLine(next)
        left = left - 1
      end
    end
  end
end

local function runs(r) return r.at == 'run' or r.at == 'away' or r.back end

local function leave(r)
  if r.at == 'host' then leaveHostLine(r)
  elseif r.at == 'turn' then leaveLine(r)
  elseif r.at == 'asleep' then call('ZREM', key('asleep'), r.id)
  elseif r.at == 'held' or r.at == 'run' then leavePlace(r) end
  if r.at == 'held' or runs(r) then leaveHost(r) end
  r.back = nil
  for _, list in ipairs({ 'waits', 'handed', 'running' }) do call('ZREM', key(list, r.pool), r.id) end
  call('ZREM', key('late'), r.id)
end

local function forgetMine(r, i)
  local nodes = nodesOf(r, i)
  call('ZREM', key('mine', nodes[#nodes]), r.id)
  settle(nodes)
end

finish = function(r, outcome, tookMs)
  leave(r)
  for i = 1, #r.who do forgetMine(r, i) end
  if r.page then vacate('pages ' .. r.page, r.id) end
  if call('GET', key('key', r.key)) == r.id then call('DEL', key('key', r.key)) end
  if outcome == 'withdrawn' then call('DEL', key('job', r.id))
  else
    r.at = outcome
    save(r)
    call('PEXPIRE', key('job', r.id), KEPT)
    call('SET', key('ended', r.key), '1', 'PX', ENDED)
    call('PEXPIRE', key('kept'), KEEP)
    if call('LPUSH', key('kept'), r.id) > KEPT_MOST then call('DEL', key('job', call('RPOP', key('kept')))) end
    call('PUBLISH', ARGV[3], cjson.encode({
      jobKey = r.key, jobId = r.id, queue = r.pool, host = r.host, reportId = r.report, state = outcome, tookMs = tookMs or 0,
    }))
  end
  passHost(r)
end

-- Another wants the job as well: it has the better of the two turns.
local function join(r, by, path)
  for i = 1, #r.who do if r.who[i].by == by then return end end
  local entry = { by = by, path = path }
  local at = #r.who + 1
  if at <= WAITERS then r.who[at] = entry
  else
    r.more = true
    local last
    for i = 1, #r.who do if r.who[i].path[1] == 'anonymous' and i ~= r.via then last = i end end
    if path[1] ~= 'known' or not last then return save(r) end
    if r.at == 'turn' then leaveNode(nodesOf(r, last), r.id) end
    forgetMine(r, last)
    r.who[last], at = entry, last
  end
  count(r, at)
  if r.at == 'turn' then return enterLine(r) end
  if r.at == 'host' then
    local before = r.tag
    tagFor(r, path)
    if r.tag ~= before then enterHostLine(r) end
  end
  save(r)
end

-- The record of a run, by its number, or by that of its turn where it has not begun (0). An older run's is none.
local function known(id, run, hand)
  local r = load(id)
  if not r then return end
  if tonumber(run) == 0 then return r.at == 'held' and r.hand == tonumber(hand) and r or nil end
  if runs(r) and r.runs == tonumber(run) then return r end
end

-- Nobody does it yet, or is about to.
local function waits(r) return r.at == 'host' or r.at == 'asleep' or (r.at == 'turn' and not r.back) end

local function stateOf(r)
  if r.at ~= 'host' then return 'admitted', 0 end
  return 'parked', call('ZRANK', key('host', r.pool, r.host), r.id) + 1
end

-- What was handed and not begun, or runs longer than it may, has lost its process.
local function handAgain(r)
  leave(r)
  r.by = math.max(r.by, now + AGAIN)
  place(r)
  passHost(r)
end

-- Others may have removed keys: the job stands where its record says, again.
local function mend(r)
  if r.at == 'turn' then
    enterLine(r)
    if not r.back then put(key('late'), r.by, r.id) end
  elseif r.at == 'host' then
    waitAtHost(r)
    put(key('late'), r.by, r.id)
    if hasRoom(r) then passHost(r) end
  elseif r.at == 'asleep' then
    if not call('ZSCORE', key('asleep'), r.id) then put(key('asleep'), now, r.id) end
  elseif r.till and r.till < now and not (r.at == 'done' or r.at == 'failed' or r.at == 'expired') then handAgain(r) end
end

local function answer(...)
  local words = { ... }
  for _, word in ipairs(handed) do words[#words + 1] = word end
  return words
end

if OP == 'submit' then
  -- channel, record, payload, ms it may wait, age of what it has seen, longest line of its host, page loads of its caller
  local r = cjson.decode(ARGV[4])
  local earlier = load(call('GET', key('key', r.key)) or '')
  if earlier then
    mend(earlier)
    if earlier.id ~= r.id then join(load(earlier.id), r.who[1].by, r.who[1].path) end
    passOnIn(r.pool)
    if earlier.id ~= r.id then return answer('joined', earlier.id, '0') end
    local state, rank = stateOf(load(r.id))
    return answer(state, r.id, tostring(rank))
  end
  -- First, and refused by a Redis that is full.
  call('SET', key('key', r.key), r.id, 'PX', KEEP)
  local refuse = function(word)
    call('DEL', key('key', r.key))
    return { word, r.id, call('GET', key('denied', r.pool)) or '' }
  end
  call('ZREMRANGEBYSCORE', key('alive', r.pool), '-inf', now)
  if call('EXISTS', key('alive', r.pool)) == 0 then return refuse('unserved') end
  local pages = tonumber(ARGV[9])
  if r.page and used('pages ' .. r.page) >= pages then return refuse('pages') end
  if call('ZCARD', key('late')) >= MOST then return refuse('full') end
  r.born, r.by, r.seen, r.seq = now, now + ARGV[6], now - ARGV[7], turn()
  r.hand, r.runs, r.open, r.solo = 0, 0, 0, 0
  local isFull = mustWait(r)
  if isFull and call('ZCARD', key('host', r.pool, r.host)) >= tonumber(ARGV[8]) then return refuse('full') end
  call('HSET', key('job', r.id), 'd', ARGV[5])
  call('PEXPIRE', key('job', r.id), KEEP)
  if r.page then occupy('pages ' .. r.page, r.id, ARGV[6] + r.run + 60000) end
  count(r, 1)
  -- Where nobody waits and a slot is free, it is its turn.
  local slots = tonumber(call('GET', key('slots', r.pool)) or 0)
  if not isFull and call('EXISTS', key('line', r.pool)) == 0 and used(r.pool) < slots and pauseLeft(r) <= 0 then
    start(r, 1)
    return answer('admitted', r.id, '0')
  end
  place(r)
  passOnIn(r.pool)
  local state, rank = stateOf(load(r.id))
  return answer(state, r.id, tostring(rank))
end

-- Everything below frees something: it begins with a write that needs no memory, so that a full Redis takes it.
call('DEL', key('none'))

if OP == 'begin' then
  -- job, hand, token, whether it is alone, runs of this turn that BullMQ saw lost -> its run's number (0: not this turn), runs lost,
  -- whether they are too many. A run that ends within a second has no number: its turn's is enough.
  local r = load(ARGV[4])
  if not r or r.hand ~= tonumber(ARGV[5]) then return { 0, 0, 0 } end
  if not (r.at == 'held' or runs(r)) then return { 0, 0, 0 } end
  -- Asked twice, as its answer was lost.
  if runs(r) and r.token == ARGV[6] then return { r.runs, r.open - 1, 0 } end
  r.open = math.max(r.open, tonumber(ARGV[8]))
  if r.back then leaveLine(r) end
  r.back, r.at, r.token, r.alone = nil, 'run', ARGV[6], ARGV[7] == '1'
  local lost, solo = r.open, r.solo
  r.runs, r.open = r.runs + 1, r.open + 1
  if r.alone then r.solo = r.solo + 1 end
  r.till = now + r.run + GRACE
  save(r)
  holdHost(r, r.run + GRACE)
  holdPlace(r, r.run + GRACE, false)
  call('ZREM', key('handed', r.pool), r.id)
  put(key('running', r.pool), now + r.run + GRACE, r.id)
  local isLost = lost >= LOST_BESIDE or (lost >= LOST and solo > 0)
  return { r.runs, lost, isLost and 1 or 0 }
elseif OP == 'beside' then
  -- job, run, hand: another run begins beside one that was alone
  local r = known(ARGV[4], ARGV[5], ARGV[6])
  if r and r.alone then
    r.alone, r.solo = false, r.solo - 1
    save(r)
  end
  return {}
elseif OP == 'end' then
  -- job, run, hand, outcome, ms that it took -> whether the end is its
  local r = known(ARGV[4], ARGV[5], ARGV[6])
  if not r then return { '0' } end
  finish(r, ARGV[7], tonumber(ARGV[8]))
  passOn()
  return answer('1')
elseif OP == 'back' then
  -- job, run, hand, ms: the run has asked nothing, or its worker stops; the job begins again after so long
  local r = known(ARGV[4], ARGV[5], ARGV[6])
  if not r then return {} end
  if r.at ~= 'held' then
    r.open = r.open - 1
    if r.alone then r.solo = r.solo - 1 end
  end
  leave(r)
  local forMs = tonumber(ARGV[7])
  if forMs > 0 then sleep(r, forMs)
  else
    r.by = math.max(r.by, now + AGAIN)
    place(r)
  end
  passHost(r)
  passOn()
  return answer()
elseif OP == 'give' then
  -- job, run, hand: it waits for something, and others have its place meanwhile; that of its host it keeps
  local r = known(ARGV[4], ARGV[5], ARGV[6])
  if not r or r.at ~= 'run' then return {} end
  leavePlace(r)
  r.at = 'away'
  save(r)
  passOnIn(r.pool)
  return answer()
elseif OP == 'take' then
  -- job, run, hand -> '1' once it has its place again, at its caller's turn; '' where the run is another's
  local r = known(ARGV[4], ARGV[5], ARGV[6])
  if not r then return { '' } end
  if r.at == 'away' then
    r.back = true
    enterLine(r)
    passOnIn(r.pool)
    r = load(r.id)
  end
  return answer(r.at == 'run' and '1' or '0')
elseif OP == 'holds' then
  -- job, run -> whether the run is still the one that counts; a job that is not known any more has no other
  local r = load(ARGV[4])
  return { (not r or r.runs == tonumber(ARGV[5])) and '1' or '0' }
elseif OP == 'withdraw' then
  -- key, request -> left, stays, or '' where it runs or is none of that request's
  local r = load(call('GET', key('key', ARGV[4])) or '')
  if not r or not waits(r) then return { '' } end
  local index
  for i = 1, #r.who do if r.who[i].by == ARGV[5] then index = i end end
  if not index then return { '' } end
  if #r.who == 1 and not r.more then
    finish(r, 'withdrawn')
    passOn()
    return answer('left')
  end
  if #r.who == 1 then
    -- Others wait who are not noted.
    r.who[index].by = ''
    save(r)
    return answer('stays')
  end
  if r.at == 'turn' then leaveNode(nodesOf(r, index), r.id) end
  forgetMine(r, index)
  table.remove(r.who, index)
  for i = 1, #r.who do count(r, i) end
  save(r)
  if r.at == 'turn' then enterLine(r) end
  return answer('stays')
elseif OP == 'drop' then
  -- job -> '1' where it waited: it is ended as expired, and forgotten
  local r = load(ARGV[4])
  if not r or not waits(r) then return { '0' } end
  finish(r, 'expired')
  call('DEL', key('job', r.id))
  passOn()
  return answer('1')
elseif OP == 'occupy' then
  -- group, member, most (0: it renews its place), ms -> whether it has one. For what is no job, such as the streams of a reader.
  call('ZREMRANGEBYSCORE', key('at', ARGV[4]), '-inf', now)
  local most = tonumber(ARGV[6])
  if most > 0 and used(ARGV[4]) >= most then return { '0' } end
  occupy(ARGV[4], ARGV[5], tonumber(ARGV[7]))
  return { '1' }
elseif OP == 'wake' then
  -- job: one that sleeps is taken now
  local r = load(ARGV[4])
  if r and r.at == 'asleep' then
    leave(r)
    place(r)
  end
  passOn()
  return answer()
end

-- beat: pool, worker, slots. A worker lives, and has so many slots. What a process that died should have done is done.
local pool, worker, slots = ARGV[4], ARGV[5], tonumber(ARGV[6])
local alive, offers = key('alive', pool), key('offers', pool)
if slots >= 0 then
  put(alive, now + ALIVE, worker)
  call('HSET', offers, worker, slots)
  call('PEXPIRE', offers, KEEP)
else
  call('ZREM', alive, worker)
  call('HDEL', offers, worker)
end
for _, gone in ipairs(due(alive, 1000)) do
  call('ZREM', alive, gone)
  call('HDEL', offers, gone)
end
local all = 0
for _, offer in ipairs(call('HVALS', offers)) do all = all + offer end
call('SET', key('slots', pool), all, 'PX', ALIVE)
call('PEXPIRE', key('turn'), KEEP)

-- Acts for each job of a list whose time has come.
local function each(list, most, act, before)
  for _, id in ipairs(due(list, most, before)) do
    local r = load(id)
    call('ZREM', list, id)
    if r then act(r) end
  end
end
each(key('handed', pool), 100, function(r) if r.at == 'held' then handAgain(r) end end, now - LEASE)
-- Whoever handed these out may have died before BullMQ had them, or did not hear the answer: once more, under the same number. BullMQ ignores one that it still has.
for _, id in ipairs(due(key('handed', pool), 100, now - UNHEARD)) do
  local r = load(id)
  if r and r.at == 'held' and r.told ~= r.hand then
    r.told = r.hand
    save(r)
    hand(r)
  end
end
each(key('running', pool), 100, function(r) if r.runs > 0 and known(r.id, r.runs) then handAgain(r) end end)
each(key('asleep'), 200, function(r)
  if r.at ~= 'asleep' then return end
  leave(r)
  place(r)
end)
each(key('late'), 200, function(r)
  if waits(r) then finish(r, 'expired') end
end)
-- Some of the jobs that wait are looked after at each beat.
local from = tonumber(call('GET', key('looked')) or 0)
local some = call('ZRANGE', key('late'), from, from + 19)
call('SET', key('looked'), #some < 20 and 0 or from + 20, 'PX', KEEP)
for _, id in ipairs(some) do
  local r = load(id)
  if r then mend(r) else call('ZREM', key('late'), id) end
end
-- The oldest waits are told to operators: what is gone does not wait.
for _, list in ipairs({ key('waits', pool), key('parks', pool) }) do
  for _, id in ipairs(call('ZRANGE', list, 0, 9)) do
    if call('EXISTS', key('job', id)) == 0 then call('ZREM', list, id) end
  end
end
passOn()
return answer()
