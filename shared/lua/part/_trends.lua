-- How many hosts each list lists, day by day (schema.txt: trends).  A daemon
-- notes that soon after 0:00 UTC, of an account in which something changed on
-- the day before: no check has to.
--- include: list_hosts
--- include: days
local trends_octets, trends_most = 4000, 400
-- All numbers of a text, as day_number() writes them.
local function trends_numbers(s)
    local numbers, n, worth = {}, 0, 1
    for c in string.gmatch(s, '.') do
        c = c:byte()
        if c < 128 then
            numbers[#numbers + 1] = n + c * worth
            n, worth = 0, 1
        else
            n = n + (c - 128) * worth
            worth = worth * 128
        end
    end
    return numbers
end
-- Six of the sixteen bytes of a SID.
local function trends_name(sid)
    return ((sid:sub(3, 14) .. string.rep('0', 12)):sub(1, 12):gsub('..',
        function(digits)
            return string.char(tonumber(digits, 16))
        end))
end
-- The days of the record and the hosts of each list, by its name: days are
-- {date, {name, change, begun}...}.
local function trends_read(t)
    local names, hosts, days = {}, {}, {}
    for i, n in ipairs(trends_numbers(t[TRENDS.hosts])) do
        names[i] = t[TRENDS.lists]:sub(6 * i - 5, 6 * i)
        hosts[names[i]] = n
    end
    local numbers, at, date = trends_numbers(t[TRENDS.days]), 1,
        t[TRENDS.first]
    while numbers[at] do
        date = date + numbers[at]
        local day = {date}
        for i = at + 2, at + 3 * numbers[at + 1], 3 do
            local change = numbers[i + 1]
            day[#day + 1] = {assert(names[numbers[i] + 1]),
                change % 2 == 0 and change / 2 or -(change + 1) / 2,
                numbers[i + 2]}
        end
        days[#days + 1] = day
        at = at + 2 + 3 * numbers[at + 1]
    end
    return hosts, days
end
-- The record of these days; as many of the last ones as fit.  names: of the
-- lists that are; hosts: how many each lists on the day `last`.
local function trends_made(first, last, names, hosts, days)
    local lists, numbers, place, parts, octets = {}, {}, {}, {}, 0
    local function place_of(name)
        if not place[name] then
            lists[#lists + 1], place[name] = name, #lists
            numbers[#lists] = day_number(hosts[name])
            octets = octets + 6 + #numbers[#lists]
        end
        return place[name]
    end
    for _, name in ipairs(names) do
        if hosts[name] > 0 then
            place_of(name)
        end
    end
    local n = #days
    while n > 0 and last - days[n][1] < trends_most do
        local part, rows = {}, 0
        for i = 2, #days[n] do
            local name, change, begun = unpack(days[n][i])
            if hosts[name] then
                rows = rows + 1
                part[rows] = day_number(place_of(name))
                    .. day_number(change < 0 and -2 * change - 1 or 2 * change)
                    .. day_number(begun)
            end
        end
        parts[n] = rows > 0 and day_number(rows) .. table.concat(part) or ''
        octets = octets + #parts[n] + 2
        if octets > trends_octets then
            break
        end
        n = n - 1
    end
    -- Behind the last day that is left out all is known.
    first = math.max(n > 0 and days[n][1] or first, last - trends_most)
    local date, out = first, {}
    for i = n + 1, #days do
        if parts[i] ~= '' then
            out[#out + 1] = day_number(days[i][1] - date) .. parts[i]
            date = days[i][1]
        end
    end
    return {1, first, last, table.concat(lists), table.concat(numbers),
        table.concat(out)}
end
-- Notes the days before `today` that are not noted yet.  changed: the day of
-- the last change.  Returns whether there was one.
local function trends_note(changed, today)
    local k, last = key('trends', ac), today - 1
    local ok, t = pcall(load, k)
    -- The clock may have been ahead.
    t = ok and type(t) == 'table' and (tonumber(t[TRENDS.last]) or today)
        < today and t
    if t and t[TRENDS.last] >= changed then
        return false
    end
    local sids, now = list_hosts()
    local read, was, days = pcall(trends_read, t)
    local first, from = t and t[TRENDS.first], t and t[TRENDS.last] + 1
    if not read then
        first, from, was, days = last, last, nil, {}
    end
    local names, hosts = {}, {}
    for i, sid in ipairs(sids) do
        names[i] = trends_name(sid)
        hosts[names[i]] = now[i]
    end
    -- What began is kept for a week.
    for date = math.max(from, last - 6), last do
        local begun, day = list_begun(date), {date}
        for i, sid in ipairs(sids) do
            local change = date == last and was
                and now[i] - (was[names[i]] or 0) or 0
            if change ~= 0 or begun[sid] then
                day[#day + 1] = {names[i], change, begun[sid] or 0}
            end
        end
        days[#days + 1] = day[2] and day
    end
    save(k, trends_made(first, last, names, hosts, days))
    return true
end
