-- Counts a request of an application that has limits, and says whether it may
-- go on: at most so many in an hour of all, and in a second of its kind.  A
-- window begins with the first request that is counted in it.  Refused requests
-- are not counted.
--- key: acct  acct:<AC>
--- arg: app  SID
--- arg: kind  1 read, 2 write, 3 check start
--- arg: hour  limit an hour; 0: none
--- arg: second  limit a second of that kind; 0: none
--- reply: OK limit# left# ends#  of the window that matters most, which is the
--          one with the least left; ends: in how many ms
--- reply: LIMIT limit# left# ends#  likewise of the one of those used up that
--          ends last
-- rate:<AC>:<AP> is a packed array: end and count of the hour, then of a
-- second's reads, writes and check starts.  It runs in a full store, too: a
-- counter takes next to no room and lives for an hour at most, and without it
-- no application with limits could read.
--- include: account
--- flags: allow-oom
local HOUR, SECOND = 3600000, 1000
local now = now_ms()
local k = key('rate', ac, ARG.app)
local state = load(k)
if type(state) ~= 'table' or #state ~= 8 then
    state = {0, 0, 0, 0, 0, 0, 0, 0}
end
local windows = {}
local function window(at, limit, length)
    if limit < 1 then
        return
    end
    -- The end is further away than a window is long: the clock was set back.
    if state[at] <= now or state[at] > now + length then
        state[at], state[at + 1] = now + length, 0
    end
    windows[#windows + 1] = {at, limit, math.max(0, limit - state[at + 1]),
        state[at] - now}
end
window(1, tonumber(ARG.hour), HOUR)
window(1 + 2 * tonumber(ARG.kind), tonumber(ARG.second), SECOND)
local top
for _, w in ipairs(windows) do
    if not top or w[3] < top[3] or w[3] == top[3] and w[4] > top[4] then
        top = w
    end
end
if not top then
    return {'OK', 0, 0, 0}
end
if top[3] == 0 then
    return {'LIMIT', top[2], 0, top[4]}
end
local ends = 0
for _, w in ipairs(windows) do
    state[w[1] + 1] = state[w[1] + 1] + 1
end
for at = 1, 7, 2 do
    ends = math.max(ends, state[at] - now)
end
call('SET', k, cmsgpack.pack(state), 'PX', ends)
return {'OK', top[2], top[3] - 1, top[4]}
