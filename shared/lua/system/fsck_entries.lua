-- Checks the default profile and group of an account, the entries of its
-- indexes, and further keys: "uniq" and "tokens" by field; "listed", "states",
-- "due", "telling" and "marks" by host; "find" by member; "manual" by element;
-- "details" by check; "hears" by contact; "pending" by delivery.  The scripts
-- fsck_kids and fsck_range check the addresses of a range.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: profile  SID of a new one
--- arg: group  SID of a new one
--- arg: what  which of them, "chosen" at first
--- arg: cursor  _fsck_walk.lua
--- arg: entries...
--- reply: OK  then faults (_fsck.lua)
--- reply: MORE rest[]  then faults
--- include: fsck_walk
--- include: fsck_refs
--- include: fsck_host
--- include: fsck_jobs
--- include: fsck_work
--- include: due
--- include: find
--- include: hears
--- include: mutes
--- include: pending
--- include: marks
-- The default profile and the default contact group of an account.  The oldest
-- one takes the place of one that does not exist; where there is none at all,
-- one is made as for a new account, with the SID ARG.profile or ARG.group.
local defaults = {
    {field = CHOSEN.profile, index = 'profiles', what = 'profile',
        new = {1, ARG.profile, 'Default', 'active', 1, {}, now_ms()}},
    {field = CHOSEN.group, index = 'groups', what = 'contact group',
        new = {1, ARG.group, 'Default', now_ms()}},
}
local function choose(chosen, default)
    local sid
    for _, other in ipairs(call('ZRANGE', key(default.index, ac), 0, -1)) do
        if read_sid(other) then
            sid = other
            break
        end
    end
    if not sid then
        sid = default.new[2]
        save(key('r', ac, sid), default.new)
        call('ZADD', key(default.index, ac), call('INCR', key('seq', ac)), sid)
    end
    chosen[default.field] = sid
    totals_forget()
    save(key('chosen', ac), chosen)
end
local function look_at_defaults()
    local chosen, why = read(key('chosen', ac), 'CHOSEN')
    if why == 'newer' then
        return
    end
    if not chosen then
        fault(why, 'chosen', why == 'missing' and 'does not exist'
            or 'cannot be read', function()
                chosen = {1, '', ''}
                choose(chosen, defaults[1])
                choose(chosen, defaults[2])
            end)
        return
    end
    for _, default in ipairs(defaults) do
        local sid = chosen[default.field]
        if not (owns(default.index, sid) and (read_sid(sid) or newer(sid))) then
            fault('default', sid, 'is the default ' .. default.what
                .. ' and does not exist',
                function() choose(chosen, default) end)
        end
    end
end
-- Profiles have the same lists: each is looked for once.
local lists = {}
local function is_list(sid)
    if lists[sid] == nil then
        lists[sid] = type(sid) == 'string'
            and (call('EXISTS', key('r', 'SYS', sid)) == 1
                or owns('rbls', sid)) and true or false
    end
    return lists[sid]
