-- Shows the audit log of an account, newest first: all entries, or those of a
-- user or an application, or those about one thing.  A call looks at a bounded
-- number of entries.
-- The log is two streams (_audit.lua), and two more of what is older than an
-- hour.  The entry <ms>-<n> is shown as <ms>-<2n>, or as <ms>-<2n+1> if it is
-- of a stream "rest".
--- key: acct  acct:<AC>
--- arg: before  entry behind which to begin; "": the newest
--- arg: most  entries to show
--- arg: looks  entries to look at, at most
--- arg: who  SID; "": all
--- arg: target  SID; "": all
--- reply: OK before entries[]  where to go on ("": there are no more)
--- row: entry id by target name app count#  by packed; app: its name
--- include: account
local most, looks, step = tonumber(ARG.most), tonumber(ARG.looks), 50
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
    found[#found + 1] = {id, by, target, name, app, tonumber(f[8]) or 1}
end
local function split(id)
    local ms, n = id:match('^(%d+)-(%d+)$')
    return ms, tonumber(n)
end
-- A stream from `before` on, whose shown numbers are even, or odd (1).
local function stream(name, odd)
    local s = {key = key(name, ac), odd = odd, to = '+', at = 1, entries = {}}
    local ms, n = split(before)
    if ms then
        s.to = string.format('(%s-%.0f', ms, math.floor((n + 1 - odd) / 2))
    end
    s.ended = s.to:find('^%(0+%-0$')
    return s
end
-- Its next entry as `id`, `ms` and `n`; no `id`: there are no more.
local function look(s)
    if s.at > #s.entries and not s.ended then
        s.at, s.entries = 1, call('XREVRANGE', s.key, s.to, '-', 'COUNT', step)
        s.ended = #s.entries < step
        s.to = #s.entries > 0 and '(' .. s.entries[#s.entries][1]
    end
    local entry = s.entries[s.at]
    s.id = nil
    if entry then
        local ms, n = split(entry[1])
        s.ms, s.n = tonumber(ms), 2 * n + s.odd
        s.id = string.format('%s-%.0f', ms, s.n)
    end
end
local streams = {stream('audit', 0), stream('past', 0),
    stream('audit:rest', 1), stream('past:rest', 1)}
for _, s in ipairs(streams) do
    look(s)
end
-- The stream with the newest entry; nil: there are no more.
local function newest()
    local top
    for _, s in ipairs(streams) do
        if s.id and (not top or s.ms > top.ms
            or s.ms == top.ms and s.n > top.n)
        then
            top = s
        end
    end
    return top
end
local s = newest()
while s and #found < most and looks > 0 do
    before = s.id
    show(before, s.entries[s.at][2])
    s.at, looks = s.at + 1, looks - 1
    look(s)
    s = newest()
end
return {'OK', s and before or '', found}
