-- Who may run next. Callers' jobs wait here; BullMQ gets a job only when it may run now. docs/scheduler.md has the states and the rules.
-- KEYS[1]: what all our keys begin with. ARGV: the operation, the slots of a host, then the words of the operation. All times are Redis'.
--   job:<id>            r: the record below, as JSON · d: the payload · e: what is told of its end, where somebody was told its id
--   key:<key>           the unfinished job of a key · ended:<key>: a run of it has ended lately
--   at:<group>          places that are taken: job -> end of its lease. Groups: a pool, a node, "bg <node>" (what nobody waits for), "host <name>",
--                       "page <host>", "pages <caller>"
--   line:<node>         children that wait, by (places held, last turn) · first:<node>: of them those with jobs that somebody waits for
--   kids:<node>         children with jobs · own:<node>: a caller's waiting jobs, those that somebody waits for first · tenth:<node>: its turns
--   mine:<node>         a caller's unfinished jobs · host:<pool>:<host>: jobs that wait for their host, by tag · tags:<host>
--   late                waiting jobs, by when they expire · asleep: by when they look again
--   waits, parks, handed, running (:<pool>)   since when; running: end of lease · alive, offers, slots (:<pool>): workers
--   kept, keptbytes     ended jobs whose ids were told
-- A record: id, key, pool, host, check, report, page; bg (nobody waits for it); by, seen (ms); able (ms: since when it only waits for its turn);
-- seq; hand, runs (numbers of its turns and its runs); open, solo (runs that began and did not end, and those of them that were alone); stored
-- (a report of it may be in the store); till (ms: it has lost its process then); at (host, turn, held, run, away, asleep, or how it ended);
-- who (up to eight who want it: by, path; it goes by the path of number via, else the first); more (others want it as well); back (a run that
-- wants its place back).
local P, OP, HOST = KEYS[1], ARGV[1], tonumber(ARGV[2])
local call = redis.call
local clock = call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local POOLS = { 'network', 'browser', 'composite' }
-- All runs together may hold so many times the slots. A check waits for the network most of its time; a page load keeps a core busy.
local OVER = { network = 4, browser = 1, composite = 4 }
local NETWORK = 2 -- a network or an account may hold so many times its share beyond the slots
local ANONYMOUS = 3 / 4 -- of all places, what work without a token may hold
local WAITERS = 8 -- who want one job and are known by name
local BACKGROUND = 1 / 2 -- of all places, what nobody waits for may hold beyond the slots
local TENTH = 10 -- every so many turns of a caller go to what nobody waits for
local LEASE, GRACE, ALIVE = 15000, 10000, 9000 -- ms: until a handed job begins; beyond a run's limit; without a beat
local UNHEARD = 2500 -- ms: by then a run has begun and its number is known, or BullMQ has not heard of it
local LOST, LOST_BESIDE = 2, 4 -- runs lost that end a job: when it was alone once, and when it never was
local AGAIN, SPARE = 30000, 600000 -- ms: what was handed back may wait so long again; what is remembered of a job, longer than it can be there
local ENDED, KEPT, KEPT_BYTES = 60000, 600000, 67108864 -- ms that an end is remembered, and by an id that was told; bytes of those
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
  if not isRead or type(r) ~= 'table' or r.id ~= id or not OVER[r.pool] or type(r.who) ~= 'table' or not r.who[1] then return nil end
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

local touched = {} -- pools in which something may run now

local function pathOf(r) return (r.who[r.via or 1] or r.who[1]).path end

-- A node is a caller or what callers share: the names of its levels, the widest first. The first level is its class.
local function nodesOf(r, path)
  local nodes, node = {}, r.pool
  for at, level in ipairs(path or pathOf(r)) do
    node = node .. '|' .. level
    nodes[at] = node
  end
  nodes[0] = r.pool
  return nodes
end

-- Places of a node that count in a line: in the first only those of work that somebody waits for.
local function busy(list, node) return list == 'line' and used(node) or math.max(0, used(node) - used('bg ' .. node)) end

