-- Finds hosts by a text in their value or name, by state, group, profile and
-- listings.  It walks through one index from `after` on, looks at a bounded
-- number of hosts, and returns where to go on.  The index by text has the order
-- of the values, then of the names; it is used unless fewer hosts are in the
-- state.  When sorted by address, hosts in a state come in the order of their
-- creation if there are more than 200 of them.
--- key: acct  acct:<AC>
--- arg: text  or ""
--- arg: state  its number (_state.lua), 0: clear, or ""
--- arg: group  SID or ""
--- arg: profile  SID or ""
--- arg: list  SID of a list that lists them now, or ""
--- arg: weight  of their heaviest listing (rbl_codes.h), or ""
--- arg: since  within how many hours they were listed, or ""
--- arg: parent  SID of a range: its addresses, in the order of their creation;
--          "none": no addresses of ranges; or ""
--- arg: part  "1": also hosts with the text behind the beginning of their value
--          or name, after the others; they are looked for among all hosts
--- arg: sort  created; name; address; since: listed hosts, by the time of the
--          listing
--- arg: after  `next` of the call before, or ""
--- arg: limit  hosts
--- arg: stopped  "1": all active hosts count as unknown, which the indexes do
--          not show yet (_lapse.lua)
--- reply: OK next looked# hosts[]  next: "" at the end; looked: how many
--          hosts were looked at; hosts: records
--- reply: GROUP
--- reply: PROFILE
--- reply: AFTER  `after` is not from a call with the same arguments
--- include: account
--- include: state
--- include: find
local passed_most = 200           -- hosts that are not wanted
local octets_most = 131072
local sorted_most = 200
local page_most = 64
local ranges_most = 50
-- The fields of a record up to the name fit into so many octets.
local head_most = 1536
local find, text, state = key('find', ac), string.lower(ARG.text),
    tonumber(ARG.state)
if ARG.group ~= '' and not owns('groups', ARG.group) then
    return {'GROUP'}
end
if ARG.profile ~= '' and not owns('profiles', ARG.profile) then
    return {'PROFILE'}
end

-- These ask for listed hosts.
local lists = ARG.list ~= '' or ARG.weight ~= '' or ARG.since ~= ''
    or ARG.sort == 'since'
local wrong = lists and (state or state_listed) ~= state_listed
state = lists and state_listed or state
-- Whether all hosts that are active are wanted.
local stopped = ARG.stopped == '1' and state == state_unknown
local function is_none()
    local refs = key('refs', ac)
    return wrong or ARG.stopped == '1' and state and state ~= state_unknown
            and state < state_paused
        or state == 0 and call('ZCARD', key('hosts', ac))
            == call('ZCARD', key('states', ac))
        or ARG.group ~= '' and call('HEXISTS', refs, ARG.group .. ':h') == 0
        or ARG.profile ~= '' and call('HEXISTS', refs, ARG.profile) == 0
end
if is_none() then
    return {'OK', '', 0, {}}
end
state = not stopped and state or nil

-- Returns the narrowest index by scores, its bounds `low` and `high`
-- (excluded), and the state that all of its hosts have.
local listed_from = ARG.since ~= ''
    and now_ms() - tonumber(ARG.since) * 3600000 or 0
local kids = ARG.parent ~= '' and ARG.parent ~= 'none'
local function narrowest()
    if kids then
        return key('kids', ac, ARG.parent), 0, '+inf', nil
    elseif ARG.sort == 'since' or ARG.since ~= ''
        or (state or 0) > state_listed
    then
        return key('states', ac), state_score(state, listed_from),
            '(' .. state_score(state + 1, 0), state
    elseif state == state_listed then
        return key('listed', ac), 0, '+inf', state
    end
    return key('hosts', ac), 0, '+inf', nil
end
local index, low, high, all_in = narrowest()

-- prefix: the beginning of the members of "find" to walk through; nil: `index`
-- is walked through.  at: a member, or score and SID.  in_state: number of
-- hosts in `index`.  parts: all hosts that begin with the text were found.
local part = ARG.part == '1' and text ~= ''
local function walked()
    return ARG.sort ~= 'since' and not kids and (text ~= '' and 'v' .. text
        or ARG.sort == 'name' and 'n' or ARG.sort == 'address' and 'a') or nil
