-- Checks single keys: their names, records that no index has, remains of
-- deleted hosts, checks that no queue has, deliveries that are not due.
--- key: accounts  of the partition
--- arg: mend  "1": mend
--- arg: keys...  their names, "r:<AC>:<SID>" and so on
--- reply: OK  then faults (_fsck.lua), and "<AC>:<EV> <open>" of events
--- reply: MORE rest[]  then likewise
--- include: fsck_names
--- include: fsck_refs
--- include: fsck_value
--- include: fsck_jobs
--- include: fsck_work
--- include: hears
--- include: details
--- include: unchanged
--- include: pending
local week = 7 * 86400000
local look = {}
local function drop(k)
    return command('DEL', k)
end
local function drop_record(k)
    return function()
        hosts_change()
        call('DEL', k)
    end
end
-- Puts a record back into its index, where it comes last.
local function restore(index, sid, r)
    local seq = (index == 'apps' or index == 'hooks' or index == 'users')
        and now_ms()
        or call('INCR', key('seq', ac))
    call('ZADD', key(index, ac), seq, sid)
    local groups, suffix = {}, ''
    if index == 'hosts' then
        totals_forget()
        call('HSET', key('uniq', ac), value_of(r), sid)
        refs_add(r[HOST.profile], 1)
        groups, suffix = r[HOST.groups], ':h'
    elseif index == 'contacts' then
        groups, suffix = r[CONTACT.groups], ':c'
        hears_change(sid, r)
    end
    refs_of_groups(groups, suffix, 1)
    spent = spent + 2 * #groups
end
function look.r(k, sid)
    local index = indexes[sid:sub(1, 2)]
    if index and k ~= record_key(sid) then
        fault('left', sid, 'has a record where none is looked for',
            drop_record(k))
    end
    if not index or k ~= record_key(sid) or owns(index, sid) then
        return
    end
    local r, why = read_sid(sid)
    local other, has_it
    if r and index == 'hosts' then
        spent = spent + 5 * #r[HOST.details]
        other, has_it = other_host(r)
    end
    if why == 'damaged' then
        fault('damaged', sid, 'its record cannot be read', drop_record(k))
    elseif has_it then
        fault('record', sid, 'is in no index, and ' .. other
            .. ' has its value', drop_record(k))
    elseif other and newer(other) then
        fault('record', sid, 'is in no index, and ' .. other
            .. ', of another version, may have its value', nil)
    elseif r then
        fault('record', sid, 'is not in the index ' .. index, function()
            restore(index, sid, r)
        end)
    end
end
-- A token that is in no index still admits its application.
look.s = look.r
look.user = look.r
function look.token(k, field)
    if call('HEXISTS', key('tokens', ac), field) == 1 then
        return
    end
    local t, why = read(k, 'TOKEN')
    local app = t and token_field(t) == field and owns('apps', t[TOKEN.app])
        and read_sid(t[TOKEN.app])
    if app and app[APP.status] == 'active' then
        fault('record', 'token ' .. field, 'is not in the index tokens',
            command('HSET', key('tokens', ac), field, t[TOKEN.app]))
    elseif why ~= 'newer' and not (t and newer(t[TOKEN.app])) then
        fault('left', 'token ' .. field, 'is of no application', function()
            totals_forget()
            call('DEL', k)
        end)
    end
end
-- A session that is not in the index of its user outlives a sign-out
-- everywhere.
function look.session(k, field)
    local t, why = read(k, 'SESSION')
    local index = t and key('sessions', ac, t[SESSION.user])
    if why == 'newer' or t and newer(t[SESSION.user]) then
        return
    end
    local function finish()
        totals_forget()
        call('DEL', k)
    end
    if not t or token_field(t) ~= field or not owns('users', t[SESSION.user])
    then
        fault('left', 'session ' .. field, 'is of no user', finish)
    elseif call('PTTL', k) < 0 then
        fault('endless', 'session ' .. field, 'never ends', finish)
    elseif not call('ZSCORE', index, field) then
        fault('record', 'session ' .. field, 'is not in the index sessions',
            command('ZADD', index, t[SESSION.made], field))
    end
end
-- The passkeys of a user.
function look.keys(k, us)
    if newer(us) then
        return
    end
    if not owns('users', us) then
        fault('left', us, 'is no user and has passkeys', drop(k))
        return
    end
    local all = call('HGETALL', k)
    for i = 1, #all, 2 do
        local p, why = decoded(all[i + 1], 'PASSKEY')
        if why ~= 'newer' and not (p and p[PASSKEY.id] == all[i]) then
            fault('record', us, 'has a damaged passkey ' .. all[i],
                command('HDEL', k, all[i]))
        end
    end
end
local function of_host(k, ht, what)
    if not owns('hosts', ht) then
        fault('left', ht, 'is no host and has ' .. what, drop(k))
    end
end
function look.kids(k, ht)
    of_host(k, ht, 'addresses')
