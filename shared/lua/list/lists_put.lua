-- Loads system lists into one partition: adds and updates the given lists, and
-- leaves all others as they are.  The operator's overrides (lists:override)
-- survive a load, but not for a list that the file kills.  A file is loaded in
-- slices, killed lists first.
--- key: lists
--- arg: records...  packed list records, in the order they shall have; before
--          them "+" if more slices follow: what is derived from the lists is
--          then left as it is
--- reply: OK
--- reply: FULL would# most#  how many lists there would be, how many there
--          may be (nothing was done)
--- include: defaults
--- include: override
--- include: room
local more = ARGV[ARG.records] == '+'
local lists, new, gone = {}, {}, {}
for i = ARG.records + (more and 1 or 0), #ARGV do
    local l = list_whole(cmsgpack.unpack(ARGV[i]))
    local set = l[LIST.status] == 'killed' and gone or new
    lists[#lists + 1] = l
    set[l[LIST.id]] = true
end
local full = lists_full(new, gone)
if full then
    return full
end
for _, l in ipairs(lists) do
    local sid = l[LIST.id]
    if l[LIST.status] == 'killed' then
        list_leave(sid, l[LIST.zone])
        call('HDEL', override, sid, sid .. ':killed')
        for name in pairs(overridden) do
            call('HDEL', override, sid .. ':' .. name)
        end
    else
        list_overrule(sid, l)
        if l[LIST.status] ~= 'killed' then
            list_enter(sid)
        end
    end
    save(key('r', 'SYS', sid), l)
end
if not more then
    rebuild_defaults()
end
return {'OK'}
