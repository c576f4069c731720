-- Finds hosts by a text in their value or name, by state, group, profile and
-- listings.  It walks through one index from `after` on, looks at a bounded
-- number of hosts and says where to go on.  An index by text comes in the order
-- of the values, then of the names; a walk is by text unless fewer hosts are in
-- the state.  By address, hosts in a state come in the order of their creation
-- if there are more than 200.
--- key: acct  acct:<AC>
--- arg: text  or ""
--- arg: state  its number (_state.lua), 0: clear, or ""
--- arg: group  SID or ""
--- arg: profile  SID or ""
--- arg: list  SID of a list that lists them now, or ""
--- arg: weight  of their heaviest listing (rbl_codes.h), or ""
--- arg: since  within how many hours they were listed, or ""
--- arg: part  "1": hosts whose value or name has the text behind its beginning
--          come, too, after the others; they are looked for in all hosts
--- arg: sort  created; name; address; since: listed hosts, by the time of the listing
--- arg: after  `next` of the call before, or ""
--- arg: limit  hosts
--- arg: stopped  "1": all hosts that are active count as unknown; the indexes
--          do not have that yet (_lapse.lua)
--- reply: OK next looked# hosts[]  next: "" at the end; looked: how many it
--          looked at; hosts: records
--- reply: GROUP
--- reply: PROFILE
--- reply: AFTER  it is none of such a call
--- include: account
--- include: state
--- include: find
local passed_most = 200           -- hosts that are not wanted
local octets_most = 131072
local sorted_most = 200
local page_most = 64
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
local wrong = lists and (state or state_listed) ~= state_listed
state = lists and state_listed or state
-- Whether all hosts that are active are wanted.
local stopped = ARG.stopped == '1' and state == state_unknown
local function is_none()
    local refs = key('refs', ac)
    return wrong or ARG.stopped == '1' and (ARG.sort == 'since' or state
            and state ~= state_unknown and state < state_paused)
        or state == 0 and call('ZCARD', key('hosts', ac))
            == call('ZCARD', key('states', ac))
        or ARG.group ~= '' and call('HEXISTS', refs, ARG.group .. ':h') == 0
        or ARG.profile ~= '' and call('HEXISTS', refs, ARG.profile) == 0
end
if is_none() then
    return {'OK', '', 0, {}}
end
state = not stopped and state or nil

-- The narrowest index by scores, from `low` to below `high`, and the state of
-- all of its hosts.
local index, low, high, all_in = key('hosts', ac), 0, '+inf', nil
local listed_from = ARG.since ~= ''
    and now_ms() - tonumber(ARG.since) * 3600000 or 0
if ARG.sort == 'since' or ARG.since ~= '' or (state or 0) > state_listed then
    all_in = (state or state_listed) > state_listed and ARG.sort ~= 'since'
        and state or state_listed
    index, low = key('states', ac), state_score(all_in, listed_from)
    high = '(' .. state_score(all_in + 1, 0)
elseif state == state_listed then
    all_in, index = state, key('listed', ac)
end

-- What the members of "find" begin with that are walked through; nil: `index`
-- is.  at: a member, or score and SID.  in_state: how many hosts `index` has.
-- parts: all that begin with the text were found.
local prefix, at, in_state, parts
local part = ARG.part == '1' and text ~= ''
if ARG.sort ~= 'since' then
    prefix = text ~= '' and 'v' .. text or ARG.sort == 'name' and 'n'
        or ARG.sort == 'address' and 'a'
    in_state = prefix and all_in and call('ZCOUNT', index, low, high)
end
local function begin_with(letter)
    return call('ZLEXCOUNT', find, '[' .. letter .. text,
        '(' .. letter .. text .. '\255')
end
-- Sets `prefix`, `at` and `parts` by a cursor: "s", or "c" for parts, score and
-- SID; or the letter of a member and the rest of it in hex digits.  Returns
-- whether it may be one.  "b": the index by address is made; score and SID.
local building
local function go_on(after)
    local how, score, sid = after:match('^([scb])(%d+)(HT%x+)$')
    local letter, digits = after:match('^([nva])(%x+)$')
    if how == 'b' then
        building = tonumber(score)
        return prefix == 'a' and #after <= 60
    elseif score and #after <= 60 and (how == 's' or part) then
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
if ARG.after ~= '' and not go_on(ARG.after) then
    return {'AFTER'}
elseif not at and in_state and text ~= ''
    and in_state < begin_with('v') + begin_with('n')
    or not at and not building and prefix == 'a'
        and (in_state or 0) > sorted_most
then
    prefix = nil
end
-- Hosts that an earlier release has added are not in the index by address: the
-- search that needs it makes it, some hosts in a call.
if prefix == 'a' and not at and (building or call('ZLEXCOUNT', find, '[a', '(b')
    < call('ZCARD', key('hosts', ac)))