end
function look.hist(k, ht)
    of_host(k, ht, 'a history')
end
-- A running check of a host is in flight; one of a one-off value waits or is
-- leased.  A daemon ends other checks, and notifies their callbacks
-- (check_begin).
local function look_at_open(pp, ht, status)
    local member, free = ac .. ':' .. ht, false
    if ht ~= '' then
        local manual = call('HGET', key('flight'), member)
        local begun = call('HGET', key('flight:due'), member)
        if manual == pp or begun and begun:sub(1, 66) == pp then
            return
        end
        free = not manual and (not begun or #begun < 70) and owns('hosts', ht)
    end
    local job = has_job(pp, ht)
    if job and not free then
        return
    end
    fault('check', pp, 'is ' .. status .. ', and nobody has it', function()
        if free then
            call('HSET', key('flight'), member, pp)
            due_never(ht)
        end
        if not job then
            queue(pp, ht)
        end
    end)
end
-- The details of a check are counted.
local function look_at_details(k, pp)
    local details, size = key('details', ac), #call('GET', k) + details_each
    local entry = pp .. ':' .. size
    spent = spent + size / 100
    if not call('ZSCORE', details, entry) then
        fault('details', pp, 'are not counted', function()
            local ttl = math.max(0, call('PTTL', k))
            local sum = tonumber(call('ZSCORE', details, 'octets')) or 0
            call('ZADD', details, sum + size, 'octets', now_ms() + ttl, entry)
            if call('PTTL', details) < ttl then
                call('PEXPIRE', details, ttl + 60000)
            end
        end)
    end
end
function look.check(k, rest)
    local pp, part = string.match(rest, '^(%w+)(.*)$')
    if call('PTTL', k) == -1 then
        fault('endless', pp, 'its record has no end',
            command('PEXPIRE', k, week))
    end
    if part == ':d' then
        look_at_details(k, pp)
    end
    local c = part == '' and call('HMGET', k, 'status', 'host_id') or {}
    if c[1] == 'queued' or c[1] == 'running' then
        look_at_open(pp, c[2] or '', c[1])
    end
end
-- Does it wait for another message to its contact?
local function in_line(ev, co)
    local line = co and key('line', ac, co)
    return line and type_of(line) == 'list'
        and (call('LPOS', line, ev) or 0) > 0
end
-- The entry of a delivery in "pending", or false: none is wanted.
local function pending_entry(k, rest)
    local ev, target = string.match(rest, '^(%w+):(%w+)$')
    local d = call('HMGET', k, 'first', 'app', 'excess')
    local kind = target and target:sub(1, 2)
    return d[1] and not d[3] and (kind == 'WH' or kind == 'CB')
        and pending_name(ev, target, d[2], d[1])
end
function look.dlv(k, rest)
    local ev, entry = string.match(rest, '^(%w+)'), pending_entry(k, rest)
    local member = ac .. ':' .. rest
    if call('EXISTS', key('event', ac, ev)) == 0 then
        fault('delivery', rest, 'has no event', function()
            call('DEL', k)
            call('ZREM', key('retry'), member)
        end)
    elseif not call('ZSCORE', key('retry'), member)
        and not in_line(ev, string.match(rest, ':(CO%w+)$'))
    then
        fault('delivery', rest, 'is never tried',
            command('ZADD', key('retry'), now_ms(), member))
    elseif entry and not call('ZSCORE', key('pending', ac), entry) then
        fault('pending', rest, 'is a delivery that is not counted',
            command('ZADD', key('pending', ac), 0, entry))
    end
end
-- Its deliveries are counted after the scan (fsck_event).
function look.event(k, ev)
    out[#out + 1] = {ac .. ':' .. ev .. ' ' .. (call('HGET', k, 'open') or '')}
end
-- The digest of a contact; daemons end that of a deleted contact.
function look.digest(_, co)
    local member = ac .. ':' .. co
    if not call('ZSCORE', key('digests'), member)
        and not call('ZSCORE', key('later'), member)
    then
        fault('digest', co, 'is never told',
            command('ZADD', key('digests'), now_ms(), member))
    end
end
look.batch = look.digest
look.making = look.digest
-- The contacts that are notified about the hosts of a group.
local function hears_wrongly(k, cg, co, score)
    local c, has = owns('contacts', co) and read_sid(co), false
    for _, g in ipairs(c and c[CONTACT.groups] or {}) do
        has = has or g == cg
    end
    if not newer(co) and not (has and hears_class(c) == tonumber(score)) then
        fault('hears', cg, 'tells ' .. co .. ' of hosts, and should not',
            command('ZREM', k, co))
    end
end
-- A record that names the group is not unpacked if the account's set, which is
-- looked at with the contacts, has the same of it.
function look.hears(k, cg)
    local rows = call('ZRANGE', k, 0, -1, 'WITHSCORES')
    spent = spent + 2.5 * #rows
    for from = 1, #rows, 200 do
        local cos, keys = {}, {}
        for i = from, math.min(from + 199, #rows), 2 do
            cos[#cos + 1] = rows[i]
            keys[#keys + 1] = key('r', ac, rows[i])
        end
        local scores = redis.pcall('ZMSCORE', key('hears', ac), unpack(cos))
        for i, raw in ipairs(call('MGET', unpack(keys))) do
            local score = rows[from + 2 * i - 1]
            if not raw or scores[i] ~= score
                or not string.find(raw, cg, 1, true)
            then
                hears_wrongly(k, cg, cos[i], score)
            end
        end
    end
end
-- Listings and ends that were reported to a contact.
function look.open(k, co)
    if not call('ZSCORE', key('contacts', ac), co) then
        fault('open', co, 'is what a contact knows that is no more', drop(k))
    end
end
look.ends = look.open
look.held = look.open
-- The rest of an item of work, or the reason why it was dropped (with TTL).
function look.work(k, id)
    if call('PTTL', k) < 0 and not work_has(tonumber(id)) then
        fault('left', 'work ' .. id, 'belongs to no work', drop(k))
    end
end
-- The counter of an application begins again (app_admit.lua).
local function sound_rate(k)
    local state = load(k)
    for i = 1, type(state) == 'table' and #state == 8 and 8 or 0 do
        if type(state[i]) ~= 'number' then
            return false
        end
    end
    return true
end
function look.rate(k, app)
    local could, sound = pcall(sound_rate, k)
    if not could or not sound then
        fault('rate', app, 'its requests are counted in what cannot be read',
            drop(k))
    end
end
-- The largest record of an index (_large.lua): the next one to grow says it.
function look.large(k, index)
    local size = tonumber(call('GET', k))
    if not size or size ~= 2 ^ math.floor(math.log(size) / math.log(2) + 0.5)
    then
        fault('large', index, 'has a size that cannot be read', drop(k))
    end
end
-- The messages that are on their way to a contact: the first one is tried.
function look.line(k, co)
    local ev = call('LRANGE', k, 0, 0)[1]
    local member = ac .. ':' .. ev .. ':' .. co
    if call('EXISTS', key('dlv', ac, ev, co)) == 0 then
        fault('line', co, 'waits for a message that is no more', function()
            call('LREM', k, 1, ev)
            local after = call('LRANGE', k, 0, 0)[1]
            if after then
                call('ZADD', key('retry'), 'NX', now_ms(), ac .. ':' .. after
                    .. ':' .. co)
            end
        end)
    elseif not call('ZSCORE', key('retry'), member) then
        fault('line', co, 'has a first message that is never tried',
            command('ZADD', key('retry'), now_ms(), member))
    end
end
function look.pay(k, py)
    local p, why = read(k, 'PAYMENT')
    if why == 'damaged' then
        fault('record', py, 'cannot be read: restore it from a backup', nil)
    elseif p and not call('ZSCORE', key('payments', ac), py) then
        fault('index', 'payments', 'lacks ' .. py,
            command('ZADD', key('payments', ac), tostring(p[PAYMENT.created]),
                py))
    end
end
function look.source(k, ps)
    local s, why = read(k, 'PS')
    local indexed = call('ZSCORE', key('sources', ac), ps)
        or call('ZSCORE', key('setup', ac, 'gone'), ps)
    if why == 'damaged' and not indexed then
        fault('record', ps, 'cannot be read', drop(k))
    elseif s and not indexed then
        fault('index', 'sources', 'lacks ' .. ps,
            command('ZADD', key('sources', ac), tostring(s[SOURCE.created]),
                ps))
    end
end
-- Links may be of accounts that do not exist (user_mail.lua).
local links = {link = true, links = true}
local account = '^(.-):(AC' .. string.rep('[0-9a-f]', 32) .. ')%f[%z:]:?(.*)$'
local function look_at(name)
    local kind, rest
    kind, ac, rest = string.match(name, account)
    local _, colons = string.gsub(rest, ':', '')
    local wanted = type_named(rest == '' and kind
        or kind .. '/' .. colons + 1)
    if call('EXISTS', key('acct', ac)) == 0 then
        if not (links[kind] and wanted) then
            fault('key', name, 'is of an account that does not exist')
        end
        return
    end
    if not wanted then
        fault('key', name, 'is not a key of this version')
    end
    if not wanted or wanted == 'any' or rest == '' then
        return                          -- one without a rest is walked through
    end
    local k = base .. name
    local t = type_of(k)
    if t == wanted then
        look[kind](k, rest)
    elseif t ~= 'none' then             -- it has ended since it was seen
        fault('type', kind .. ' ' .. rest, 'is a ' .. t .. ', not a ' .. wanted,
            drop(k))
    end
end
for i = ARG.keys, #ARGV do
    spent = spent + 25
    look_at(ARGV[i])
    if spent >= spent_most and i < #ARGV then
        out[1] = 'MORE'
        table.insert(out, 2, {unpack(ARGV, i + 1)})
        break
    end
end
return out
