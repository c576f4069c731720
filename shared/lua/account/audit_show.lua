-- Shows the audit log of an account, newest first: all entries, or those of a
-- user or an application, or those about one thing.  A call looks at a bounded
-- number of entries.
--- key: acct  acct:<AC>
--- arg: before  entry behind which to begin; "": the newest
--- arg: most  entries to show
--- arg: looks  entries to look at, at most
--- arg: who  SID; "": all
--- arg: target  SID; "": all
--- reply: OK before entries[]  where to go on ("": there are no more)
--- row: entry id by target name app  by packed; app: name of the application
--- include: account
--- use: app
local most, looks, step = tonumber(ARG.most), tonumber(ARG.looks), 100
local before, found, apps = ARG.before, {}, {}
local function app_name(sid)
    local ok, app = pcall(load, key('s', ac, sid))
    return ok and type(app) == 'table' and app[APP.name] or ''
end
-- The caller is the first text of `by`, behind the version: a SID (34 octets),
-- or "" for a user who signs in.
local function show(id, f)
    local by, target, name = f[2] or '', f[4] or '', f[6] or ''
    local who = by:sub(3, 4) == '\217\34' and by:sub(5, 38)
        or by:sub(3, 3) == '\160' and target or ''
    if ARG.target ~= '' and ARG.target ~= target
        or ARG.who ~= '' and ARG.who ~= who
    then
        return
    end
    local app = ''
    if who:sub(1, 2) == 'AP' then
        apps[who] = apps[who] or app_name(who)
        app = apps[who]
    end
    found[#found + 1] = {id, by, target, name, app}
end
repeat
    local count = math.min(step, looks)
    local entries = call('XREVRANGE', key('audit', ac),
        before == '' and '+' or '(' .. before, '-', 'COUNT', count)
    for _, entry in ipairs(entries) do
        if #found < most then
            before = entry[1]
            show(before, entry[2])
        end
    end
    looks = looks - count
    if #entries < count and #found < most then
        before = ''
    end
until before == '' or #found >= most or looks <= 0
return {'OK', before, found}
