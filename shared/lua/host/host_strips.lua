-- Reads on which of the last days any list listed each of some hosts, from
-- their current listings and their histories.  For a range it counts the
-- addresses that are listed now.
--- key: acct  acct:<AC>
--- arg: hosts...  SIDs
--- reply: OK left# strips[]  left: how many of the last hosts were not looked
--          at.  strips, one for each of the others: "" if there is no such
--          host; for a range {addresses, listed ones, others that are not
--          clear}; else a letter for each day (UTC), today last: "l" a list
--          listed the host; "u" it is not known; "n" the host was not there
--          yet; "-" no listing is recorded
--- include: account
local day_ms, days = 86400000, 30
-- Limits of one call: entries of histories, also of one host, which has about
-- 300 at most; octets of records.
local entries_most, history_most = 100, 150
local octets_most = 65536
-- The cost of a range in entries, besides its addresses.
local addresses_each = 16
local now = now_ms()
local today = math.floor(now / day_ms)
local first = today - days + 1

-- Sets the days of a strip from one time to another (ms).
local function set(strip, from, till, letter)
    for day = math.max(first, math.floor(from / day_ms)),
        math.min(today, math.floor(till / day_ms))
    do
        strip[day - first + 1] = letter
    end
end
-- A host that was not checked yesterday or today is not checked.
local function is_checked(h)
    return h[HOST.checked] >= (today - 1) * day_ms
end
-- Since when it is not known whether the host is listed; nil: it is known.
local function blind_from(h)
    local from
    if h[HOST.unknown_count] > 0 or h[HOST.uncovered] == 1 then
        from = now
        for _, t in ipairs(h[HOST.troubled] or {}) do
            from = math.min(from, t[TROUBLE.since])
        end
    end
    if not is_checked(h) then
        from = math.min(from or now, math.max(h[HOST.checked] + day_ms,
            h[HOST.created]))
    end
    return from
end
-- Adds {from, till} of the ended listings in a history to spans.  Returns how
-- many entries were read, and since when they are complete.
local function spans_of(sid, spans)
    local entries = call('XREVRANGE', key('hist', ac, sid), '+',
        string.format('%.0f', first * day_ms), 'COUNT', history_most)
    local since, begun = first * day_ms, {}
    if #entries == history_most then
        since = tonumber(entries[#entries][1]:match('^%d+'))
    end
    for i = #entries, 1, -1 do
        local at = tonumber(entries[i][1]:match('^%d+'))
        local fields = entries[i][2]
        for j = 1, #fields, 2 do
            local packed = fields[j] == 't' and fields[j + 1]
            for _, change in ipairs(packed and cmsgpack.unpack(packed) or {}) do
                local list = change[1] .. change[2]
                if change[3] == 'listed' then
                    begun[list] = begun[list] or at
                else
                    spans[#spans + 1] = {begun[list] or since, at}
                    begun[list] = nil
                end
            end
        end
    end
    return #entries, since
end
local function strip_of(sid, h)
    local strip, spans = {}, {}
    for i = 1, days do
        strip[i] = '-'
    end
    local n, since = spans_of(sid, spans)
    set(strip, first * day_ms, since - day_ms, 'u')
    local blind = blind_from(h)
    if blind then
        set(strip, blind, now, 'u')
    end
    for _, span in ipairs(spans) do
        set(strip, span[1], span[2], 'l')
    end
    for _, l in ipairs(h[HOST.details]) do
        set(strip, l[LISTING.since], is_checked(h) and now
            or math.max(h[HOST.checked], l[LISTING.since]), 'l')
    end
    set(strip, first * day_ms, h[HOST.created] - day_ms, 'n')
    return table.concat(strip), n
end
local function range_of(sid, h)
    local kids = key('kids', ac, sid)
    local n = call('ZCARD', kids)
    local others = call('ZINTERCARD', 2, kids, key('states', ac))
    local listed = math.min(n, h[HOST.listed_count])
    return {n, listed, math.max(0, others - listed)}, n / addresses_each
end

local strips, entries, octets, at = {}, 0, 0, ARG.hosts
while ARGV[at] and entries < entries_most and octets < octets_most do
    local sid = ARGV[at]
    local raw = owns('hosts', sid) and call('GET', key('r', ac, sid))
    local ok, text, n = pcall(function()
        local h = cmsgpack.unpack(raw)
        return (h[HOST.type] == 'ip_range' and range_of or strip_of)(sid, h)
    end)
    strips[#strips + 1] = ok and text or ''
    entries = entries + 2 + (ok and n or 0)
    octets = octets + (raw and #raw or 0)
    at = at + 1
end
return {'OK', #ARGV - at + 1, strips}
