-- Unfreezes a list (list_turn): a sample was in order, or the operator
-- unfreezes it.  The counters begin again.  For the next hour it takes twice as
-- many new listings to freeze the list.
--- key: list  list:<RB>
--- arg: since  when it was frozen (ms since 1970), if only that freeze shall
--          end; "": whichever
--- reply: OK frozen#  ms for which it was
--- reply: NONE  it is not, or not since then
--- include: list
local h = call('HMGET', KEY.list, 'frozen', 'passed', 'passes')
local since = num(h[1])
if since == 0 or (ARG.since ~= '' and num(ARG.since) ~= since) then
    return {'NONE'}
end
local passes = now - num(h[2]) < HOUR and num(h[3]) or 0
call('HDEL', KEY.list, 'frozen', 'turned', 'of', 'sampled', 'found',
    'clear', 'fresh', 'moved')
call('HSET', KEY.list, 'passed', digits(now), 'passes',
    digits(math.min(passes, 99) + 1))
return {'OK', math.max(0, now - since)}
