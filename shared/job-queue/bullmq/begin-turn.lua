-- Says that a page load begins: its turn is the current one. Callers whose last turn has come are forgotten. Idempotent.
local TURNS = KEYS[1] -- as in draw-turn.lua
local TURN = tonumber(ARGV[1])

if TURN > tonumber(redis.call('ZSCORE', TURNS, '') or 0) then
  redis.call('ZREMRANGEBYSCORE', TURNS, '-inf', TURN)
  redis.call('ZADD', TURNS, TURN, '')
end
return 0
