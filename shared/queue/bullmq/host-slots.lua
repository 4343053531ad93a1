-- The slots of one host, for take.lua and release.lua. The same as host-line.ts.
local ARRIVALS = 1048576 -- the score of a job in the line of its host holds its turn above this and its arrival below
local BROWSER_SLOTS = 1 -- of a host's slots, those that the browser may hold

-- A lease that has ended frees its slot, and the job has no attempt any more.
local function endLeasesAt(SLOTS, OWNER, now)
  for _, ended in ipairs(redis.call('ZRANGEBYSCORE', SLOTS, '-inf', now)) do
    redis.call('ZREM', SLOTS, ended)
    redis.call('HDEL', OWNER, string.match(ended, ' (.+)$'))
  end
end

-- Returns how many slots are held, and how many of them by the browser.
local function countSlots(SLOTS)
  local held = redis.call('ZRANGE', SLOTS, 0, -1)
  local browsers = 0
  for _, member in ipairs(held) do
    if string.sub(member, 1, 8) == 'browser ' then browsers = browsers + 1 end
  end
  return #held, browsers
end
