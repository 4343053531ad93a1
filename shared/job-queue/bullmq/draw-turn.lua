-- Draws a caller's next turn in the browser queue. Idempotent but for the turn.
-- Callers alternate: a turn is the next one after the caller's own last turn and after the turn that runs now.
local function drawTurn(TURNS, CALLER)
  local TURN_MAX = 2097151 -- BullMQ's lowest priority; the turns begin anew when nobody waits
  local IDLE_MS = 3600000 -- an idle queue forgets its turns after so long
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
end