end
local function lists_there(sids)
    local there = {}
    for _, sid in ipairs(sids) do
        there[#there + 1] = is_list(sid) and sid or nil
    end
    spent = spent + #sids / 5 + #sids - #there
    return there, #sids - #there
end
local function look_at_profile(p)
    local entries, gone = lists_there(p[PROFILE.entries])
    local except, gone_too = lists_there(p[PROFILE.except] or {})
    local idle = except[1] and p[PROFILE.uses_defaults] ~= 1
    if gone + gone_too == 0 and not idle then
        return
    end
    fault('entries', p[PROFILE.id], idle
        and 'leaves out lists, and does not follow the system lists'
        or 'names ' .. gone + gone_too .. ' lists that do not exist',
        function()
            p[PROFILE.entries] = entries
            p[PROFILE.except] = not idle and except[1] and except or nil
            save(key('r', ac, p[PROFILE.id]), p)
        end)
end
-- The sets of the groups have the contact with its present fields.  Contacts
-- that a set has too many are found with the sets (fsck_keys).
local function look_at_hears(sid, c)
    local class, sound = hears_class(c), true
    spent = spent + 2 * #c[CONTACT.groups]
    local function same(k)
        local score = type_of(k) == 'zset' and call('ZSCORE', k, sid)
        sound = sound and tonumber(score or nil) == class
    end
    same(key('hears', ac))
    for _, g in ipairs(c[CONTACT.groups]) do
        same(key('hears', ac, g))
    end
    if not sound then
        spent = spent + 200
        fault('hears', sid, 'is not notified as its record says',
            function() hears_change(sid, c) end)
    end
end
local function look_at_contact(sid, c)
    if look_at_groups(sid, c[CONTACT.groups], ':c', function(groups)
        local before = c[CONTACT.groups]
        c[CONTACT.groups] = groups
        save(key('r', ac, sid), c)
        hears_change(sid, c, before)
    end) then
        look_at_hears(sid, c)
    end
end
if call('EXISTS', KEY.acct) == 0 then
    return out
end
local look = {}
-- Is the group or the list of a mute gone?  Its hosts may be, it outlives them.
local function mute_of_nothing(m)
    local target, group = m[MUTE.target], m[MUTE.group] or ''
    local kind = target:sub(1, 2)
    spent = spent + 3
    return group ~= '' and (kind ~= 'RB' or not owns('groups', group))
        or kind == 'CG' and not owns('groups', target)
        or kind == 'RB' and not is_list(target)
end
-- Listings that a mute holds back are reported at the turn of the mute.
local function look_at_mute(sid, m)
    local over = tonumber(call('ZSCORE', key('mutes', ac), sid))
    local turn = tonumber(call('ZSCORE', key('unmutes'), ac .. ':' .. sid)
        or nil)
    -- One whose next time was asked for has a lease.
    local latest = math.max(m[MUTE.ends], now_ms() + 60000)
    if over ~= mute_over(m) then
        fault('mute', sid, 'is not in the index by its end',
            function() mute_save(m) end)
    elseif over > now_ms() and not (turn and turn <= latest) then
        fault('mute', sid, 'ends, or is repeated, and has no turn then',
            function() mute_save(m) end)
    elseif over > now_ms() and mute_of_nothing(m) then
        fault('mute', sid, 'mutes a group or a list that does not exist',
            function()
                mute_close(m, now_ms())
                mutes_look()
            end)
    end
end
for _, index in ipairs({'sources', 'mutes', 'rbls', 'profiles', 'groups',
    'apps', 'hooks', 'users', 'contacts', 'hosts'})
do
    look[index] = function(sid)
        local r = owns(index, sid) and read_entry(index, sid)
        if r and index == 'profiles' then
            look_at_profile(r)
        elseif r and index == 'contacts' then
            look_at_contact(sid, r)
        elseif r and index == 'mutes' then
            look_at_mute(sid, r)
        elseif r and index == 'hosts' then
            look_at_host(r)
        end
    end
end
function look.uniq(field)
    local sid = call('HGET', key('uniq', ac), field)
    local h = sid and owns('hosts', sid) and read_sid(sid)
    if sid and not (h and h[HOST.type] .. '|' .. h[HOST.value] == field)
        and not newer(sid) and not work_will_make(sid)
    then
        fault('uniq', field, 'is known as a host that it is not',
            command('HDEL', key('uniq', ac), field))
    end
end
for _, index in ipairs({'listed', 'states', 'due'}) do
    look[index] = function(sid)
        if call('ZSCORE', key(index, ac), sid) and not owns('hosts', sid) then
            fault('index', index .. ' ' .. sid, 'is no host of the account',
                function()
                    call('ZREM', key(index, ac), sid)
                    totals_forget()
                end)
        end
    end
end
-- The fields of a record up to the name fit into so many bytes.
local find_head = 1536
function look.find(member)
    local sid, by_name, by_value, by_address = #member > 16
        and find_sid(member) or ''
    local head = owns('hosts', sid)
        and redis.pcall('GETRANGE', key('r', ac, sid), 0, find_head - 1)
    local ok, _, version, id, value, name = pcall(cmsgpack.unpack_limit, head,
        HOST.name, 3)
    if ok and version == 1 and id == sid then
        by_name, by_value = find_members(sid, value, name)
        by_address = find_address(sid, value)
    end
    if member ~= by_name and member ~= by_value and member ~= by_address
        and not newer(sid)
        and call('ZSCORE', key('find', ac), member)
    then
        fault('find', sid, by_name and 'is found by what it is not'
            or 'is found, and is no host of the account',
            command('ZREM', key('find', ac), member))
    end
end
local function same(a, b)
    return cmsgpack.pack(a) == cmsgpack.pack(b)
end
function look.tokens(field)
    local tokens, k = key('tokens', ac), key('token', ac, field)
    local whose = call('HGET', tokens, field)
    if not whose then
        return
    end
    local t, why = read(k, 'TOKEN')
    local function drop()
        totals_forget()
        call('HDEL', tokens, field)
        call('DEL', k)
    end
    if why == 'newer' then
        return fault('damaged', 'token ' .. field, 'is of another version',
            nil)
    elseif why == 'missing' then
        return fault('index', 'tokens ' .. field, 'has no record', drop)
    end
    if not t or token_field(t) ~= field then
        return fault('damaged', 'token ' .. field, 'cannot be read', drop)
    end
    local app = owns('apps', t[TOKEN.app]) and read_sid(t[TOKEN.app])
    if not app and newer(t[TOKEN.app]) then
        return
    elseif not app then
        fault('token', field, 'its application does not exist: '
            .. t[TOKEN.app], drop)
    elseif app[APP.status] ~= 'active' then
        fault('token', field, 'its application is revoked: ' .. t[TOKEN.app],
            drop)
    elseif whose ~= t[TOKEN.app] then
        fault('token', field, 'is said to be of another application: ' .. whose,
            command('HSET', tokens, field, t[TOKEN.app]))
    elseif not same(t[TOKEN.allow], app[APP.allow])
        or not same(t[TOKEN.limits], app[APP.limits])
    then
        fault('token', field, 'has other limits than its application',
            function()
                totals_forget()
                t[TOKEN.allow] = app[APP.allow]
                t[TOKEN.limits] = app[APP.limits]
                save(k, t)
            end)
    end
end
-- A waiting check has a record; if its host was deleted the record says so
-- until the check is claimed.
function look.manual(entry)
    local k = key('manual', ac)
    local pp, ht = string.match(entry, '^(PP%x+):(%w*)$')
    local gone
    if not call('LPOS', k, entry)
        or pp and call('EXISTS', key('check', ac, pp)) == 1
    then
        return
    end
    fault('queue', pp or 'manual', 'waits and has no record', function()
        gone = 1
        call('LREM', k, 0, entry)
        if call('EXISTS', k) == 0 then
            call('ZREM', key('manual'), ac)
        end
        local member = ac .. ':' .. (ht or '')
        if pp and call('HGET', key('flight'), member) == pp then
            call('HDEL', key('flight'), member)
            due_again(ht)
        end
    end)
    return gone
end
-- A check whose details are counted has details, or has expired.
function look.details(entry)
    local at = entry ~= 'octets' and call('ZSCORE', key('details', ac), entry)
    if not at or tonumber(at) <= now_ms() then
        return
    end
    local pp, size = string.match(entry, '^(PP%x+):(%d+)$')
    if not pp or call('EXISTS', key('check', ac, pp, 'd')) == 0 then
        fault('details', pp or 'details', 'are counted and not there',
            function()
                local k = key('details', ac)
                local sum = tonumber(call('ZSCORE', k, 'octets')) or 0
                call('ZREM', k, entry)
                call('ZADD', k, sum - (tonumber(size) or 0), 'octets')
            end)
    end
end
-- Missing entries are found with the contacts.
function look.hears(co)
    if call('ZSCORE', key('hears', ac), co) and not owns('contacts', co) then
        fault('hears', co, 'is notified of hosts, but there is no such contact',
            command('ZREM', key('hears', ac), co))
    end
end
local function sound_telling(raw)
    local op = cmsgpack.unpack(raw)
    return type(op) == 'table' and type(op[1]) == 'table'
        and type(op[2]) == 'table' and type(op[3]) == 'table'
        and type(op[4]) == 'table' and type(op[5]) == 'number' and op[6]
end
function look.telling(field)
    local raw = call('HGET', key('telling', ac), field)
    local packed = raw and (field == '>' and string.match(raw, ':(.*)$') or raw)
    local could, sound = pcall(sound_telling, packed)
    if raw and not (could and sound) then
        fault('telling', field, 'what contacts are to be told cannot be read',
            command('HDEL', key('telling', ac), field))
    end
end
-- The sound marks of a host that are of current listings; nil: they cannot be
-- read.
local function marks_left(raw, h)
    local listed, left = {}, {}
    for _, l in ipairs(h and h[HOST.details] or {}) do
        listed[l[LISTING.list]] = true
    end
    for _, m in ipairs(cmsgpack.unpack(raw)) do
        local sound, at = listed[m[MARK.list]], 0
        for letter in string.gmatch(MARK.shape, '.') do
            at = at + 1
            sound = sound and type(m[at]) == letters[letter]
        end
        left[#left + 1] = sound and m or nil
    end
    return left
end
function look.marks(ht)
    local raw = call('HGET', key('marks', ac), ht)
    if not raw or newer(ht) then
        return
    end
    local h = owns('hosts', ht) and read_sid(ht)
    local could, left = pcall(marks_left, raw, h)
    spent = spent + 100
    if not could or not left[1] or cmsgpack.pack(left) ~= raw then
        fault('marks', ht, 'has marks that are of no current listing',
            function() marks_set(ht, could and left or {}) end)
    end
end
function look.pending(entry)
    local pending = key('pending', ac)
    if not call('ZSCORE', pending, entry) then
        return
    end
    local ev, target = string.match(entry, '^%w+:%d+:(%w+):(%w+)$')
    local d = ev and call('HMGET', key('dlv', ac, ev, target), 'first', 'app')
        or {}
    if not d[1] or entry ~= pending_name(ev, target, d[2], d[1]) then
        fault('pending', ev or 'pending', 'is counted, and is no delivery',
            command('ZREM', pending, entry))
    end
end
if ARG.what == 'chosen' then
    look_at_defaults()
end
return walk(' chosen sources mutes rbls profiles groups apps hooks users'
    .. ' contacts hosts uniq listed states find due tokens manual details'
    .. ' hears telling marks pending', '*', function(what, entry)
        spent = spent + 25
        return look[what](entry)
    end, ac)
