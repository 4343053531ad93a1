-- A run gives its slot to other work, or takes one again. Idempotent. The functions of turns.lua stand before this.
-- Returns "1" where the job has a slot now, else "", then as release.lua the jobs that may run.
local BASE = KEYS[1]
local QUEUE, ID, HOST = ARGV[1], ARGV[2], ARGV[3]
local LEVELS, IS_ANONYMOUS = cjson.decode(ARGV[4]), ARGV[5] == '1' -- as in take.lua
local LEASE_MS = tonumber(ARGV[6]) -- of its own slot; 0 gives it
local HANDED_MS = tonumber(ARGV[7]) -- of a slot that is handed on

local time = redis.call('TIME')
local turns = openTurns(BASE, QUEUE, time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('ZREM', turns.base .. ':held', '') -- a full Redis refuses a script whose first write needs memory
if LEASE_MS > 0 then
  local place = { nodes = nodesOf(LEVELS), isAnonymous = IS_ANONYMOUS }
  return { takeTurn(turns, ID, HOST, place, LEASE_MS) and '1' or '' }
end
leaveTurns(turns, ID)
local answer = { '' }
handTurns(turns, answer, HANDED_MS)
return answer
