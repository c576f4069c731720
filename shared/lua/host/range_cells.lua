-- Reads the states of some addresses, and the records of listed ones from a
-- place on.  An address whose host is not made yet has no state.
--- key: acct  acct:<AC>
--- arg: from  place of an address, from 0 on
--- arg: ranges  how many of the fields are ranges, which come first
--- arg: fields...  of "uniq"; the addresses are at most 256
--- reply: OK range cells[] next# listed[]  range: the record of the first range
--          that exists, or ""; cells: {place, SID, state, since} of hosts, in
--          order; listed: records of some listed hosts; next: place of the
--          first listed host whose record is missing here, or -1
--- include: account
--- include: state
local octets_most = 131072
local records_most = 64
local n = tonumber(ARG.ranges)
local sids = call('HMGET', key('uniq', ac), unpack(ARGV, ARG.fields))
local range = ''
for i = n, 1, -1 do
    range = sids[i] and call('GET', key('r', ac, sids[i])) or range
end
local hosts, places = {}, {}
for i = n + 1, #sids do
    if sids[i] then
        hosts[#hosts + 1] = sids[i]
        places[#hosts] = i - n - 1
    end
end
local made = hosts[1] and call('ZMSCORE', key('hosts', ac), unpack(hosts))
local scores = hosts[1] and call('ZMSCORE', key('states', ac), unpack(hosts))
local cells, listed, octets, next_place = {}, {}, 0, -1
local function give(sid, place)
    if #listed == records_most or octets >= octets_most then
        next_place = place
        return
    end
    local raw = call('GET', key('r', ac, sid))
    if raw then
        listed[#listed + 1] = raw
        octets = octets + #raw
    end
end
for i, sid in ipairs(hosts) do
    if made[i] then
        local score = tonumber(scores[i] or nil) or 0
        local state = math.floor(score / state_width)
        cells[#cells + 1] = {places[i], sid, state, state == state_listed
            and score - state * state_width or 0}
        if state == state_listed and places[i] >= tonumber(ARG.from)
            and next_place < 0
        then
            give(sid, places[i])
        end
    end
end
return {'OK', range, cells, next_place, listed}
