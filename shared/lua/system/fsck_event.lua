-- Checks the number of open deliveries of an event.  Event and deliveries are
-- made in one step, so a caller that saw the event first has found all of its
-- deliveries, but for those that a replay added since, which the count shows.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: event  SID
--- arg: counted  what it counted before the deliveries were looked for
--- arg: targets...
--- reply: OK  then faults (_fsck.lua)
--- include: fsck
local ev = ARG.event
local k = key('event', ac, ev)
if type_of(k) ~= 'hash' then
    return out
end
local open = tonumber(call('HGET', k, 'open')) or 0
local n, seen = 0, {}
local changed = open ~= (tonumber(ARG.counted) or 0)
for i = ARG.targets, #ARGV do
    if not seen[ARGV[i]] then
        seen[ARGV[i]] = true
        local there = call('EXISTS', key('dlv', ac, ev, ARGV[i]))
        n = n + there
        changed = changed or there == 0
    end
end
-- If it has changed there may be more than those that were seen: it is not
-- lowered.
if n == open and n > 0 or changed and (n <= open or n == 0) then
    return out
end
fault('event', ev, 'counts ' .. open .. ' open deliveries, there are ' .. n,
    function()
        if n == 0 then
            call('DEL', k)
        else
            call('HSET', k, 'open', n)
        end
    end)
return out
