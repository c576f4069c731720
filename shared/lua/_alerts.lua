-- Who is told of an account's hosts.  The hash "alerts" is made of the contacts
-- when it is first asked for, and whoever changes a contact drops it: "clear"
-- is "1" if somebody wants to hear of every check, "listed" if somebody does
-- of those that find a host listed as before; and a contact group has
-- "<CO>=<schedule>," for each active contact in it, where "while_open" is
-- while_listed of one that hears of ends as well.
--- include: base
--- use: contact
--- include: digest
local function alerts_forget(ac)
    call('DEL', key('alerts', ac))
end
local function alerts_add(alerts, rows, sid)
    local c = load(key('r', ac, sid))
    if c[CONTACT.status] ~= 'active' then
        return
    end
    local schedule = c[CONTACT.schedule]
    if schedule ~= 'start_and_end' then
        alerts.listed = '1'
    end
    if schedule == 'every_check' then
        alerts.clear = '1'
    end
    if schedule == 'while_listed' and digest_hears_ends(c) then
        schedule = 'while_open'
    end
    local mark = sid .. '=' .. schedule .. ','
    for _, g in ipairs(c[CONTACT.groups]) do
        local row = rows[g] or {}
        rows[g] = row
        row[#row + 1] = mark
    end
end
local function alerts_make()
    local alerts, rows, out = {clear = '0', listed = '0'}, {}, {}
    for _, sid in ipairs(call('ZRANGE', key('contacts', ac), 0, -1)) do
        -- One whose record is damaged is told nothing.
        pcall(alerts_add, alerts, rows, sid)
    end
    for g, row in pairs(rows) do
        alerts[g] = table.concat(row)
    end
    for field, v in pairs(alerts) do
        out[#out + 1] = field
        out[#out + 1] = v
    end
    return out
end
-- Does anybody hear of a check that finds a host as it was, "clear" or
-- "listed"?
local function alerts_wanted(state)
    if call('EXISTS', key('contacts', ac)) == 0 then
        return false
    end
    local k = key('alerts', ac)
    local wanted = redis.pcall('HGET', k, state)
    if type(wanted) ~= 'string' then
        call('DEL', k)
        call('HSET', k, unpack(alerts_make()))
        wanted = call('HGET', k, state)
    end
    return wanted == '1'
end