then
    local rows, members = call('ZRANGE', key('hosts', ac), '('
        .. string.format('%.0f', building or -1), '+inf', 'BYSCORE', 'LIMIT', 0,
        passed_most, 'WITHSCORES'), {}
    for i = 1, #rows, 2 do
        local ok, _, _, _, value = pcall(cmsgpack.unpack_limit, call('GETRANGE',
            key('r', ac, rows[i]), 0, head_most - 1), HOST.value, 3)
        if ok and value then
            members[#members + 1] = 0
            members[#members + 1] = find_address(rows[i], value)
        end
    end
    if members[1] then
        call('ZADD', find, unpack(members))
    end
    if rows[1] then
        return {'OK', 'b' .. rows[#rows] .. rows[#rows - 1], #rows / 2, {}}
    end
end

-- The next n entries from `at` on: SIDs, what `at` is at each, and whether
-- there are more.
local function by_text(n)
    local members = call('ZRANGE', find, at and '(' .. at or '[' .. prefix,
        '(' .. prefix .. '\255', 'BYLEX', 'LIMIT', 0, n)
    local sids = {}
    for i, member in ipairs(members) do
        sids[i] = #member > 16 and find_sid(member) or ''
    end
    return sids, members, #members == n
end
-- The same of few hosts in a state, sorted by name or address.  Order does not depend on
-- the locale of Redis if all are hex digits.
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

-- Is the host wanted?  No name has the bytes of a packed SID, which are not
-- UTF-8.  What is found by name has been found by value before.
local picks = ARG.group ~= '' or ARG.profile ~= '' or stopped
    or ARG.list ~= '' or ARG.weight ~= ''
local group = ARG.group ~= '' and cmsgpack.pack(ARG.group) or ''
local profile = ARG.profile ~= '' and cmsgpack.pack(ARG.profile) or ''
local function reads()
    return text ~= '' and not (prefix and prefix:sub(1, 1) == 'v')
end
local function begins(s)
    return s:sub(1, #text) == text
end
local function has(s)
    return string.find(s, text, 1, true)
end
-- Its listings, whose weight may not be known before the next check.
local weight_normal = 2
local list, weight = cmsgpack.pack(ARG.list), tonumber(ARG.weight)
local function is_listed_so(raw)
    if ARG.list ~= '' and not string.find(raw, list, 1, true) then
        return false
    end
    local details = select(HOST.details + 2,
        pcall(cmsgpack.unpack_limit, raw, HOST.details, 3))
    local on, heaviest = ARG.list == '', 0
    for _, l in ipairs(type(details) == 'table' and details or {}) do
        local of = l[LISTING.weight] or 0
        of = of > 0 and of or l[LISTING.counted] or 0
        on = on or l[LISTING.list] == ARG.list
        heaviest = math.max(heaviest, of > 0 and of or weight_normal)
    end
    return on and (not weight or heaviest == weight)
end
local function active(raw)
    local _, _, _, _, _, htype, _, _, status = cmsgpack.unpack_limit(raw,
        HOST.status, 3)
    return status == 'active' and htype ~= 'ip_range'
end
local function wanted(raw)
    if picks and not (string.find(raw, group, 1, true)
        and string.find(raw, profile, 1, true))
        or stopped and not active(raw)
        or (ARG.list ~= '' or weight) and not is_listed_so(raw)
    then
        return false
    elseif not reads() then
        return true
    end
    local ok, _, _, _, value, name = pcall(cmsgpack.unpack_limit, raw,
        HOST.name, 3)
    if not ok then
        return false
    end
    name = string.lower(name)
    if parts then
        return not begins(value) and not begins(name)
            and (has(value) or has(name)) ~= nil
    elseif not prefix then
        return begins(value) or begins(name)
            or part and (has(value) or has(name)) ~= nil
    end
    return name == value or not begins(value)
end

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
local score_least = ARG.since ~= '' and low or 0
-- The records of those of sids[from] to sids[to] that are in the state:
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
    at, looked = place, looked + 1
    octets = octets + (raw and #raw or 0)
    if raw and wanted(raw) then
        found[#found + 1] = raw
    end
end
local function enough()
    return #found == limit or looked - #found >= passed_most
        or octets >= octets_most
end
local more
repeat
    local sids, places
    sids, places, more = page((picks or reads() or by_state) and page_most
        or math.min(page_most, limit - #found))
    local records
    for i = 1, #sids do
        if enough() then
            more = true
            break
        end
        if (i - 1) % batch == 0 then
            records = records_of(sids, i, math.min(i + batch - 1, #sids))
        end
        look_at(records[i], places[i])
    end
    if not more and prefix and prefix:sub(1, 1) == 'v' then
        more = true
        if not enough() then
            prefix, at = 'n' .. text, nil
        end
    elseif not more and prefix and part then
        prefix, at, parts = nil, {0, 'HT' .. string.rep('0', 32)}, true
        more = true
        break
    end
until not more or enough()

local function cursor()
    return prefix and at:sub(1, 1) .. at:sub(2):gsub('.', hex)
        or (parts and 'c' or 's') .. string.format('%.0f', at[1]) .. at[2]
end
return {'OK', more and cursor() or '', looked, found}
