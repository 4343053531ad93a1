-- Gives a process portions of several rates (generic cell rate algorithm) by Redis' own clock.
-- KEYS: one for each rate; holds two times in ms, when all that was given out will have been used: of all callers, and of anonymous ones
-- ARGV: how far ahead units are given out in ms, processes that live, the share of anonymous callers;
--   then for each key: units per second, burst, 1 for an anonymous caller, units wanted, units to have in hand, units returned
-- Returns for each key: units given, ms until the first fits the rate of all (below 0: what is left of the burst), the same for this kind of caller
local horizonMs, processes, share = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local portions = {}
for at, key in ipairs(KEYS) do
  local from = 3 + (at - 1) * 6
  local perSecond, burst = tonumber(ARGV[from + 1]), tonumber(ARGV[from + 2])
  local isAnonymous = ARGV[from + 3] == '1'
  local wanted, ahead, returned = tonumber(ARGV[from + 4]), tonumber(ARGV[from + 5]), tonumber(ARGV[from + 6])
  local interval, burstMs = 1000 / perSecond, burst * 1000 / perSecond
  local ofKind = isAnonymous and interval / share or interval
  local all, anonymous = string.match(redis.call('GET', key) or '', '^(%S+) (%S+)$')
  all = math.max((tonumber(all) or 0) - returned * interval, now)
  anonymous = math.max((tonumber(anonymous) or 0) - (isAnonymous and returned * ofKind or 0), now)
  local firstOfAll = all + interval - burstMs - now
  local firstOfKind = (isAnonymous and anonymous or all) + ofKind - burstMs - now
  local function fit(withinMs)
    local units = math.min((withinMs - firstOfAll) / interval, (withinMs - firstOfKind) / ofKind)
    return math.max(0, 1 + math.floor(units + 1e-6))
  end
  local atOnce, soon = fit(0), fit(horizonMs)
  -- Of what comes by and by a process has its part at a time, so that others have their turn.
  soon = math.min(soon, atOnce + math.max(1, math.floor(1000 / ofKind / processes)))
  local spare = math.floor(math.min(ahead, math.max(0, atOnce - wanted) / (2 * processes)))
  local units = math.min(wanted, soon) + spare
  all = all + units * interval
  if isAnonymous then anonymous = anonymous + units * ofKind end
  local keptMs = math.ceil(math.max(all, anonymous) - now)
  if keptMs > 0 then
    redis.call('SET', key, string.format('%.3f %.3f', all, anonymous), 'PX', keptMs)
  else
    redis.call('DEL', key)
  end
  portions[#portions + 1] = units
  portions[#portions + 1] = math.ceil(firstOfAll - 0.001)
  portions[#portions + 1] = math.ceil(firstOfKind - 0.001)
end
return portions