end
local prefix, at, parts = walked(), nil, nil
local in_state = prefix and all_in and call('ZCOUNT', index, low, high)
local function begin_with(letter)
    return call('ZLEXCOUNT', find, '[' .. letter .. text,
        '(' .. letter .. text .. '\255')
end
-- Sets `prefix`, `at` and `parts` from a cursor: "s", or "c" for parts, with
-- score and SID; or the letter of a member, with the rest of the member in hex
-- digits.  False: it is no cursor.
local function go_on(after)
    local how, score, sid = after:match('^([sc])(%d+)(HT%x+)$')
    local letter, digits = after:match('^([nva])(%x+)$')
    if score and #after <= 60 and (how == 's' or part) then
        parts = how == 'c'
        prefix, at = nil, {tonumber(score), sid}
    elseif prefix and letter and (letter == 'a') == (prefix == 'a')
        and (letter ~= 'v' or text ~= '')
    then
        prefix = letter .. text
        at = letter .. digits:gsub('%x%x', function(c)
            return string.char(tonumber(c, 16))
        end)
    end
    return at and (not prefix or at:sub(1, #prefix) == prefix)
end
-- Whether fewer hosts are in the state than the walk would pass over.
local function is_few()
    return text ~= '' and in_state < begin_with('v') + begin_with('n')
        or prefix == 'a' and in_state > sorted_most
end
if ARG.after ~= '' and not go_on(ARG.after) then
    return {'AFTER'}
elseif not at and in_state and is_few() then
    prefix = nil
end

-- Returns the next n entries from `at` on: their SIDs, the value of `at` at
-- each, and whether there are more.
local function by_text(n)
    local members = call('ZRANGE', find, at and '(' .. at or '[' .. prefix,
        '(' .. prefix .. '\255', 'BYLEX', 'LIMIT', 0, n)
    local sids = {}
    for i, member in ipairs(members) do
        sids[i] = #member > 16 and find_sid(member) or ''
    end
    return sids, members, #members == n
end
-- The same for a few hosts in a state, sorted by name or address.  Hex digits
-- have the same order in each locale of Redis.
local hex = setmetatable({}, {__index = function(_, c)
    return string.format('%02x', c:byte())
end})
local function by_name(n)
    local order, sids, places = {}, {}, {}
    local from = at and at:gsub('.', hex) or ''
    for _, sid in ipairs(call('ZRANGE', index, low, high, 'BYSCORE')) do
        local head = call('GETRANGE', key('r', ac, sid), 0, head_most - 1)
        local ok, _, _, _, value, name = pcall(cmsgpack.unpack_limit, head,
            HOST.name, 3)
        local member = ok and (prefix == 'a' and find_address(sid, value)
            or find_members(sid, value, name)) or ''
        local digits = member:gsub('.', hex)
        if digits > from then
            order[#order + 1] = {digits, member, sid}
        end
    end
    table.sort(order, function(a, b) return a[1] < b[1] end)
    for i = 1, math.min(n, #order) do
        sids[i], places[i] = order[i][3], order[i][2]
    end
    return sids, places, #order > n
end
-- Hosts may be listed since the same time.
local function by_score(n)
    local sids, places, skip, rows = {}, {}, 0, nil
    repeat
        rows = call('ZRANGE', index, math.max(at and at[1] or 0, low), high,
            'BYSCORE', 'LIMIT', skip, n, 'WITHSCORES')
        for i = 1, #rows, 2 do
            local score = tonumber(rows[i + 1])
            if not at or score > at[1] or rows[i] > at[2] then
                sids[#sids + 1] = rows[i]
                places[#places + 1] = {score, rows[i]}
            end
        end
        skip = skip + n
    until sids[1] or #rows < 2 * n
    return sids, places, #rows == 2 * n
end

--- include: find_wanted
local found, looked, octets, limit = {}, 0, 0, tonumber(ARG.limit)
local batch = math.max(1, math.min(page_most, math.floor(octets_most
    / (tonumber(call('GET', key('large', ac, 'hosts'))) or 4096))))
local page = (prefix == 'n' or prefix == 'a') and in_state
    and in_state <= sorted_most and by_name
    or prefix and by_text or by_score
if page == by_text then
    all_in = nil
end
-- "listed" also has the stopped hosts that were listed.
local function mixed()
    return index == key('listed', ac) and call('ZCARD', index)
        > call('ZCOUNT', key('states', ac), state_score(state, 0),
            '(' .. state_score(state + 1, 0))
end
local by_state = state and (state ~= all_in or mixed())
local score_least = ARG.since ~= '' and state_score(state, listed_from) or 0
-- The records of the hosts in the state from sids[from] to sids[to]:
-- {place in sids = record}.
local function records_of(sids, from, to)
    local scores = by_state
        and call('ZMSCORE', key('states', ac), unpack(sids, from, to))
    local keys, at_place, records = {}, {}, {}
    for i = from, to do
        local score = by_state and tonumber(scores[i - from + 1] or nil) or 0
        if not by_state or math.floor(score / state_width) == state
            and score >= score_least
        then
            keys[#keys + 1] = key('r', ac, sids[i])
            at_place[#keys] = i
        end
    end
    for i, raw in ipairs(keys[1] and call('MGET', unpack(keys)) or {}) do
        records[at_place[i]] = raw
    end
    return records
end
local function look_at(raw, place)
    at, looked, is_range = place, looked + 1, false
    octets = octets + (raw and #raw or 0)
    if raw and wanted(raw) then
        found[#found + 1] = raw
    end
end
-- Skips the addresses of the present range in the index by address, if no other
-- host is among them.
local skipped, step = 0, 1
local function skip_range()
    local width, last = ({[52] = 4, [54] = 16})[at:byte(2)], {}
    if not width then
        return false
    end
    local length = at:byte(3 + width)
    for i = 1, width do
        local free = 2 ^ math.max(0, math.min(8, 8 * i - length))
        local octet = at:byte(2 + i)
        last[i] = string.char(octet - octet % free + free - 1)
    end
    local past = at:sub(1, 2) .. table.concat(last) .. '\255\255'
    skipped, step = skipped + 1, 1
    local alone = call('ZLEXCOUNT', find, '(' .. at, '[' .. past)
        == call('ZCARD', key('kids', ac, find_sid(at)))
    at = alone and past or at
    return alone
end
local function enough()
    return #found == limit or looked - #found >= passed_most
        or octets >= octets_most or skipped == ranges_most
end
-- Reads the hosts of a page, one after the other.  True: it ended early.
local function look_through(sids, places)
    local records
    for i = 1, #sids do
        if enough() then
            return true
        end
        if (i - 1) % batch == 0 then
            records = records_of(sids, i, math.min(i + batch - 1, #sids))
        end
        look_at(records[i], places[i])
        if is_range and prefix == 'a' and skip_range() then
            return true
        end
    end
end
-- Goes on to the next index at the end of one, if there is a next one.
local function walk_on()
    if prefix and prefix:sub(1, 1) == 'v' then
        if not enough() then
            prefix, at = 'n' .. text, nil
        end
        return true
    elseif prefix and part then
        prefix, at, parts = nil, {0, 'HT' .. string.rep('0', 32)}, true
        return true
    end
end
local more
repeat
    local sids, places
    step = ARG.parent == 'none' and page == by_text
        and math.min(page_most, step * 2) or page_most
    sids, places, more = page((picks or reads() or by_state) and step
        or math.min(page_most, limit - #found))
    more = look_through(sids, places) or more
    more = more or walk_on()
until not more or enough() or parts and page == by_text

local function cursor()
    return prefix and at:sub(1, 1) .. at:sub(2):gsub('.', hex)
        or (parts and 'c' or 's') .. string.format('%.0f', at[1]) .. at[2]
end
return {'OK', more and cursor() or '', looked, found}