local function order(nodes, isTurn)
  if call('EXISTS', key('line', nodes[0])) == 0 then return end
  for _, list in ipairs({ 'line', 'first' }) do
    for i = 1, #nodes do
      local line = key(list, nodes[i - 1])
      local old = call('ZSCORE', line, nodes[i])
      if old then put(line, busy(list, nodes[i]) * BIG + (isTurn and turn() or old % BIG), nodes[i]) end
    end
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
local function count(r)
  local nodes, last = nodesOf(r), math.max(r.by, now) + r.run + SPARE
  put(key('mine', nodes[#nodes]), last, r.id)
  for at = 1, #nodes do put(key('kids', nodes[at - 1]), last, nodes[at]) end
end

local function enterLine(r)
  r.at = 'turn'
  r.able = r.able or now
  save(r)
  if not r.back then note(key('waits', r.pool), r.able, r.id) end
  local nodes = nodesOf(r)
  put(key('own', nodes[#nodes]), r.bg and BIG + r.seq or r.seq, r.id)
  for _, list in ipairs(r.bg and { 'line' } or { 'line', 'first' }) do
    for at = 1, #nodes do
      local line = key(list, nodes[at - 1])
      if not call('ZSCORE', line, nodes[at]) then put(line, busy(list, nodes[at]) * BIG + turn(), nodes[at]) end
    end
  end
  touched[r.pool] = true
end

local function leaveNode(nodes, id)
  call('ZREM', key('own', nodes[#nodes]), id)
  local function clear(list, isWaiting)
    for at = #nodes, 1, -1 do
      if isWaiting or call('EXISTS', key(list, nodes[at])) > 0 then return end
      call('ZREM', key(list, nodes[at - 1]), nodes[at])
    end
  end
  clear('first', call('ZCOUNT', key('own', nodes[#nodes]), '-inf', BIG) > 0)
  clear('line', call('EXISTS', key('own', nodes[#nodes])) > 0)
end

local function leaveLine(r) leaveNode(nodesOf(r), r.id) end

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
  local nodes = nodesOf(r)
  for at = 0, #nodes do
    occupy(nodes[at], r.id, forMs)
    if r.bg then occupy('bg ' .. nodes[at], r.id, forMs) end
  end
  order(nodes, isTurn)
end

local function leaveBackground(r, nodes)
  for at = 0, #nodes do vacate('bg ' .. nodes[at], r.id) end
end

local function leavePlace(r)
  local nodes = nodesOf(r)
  for at = 0, #nodes do vacate(nodes[at], r.id) end
  if r.bg then leaveBackground(r, nodes) end
  order(nodes, false)
  touched[r.pool] = true
end

local function leaveHost(r)
  if r.pool == 'composite' then return end
  vacate('host ' .. r.host, r.id)
  vacate('page ' .. r.host, r.id)
end

-- At a host the parties take turns: each of their jobs stands one place behind their last one, and what nobody waits for behind all that is waited for.
local function partyOf(r)
  local path = pathOf(r)
  return path[1] .. '|' .. (path[2] or '')
end
local function tagOf(r, name) return tonumber(call('HGET', key('tags', r.host), name) or 0) end
local function nameOf(r) return r.bg and 'bg ' .. partyOf(r) or partyOf(r) end

local function setTag(r, tag)
  r.tag = tag
  call('HSET', key('tags', r.host), nameOf(r), tag)
  call('PEXPIRE', key('tags', r.host), KEEP)
end

local function tagFor(r)
  local last = math.max(tagOf(r, ''), tagOf(r, partyOf(r)), tagOf(r, nameOf(r)))
  if not r.tag or r.tag > last + 1 then setTag(r, last + 1) end
end

-- Those of one tag in the order in which they came.
local function enterHostLine(r) put(key('host', r.pool, r.host), r.tag * BIG + r.seq, r.id) end

local function waitAtHost(r)
  if not r.tag then tagFor(r) end
  r.at, r.able = 'host', nil
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
  for _, word in ipairs({ r.id, tostring(r.hand), r.pool, r.check, tostring(r.open), r.host, pathOf(r)[1], r.again and '1' or '' }) do handed[#handed + 1] = word end
end
-- What operators count; an item of its own among what is handed out.
local function tell(pool, event)
  for _, word in ipairs({ '', '', pool, event, '', '', '', '' }) do handed[#handed + 1] = word end
end
local finish

-- The places are the job's from now on. Who called adds it to BullMQ; `hand` tells this turn from an earlier one of the same job.
local function start(r)
  call('ZREM', key('late'), r.id)
  if r.back then
    -- It runs, and had given its place to others.
    r.back, r.at, r.till = nil, 'run', now + r.run + GRACE
    save(r)
    return holdPlace(r, r.run + GRACE, true)
  end
  r.at, r.hand, r.able = 'held', r.hand + 1, r.able or now
  r.till = now + 2 * LEASE
  r.stored = r.open > 0 or now - r.seen > 1000 or call('EXISTS', key('ended', r.key)) == 1
  save(r)
  holdHost(r, 2 * LEASE)
  holdPlace(r, 2 * LEASE, true)
  -- It waits until it has begun, or ended without a number.
  note(key('waits', r.pool), r.able, r.id)
  put(key('handed', r.pool), now, r.id)
  hand(r)
end

local function sleep(r, forMs)
  r.at = 'asleep'
  save(r)
  note(key('waits', r.pool), r.able or now, r.id)
  put(key('asleep'), now + forMs, r.id)
  put(key('late'), r.by, r.id)
end

local function mustWait(r) return r.pool ~= 'composite' and (call('EXISTS', key('host', r.pool, r.host)) == 1 or not hasRoom(r)) end

-- Puts a job where it has to wait.
local function place(r)
  put(key('late'), r.by, r.id)
  if mustWait(r) then waitAtHost(r) else enterLine(r) end
end

-- A caller's next job: what somebody waits for, but for every tenth turn. Nothing else counts in the first line, and where the background has its share.
local function nextOf(how, leaf)
  local own = key('own', leaf)
  local isWaited = call('ZCOUNT', own, '-inf', BIG) > 0
  if not isWaited and (how.list == 'first' or not how.mayRest) then return end
  local id = call('ZRANGE', own, 0, 0)[1]
  local rest = isWaited and how.mayRest and call('ZRANGEBYSCORE', own, BIG, '+inf', 'LIMIT', 0, 1)[1]
  if not rest then return id end
  local turns = call('INCR', key('tenth', leaf))
  call('PEXPIRE', key('tenth', leaf), KEEP)
  return turns % TENTH == 0 and rest or id
end

-- The next waiting job below a node, and whose it is. Those that hold the fewest places come first, then those whose last turn is the longest ago;
-- where no slot is free, nobody has one beyond its share. Of the first line only what somebody waits for counts.
local function pickBelow(how, node, share)
  local line = key(how.list, node)
  local isTop = share == nil
  if isTop then share = how.slots else share = math.max(1, math.floor(share / math.max(1, call('ZCOUNT', key('kids', node), now, '+inf')))) end
  for _, kid in ipairs(call('ZRANGE', line, 0, 3)) do
    local isCaller = call('EXISTS', key('own', kid)) == 1
    local held, most = busy(how.list, kid), isCaller and share or share * NETWORK
    if isTop then held, most = used(kid), how.slots * OVER[node] * (kid == node .. '|anonymous' and ANONYMOUS or 1) end
    if how.isFree or held < most then
      local found, owner
      if isCaller then found, owner = nextOf(how, kid), kid
      else found, owner = pickBelow(how, kid, share) end
      if found then return found, owner end
      if not isCaller and call('EXISTS', key(how.list, kid)) == 0 then call('ZREM', line, kid) end
    end
  end
end

local function pick(pool)
  local slots, held = tonumber(call('GET', key('slots', pool)) or 0), used(pool)
  local all = slots * OVER[pool]
  if held >= all then return end
  local isFree = held < slots
  local mayRest = isFree or used('bg ' .. pool) < all * BACKGROUND
  local how = { slots = slots, isFree = isFree, mayRest = mayRest, list = 'line' }
  local id, owner = pickBelow(how, pool)
  if id or isFree then return id, owner end
  -- Whose background holds its share has it once more, for what somebody waits for.
  how.list = 'first'
  return pickBelow(how, pool)
end

local function nodesTo(node)
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
      leaveNode(nodesTo(owner), id)
      call('ZREM', key('mine', owner), id)
      settle(nodesTo(owner))
    else
      local left, nodes = pauseLeft(r), nodesOf(r)
      leaveLine(r)
      -- A release before let it stand in the lines of several callers.
      if nodes[#nodes] ~= owner then leaveNode(nodesTo(owner), id) end
      if r.by < now and not r.back then finish(r, 'expired')
      elseif left > 0 and not r.back then sleep(r, math.min(5000, left))
      elseif r.back or hasRoom(r) then start(r)
      else waitAtHost(r) end
    end
  end
end

-- Once more where one pool has let jobs of another go; what is left over is a beat's.
local function passOn()
  for _ = 1, 2 do
    for _, pool in ipairs(POOLS) do
      if touched[pool] then
        touched[pool] = nil
        passOnIn(pool)
      end
    end
  end
end

-- True where another of its party, which somebody waits for, had its turn at the host: it goes behind them.
local function gaveTurn(r)
  local waited = r.bg and tagOf(r, partyOf(r)) or 0
  if waited < r.tag or waited % TENTH == 0 then return false end
  setTag(r, math.max(waited, tagOf(r, nameOf(r))) + 1)
  save(r)
  enterHostLine(r)
  return true
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
      elseif not gaveTurn(next) then
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

local function forgetMine(r)
  local nodes = nodesOf(r)
  call('ZREM', key('mine', nodes[#nodes]), r.id)
  settle(nodes)
end

-- The places of page loads of its caller: a name, or several (of the caller, and of the networks around it).
local function pagesOf(r) return type(r.page) == 'table' and r.page or { r.page } end

-- An end whose id was told is remembered for longer, by what was told with it; a failed one with all that it takes to start it again.
local function remember(r, told)
  local size = #told + 300
  if r.at == 'failed' then size = size + #(call('HGET', key('job', r.id), 'd') or '')
  else call('HDEL', key('job', r.id), 'd') end
  call('HSET', key('job', r.id), 'r', cjson.encode({ id = r.id, at = r.at, pool = r.pool, host = r.host, check = r.check, report = r.report, born = r.born }), 'e', told)
  call('PEXPIRE', key('job', r.id), KEPT)
  put(key('kept'), now + KEPT, size .. ':' .. r.id)
  local bytes = call('INCRBY', key('keptbytes'), size)
  call('PEXPIRE', key('keptbytes'), KEEP)
  local oldest = call('ZRANGE', key('kept'), 0, 2, 'WITHSCORES')
  for i = 1, #oldest, 2 do
    if bytes <= KEPT_BYTES and tonumber(oldest[i + 1]) > now then return end
    local old, id = string.match(oldest[i], '^(%d+):(.*)$')
    call('ZREM', key('kept'), oldest[i])
    call('DEL', key('job', id))
    bytes = call('DECRBY', key('keptbytes'), old)
  end
end

finish = function(r, outcome, tookMs)
  leave(r)
  forgetMine(r)
  for _, page in ipairs(pagesOf(r)) do vacate('pages ' .. page, r.id) end
  if call('GET', key('key', r.key)) == r.id then call('DEL', key('key', r.key)) end
  if outcome == 'withdrawn' then call('DEL', key('job', r.id))
  else
    if outcome == 'expired' then tell(r.pool, 'expired') end
    r.at = outcome
    local told = call('HGET', key('job', r.id), 'e')
    if told then remember(r, told)
    else
      save(r)
      call('PEXPIRE', key('job', r.id), ENDED)
    end
    call('SET', key('ended', r.key), '1', 'PX', ENDED)
    call('PUBLISH', ARGV[3], cjson.encode({
      jobKey = r.key, jobId = r.id, queue = r.pool, host = r.host, reportId = r.report, state = outcome, tookMs = tookMs or 0,
    }))
  end
  passHost(r)
end

-- Nobody does it yet, or is about to.
local function waits(r) return r.at == 'host' or r.at == 'asleep' or (r.at == 'turn' and not r.back) end

-- Whose turn is the better one: a known caller's, then that of who has less to do, unless its account or network holds more.
local function isBetter(r, path)
  local own, other = nodesOf(r), nodesOf(r, path)
  if path[1] ~= pathOf(r)[1] then return path[1] == 'known' end
  if used(other[2]) > used(own[2]) then return false end
  return call('ZCARD', key('mine', other[#other])) < call('ZCARD', key('mine', own[#own]))
end

-- Another wants the job as well. Where nobody waited for it, now somebody does; and it goes by the better turn.
local function join(r, by, path, isBackground)
  local isKnown = false
  for _, who in ipairs(r.who) do isKnown = isKnown or who.by == by end
  local isLifted = r.bg and not isBackground
  local isTaken = not isKnown and waits(r) and isBetter(r, path)
  if r.at == 'turn' and (isLifted or isTaken) then leaveLine(r) end
  if isLifted then
    if r.at == 'held' or r.at == 'run' then leaveBackground(r, nodesOf(r)) end
    r.bg = nil
  end
  if isTaken then
    forgetMine(r)
    if #r.who >= WAITERS then
      table.remove(r.who)
      r.more = true
    end
    table.insert(r.who, 1, { by = by, path = path })
    r.via = nil
    count(r)
  elseif #r.who >= WAITERS then r.more = r.more or not isKnown
  elseif not isKnown then r.who[#r.who + 1] = { by = by, path = path } end
  if not isLifted and not isTaken then return save(r) end
  if r.at == 'turn' then return enterLine(r) end
  if r.at == 'host' then
    tagFor(r)
    enterHostLine(r)
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

local function stateOf(r)
  if r.at ~= 'host' then return 'admitted', 0 end
  return 'parked', call('ZRANK', key('host', r.pool, r.host), r.id) + 1
end

-- What runs longer than it may has lost its process. What was handed and not begun has, or nobody takes it: it is handed again, in the place of the one
-- that BullMQ has, and expires once its time is up.
local function handAgain(r)
  local isBegun = r.at ~= 'held'
  leave(r)
  if isBegun then r.by = math.max(r.by, now + AGAIN)
  elseif r.by < now then
    r.at = 'gone'
    return finish(r, 'expired')
  else
    r.again = true
    tell(r.pool, 'handed-again')
  end
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
  -- channel, record, payload, ms it may wait, age of what it has seen, longest line of its host, page loads of its caller and of each network around it
  local r = cjson.decode(ARGV[4])
  local earlier = load(call('GET', key('key', r.key)) or '')
  if earlier then
    mend(earlier)
    if earlier.id ~= r.id then join(load(earlier.id), r.who[1].by, r.who[1].path, r.bg) end
    passOn()
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
  for i, page in ipairs(pagesOf(r)) do
    if used('pages ' .. page) >= tonumber(ARGV[8 + i]) then return refuse('pages') end
  end
  if call('ZCARD', key('late')) >= MOST then return refuse('full') end
  r.born, r.by, r.seen, r.seq = now, now + ARGV[6], now - ARGV[7], turn()
  r.hand, r.runs, r.open, r.solo = 0, 0, 0, 0
  local isFull = mustWait(r)
  if isFull and call('ZCARD', key('host', r.pool, r.host)) >= tonumber(ARGV[8]) then return refuse('full') end
  call('HSET', key('job', r.id), 'd', ARGV[5])
  call('PEXPIRE', key('job', r.id), KEEP)
  for _, page in ipairs(pagesOf(r)) do occupy('pages ' .. page, r.id, ARGV[6] + r.run + 60000) end
  count(r)
  -- Where nobody waits and a slot is free, it is its turn.
  local slots = tonumber(call('GET', key('slots', r.pool)) or 0)
  if not isFull and call('EXISTS', key('line', r.pool)) == 0 and used(r.pool) < slots and pauseLeft(r) <= 0 then
    start(r)
    return answer('admitted', r.id, '0')
  end
  place(r)
  passOn()
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
  r.back, r.again, r.at, r.token, r.alone = nil, nil, 'run', ARGV[6], ARGV[7] == '1'
  local lost, solo = r.open, r.solo
  for _ = (r.counted or 0) + 1, lost do tell(r.pool, 'lost') end
  r.counted = lost
  r.runs, r.open = r.runs + 1, r.open + 1
  if r.alone then r.solo = r.solo + 1 end
  r.till = now + r.run + GRACE
  save(r)
  holdHost(r, r.run + GRACE)
  holdPlace(r, r.run + GRACE, false)
  call('ZREM', key('handed', r.pool), r.id)
  call('ZREM', key('waits', r.pool), r.id)
  put(key('running', r.pool), now + r.run + GRACE, r.id)
  local isLost = lost >= LOST_BESIDE or (lost >= LOST and solo > 0)
  return answer(r.runs, lost, isLost and 1 or 0)
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
  passOn()
  return answer()
elseif OP == 'take' then
  -- job, run, hand -> '1' once it has its place again, at its caller's turn; '' where the run is another's
  local r = known(ARGV[4], ARGV[5], ARGV[6])
  if not r then return { '' } end
  if r.at == 'away' then
    r.back = true
    enterLine(r)
    passOn()
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
  local index, isWanted = nil, r.more
  for i, who in ipairs(r.who) do
    if who.by == ARGV[5] then index = i elseif who.by ~= '' then isWanted = true end
  end
  if not index then return { '' } end
  if isWanted then
    -- It stays in its turn, whoever's that was.
    r.who[index].by = ''
    save(r)
    return { 'stays' }
  end
  finish(r, 'withdrawn')
  passOn()
  return answer('left')
elseif OP == 'tell' then
  -- job, what is told of its end: somebody knows its id now
  local r = key('job', ARGV[4])
  local isRead, record = pcall(cjson.decode, call('HGET', r, 'r') or '')
  if not isRead or type(record) ~= 'table' or call('HEXISTS', r, 'e') == 1 then return {} end
  if record.at == 'done' or record.at == 'failed' or record.at == 'expired' then remember(record, ARGV[5])
  else call('HSET', r, 'e', ARGV[5]) end
  return {}
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
for _, each in ipairs(POOLS) do touched[each] = true end
passOn()
return answer()
