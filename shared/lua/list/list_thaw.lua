-- Ends the freeze of a list (list_turn): a sample was in order, or the operator
-- wants it.  What was counted is forgotten.  For the next hour twice as many
-- new listings as before freeze it.
-- KEYS[1] list:<RB>
-- ARGV    1 when it was frozen (ms since 1970), if only that freeze shall end;
--         "": whichever
-- Result  OK, ms for which it was frozen | NONE (it is not, or not since then)
--- include: list
local h = redis.call('HMGET', KEYS[1], 'frozen', 'passed', 'passes')
local since = num(h[1])
if since == 0 or (ARGV[1] ~= '' and num(ARGV[1]) ~= since) then
    return {'NONE'}
end
local passes = now - num(h[2]) < HOUR and num(h[3]) or 0
redis.call('HDEL', KEYS[1], 'frozen', 'turned', 'of', 'sampled', 'found',
    'clear', 'fresh', 'moved')
redis.call('HSET', KEYS[1], 'passed', digits(now), 'passes',
    digits(math.min(passes, 99) + 1))
return {'OK', math.max(0, now - since)}
