-- Claims digests whose window is over.  Each becomes states of hosts
-- (_states.lua); later changes go into the next digest.  The digest is leased:
-- if the daemon dies, another one claims it with another event, because its
-- message may differ.  A contact gets no new message before all earlier ones
-- are delivered or dead.  A digest of a contact that is gone or not active is
-- deleted; what a paused contact knows is kept until it is resumed.  A large
-- digest takes several calls.
--- key: digests
--- arg: window  ms
--- arg: lease  ms
--- arg: most  how many hosts a message shows at most
--- arg: events...  an event SID for each digest that may be taken
--- reply: OK wait# asks[]  ms until there may be another (-1: none is
--          waiting), then a row for each
--- row: digest member apart# event timezone listed# delisted# clear# hosts[]
---   lists[] unreported# alert ends# news[] holds# marks[] now# ranges[]
-- member: "<AC>:<CO>".  apart: which hosts have a message of their own: 0 none,
-- 1 all, 2 all but the listed ones, which have one alert.  event: its SID.
-- listed, delisted, clear: numbers of hosts.  hosts: the shown ones, each its
-- packed record and state (0 listed, 1 delisted, 2 clear, 3 no longer
-- reported).  lists: the packed records of their lists.  unreported: number of
-- hosts that are no longer reported.  alert: SID of the event that combines
-- many of them, or "".  ends: 1 if that event ends now.  news: for each of the
-- shown hosts a digit for each of its first listings, 1 if it is new to the
-- contact; a packed array of listings that have ended ("past"); and its "flap",
-- if it flaps, or "".  holds: 1 if what begins and ends is held back while a
-- host flaps.
-- ranges: of hosts that are listed or no longer listed, each its SID, subnet
-- and number of addresses.
-- marks: hosts with marked listings, each its SID and the packed marks.
-- asks: digests that wait for a time to go (digest_when.lua), each an array:
-- its member, a rhythm and quiet hours, and the account's time zone.
--- include: states
--- include: known
--- include: told
local window, lease = tonumber(ARG.window), tonumber(ARG.lease)
local now, most = now_ms(), tonumber(ARG.most)
local asks = {}
local out = {'OK', -1, asks}
local co
local function again(ms)
    call('ZADD', KEY.digests, tostring(now - window + ms), ac .. ':' .. co)
end
local function later(at)
    call('ZADD', key('later'), tostring(at), ac .. ':' .. co)
    call('ZREM', KEY.digests, ac .. ':' .. co)
end
local function over(digest, making)
    call('DEL', key('when', ac, co))
    local at = call('EXISTS', making) == 0 and digest_later(digest, now)
    if at then
        return later(at)
    elseif call('EXISTS', digest, making) > 0 then
        return again(window)
    end
    call('ZREM', KEY.digests, ac .. ':' .. co)
end
local function ask(rhythm, quiet, a)
    asks[#asks + 1] = {ac .. ':' .. co, rhythm, quiet, a[ACCOUNT.timezone]}
    again(lease)
end
-- May a message go now?  The time of one that is this late (ms) has come, but
-- quiet hours may have begun.
local late = 600000
local function may_go(c, a)
    local rhythm, quiet = c[CONTACT.rhythm] or '', c[CONTACT.quiet] or ''
    if rhythm == '' and quiet == '' then
        return true
    end
    local at = tonumber(call('GET', key('when', ac, co)) or nil)
    if not at then
        return ask(rhythm, quiet, a)
    elseif at > now then
        return later(at)
    elseif quiet ~= '' and now - at > late then
        return ask('', quiet, a)
    end
    return true
end
local function claim(event)
    call('ZREM', key('later'), ac .. ':' .. co)
    local digest, batch = key('digest', ac, co), key('batch', ac, co)
    local making = key('making', ac, co)
    local contact, account = load(key('r', ac, co)), load(key('acct', ac))
    local first = call('ZRANGE', batch, 0, 0, 'WITHSCORES')
    if contact and tonumber(first[2] or 0) < -1 then
        states_left = states_left - known_hosts
        if known_more(co) then
            return over(digest, making)
        end
        return again(0)
    end
    if not account or not contact or contact[CONTACT.status] ~= 'active' then
        call('UNLINK', digest, making, batch)
        call('ZREM', KEY.digests, ac .. ':' .. co)
        return
    end
    if call('EXISTS', key('line', ac, co)) == 1 then
        return again(math.min(window, 5000))
    end
    if not first[2] and call('EXISTS', making) == 0 then
        if digest_later(digest, now) then
            return over(digest, making)
        elseif not may_go(contact, account) then
            return
        end
    end
    if tonumber(first[2] or 0) ~= -1 then
        if not states_make(states_new(co, contact, now)) then
            return again(0)
        end
        if call('EXISTS', batch) == 0 then
            return over(digest, making)
        end
    end
    -- A batch that was claimed before is replaced by one of the present states.
    call('ZREMRANGEBYSCORE', batch, -1, -1)
    call('ZADD', batch, -1, event)
    if states_left < states_hosts / 2 then
        return again(0)
    end
    again(lease)
    local row, octets = told_row(co, contact, account, event, most)
    if not row then
        states_left = 0
        return again(0)
    end
    states_left = states_left - 15 - #row[8] / 2 - octets / 1000
    out[#out + 1] = row
end
for _, member in ipairs(call('ZRANGE', key('later'), '-inf', now, 'BYSCORE',
    'LIMIT', 0, 100))
do
    call('ZADD', KEY.digests, 'NX', tostring(now - window), member)
    call('ZREM', key('later'), member)
end
-- A damaged digest waits until rblctl fsck repairs it.
local due = call('ZRANGE', KEY.digests, '-inf', tostring(now - window),
    'BYSCORE', 'LIMIT', 0, #ARGV - ARG.events + 1)
for i, member in ipairs(due) do
    ac, co = string.match(member, '^(AC%x+):(CO%x+)$')
    if states_left <= 0 then
        break
    elseif not ac then
        call('ZREM', KEY.digests, member)
    elseif not pcall(claim, ARGV[ARG.events + i - 1]) then
        again(lease)
    end
end
-- Returns when the first of an index is due.
local function first_of(index, plus)
    local first = call('ZRANGE', index, 0, 0, 'WITHSCORES')
    return first[2] and tonumber(first[2]) + plus or math.huge
end
local next = math.min(first_of(KEY.digests, window), first_of(key('later'), 0))
out[2] = next < math.huge and math.max(0, next - now) or -1
return out
