-- Checks an account's record and the keys that each account has once, and first
-- their types.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- reply: OK  then faults (_fsck.lua)
--- reply: BAD  its record cannot be read, or a key is of another type and was
--          not mended, so its other keys cannot be judged; then faults
-- or NONE, then faults: there is no such account
--- row: fault account kind where text mended#  as every fsck script tells it
--- include: fsck_names
--- include: fsck_work
--- include: unpaid
local accounts, now = key('accounts'), now_ms()
if not look_at_types(names, ac) then
    out[1] = 'BAD'
    return out
end
local a, why = read(KEY.acct, 'AC')
if a and a[ACCOUNT.id] ~= ac then
    a, why = nil, 'damaged'
end
local function look_at_missing()
    out[1] = 'BAD'
    if why == 'missing' and call('EXISTS', key('hosts', ac),
        key('profiles', ac), key('groups', ac), key('apps', ac),
        key('tokens', ac)) == 0
    then
        out[1] = 'NONE'
        if call('ZSCORE', accounts, ac) then
            fault('index', 'accounts', 'has an account that does not exist',
                command('ZREM', accounts, ac))
        end
    else
        fault('account', ac, why == 'missing'
            and 'has keys and no record: restore it from a backup'
            or 'its record cannot be read: restore it from a backup', nil)
    end
end
-- "seq" gives the entries of the indexes their numbers.
local function look_at_order()
    local last = 0
    for _, index in ipairs({'hosts', 'profiles', 'groups', 'contacts', 'rbls'})
    do
        local top = call('ZREVRANGE', key(index, ac), 0, 0, 'WITHSCORES')
        last = math.max(last, tonumber(top[2]) or 0)
    end
    local seq = tonumber(call('GET', key('seq', ac)) or 0)
    if not seq or seq < last then
        fault('order', 'seq', 'is ' .. tostring(seq)
            .. ', and something has been made as number ' .. last,
            command('SET', key('seq', ac), string.format('%.0f', last)))
    end
end
local function look_at_totals()
    local totals, unread = read(key('totals', ac), 'TOTALS')
    if unread == 'damaged'
        or totals and (totals[TOTALS.hosts] ~= call('ZCARD', key('hosts', ac))
            or totals[TOTALS.listed] ~= call('ZCARD', key('listed', ac)))
    then
        fault('totals', 'totals', totals and 'are not those of the indexes'
            or 'cannot be read', totals_forget)
    end
end
-- The coverage: which lists have answered.  A time in the future would let a
-- list seem to answer.  The next check makes the record again.
local function coverage_sound(t)
    local n, latest = #t[COVERAGE.lists] / 24, now / 1000 + 60
    for i = 1, #t[COVERAGE.lists], 24 do
        if struct.unpack('>I4', t[COVERAGE.lists], i + 20) > latest then
            return false
        end
    end
    for i = COVERAGE.lists + 1, #t do
        local full, seen = struct.unpack('>I4I4', t[i], 21)
        local _, to = string.find(t[i], '^RP%x+:%d:%l+;', 29)
        to = to or string.find(t[i], '^;', 29)
        for at = to + 1, #t[i], 2 do
            local list = struct.unpack('>I2', t[i], at)
            if list < 1 or list > n then
                return false
            end
        end
        if full > latest or seen > latest then
            return false
        end
    end
    return n == math.floor(n)
end
local function look_at_coverage()
    local t, unread = read(key('coverage', ac), 'COVERAGE')
    local ok, sound
    if t then
        ok, sound = pcall(coverage_sound, t)
    end
    if unread == 'damaged' or t and not (ok and sound) then
        fault('coverage', 'coverage', 'does not say which lists have answered',
            function()
                local last = call('MGET', key('checked', ac))[1]
                call('DEL', key('coverage', ac))
                -- Its marks (_checked.lua).
                if last then
                    call('SET', key('checked', ac), last:sub(1, 13))
                end
            end)
    end
end
-- The days of the account.  Damaged ones are lost.
local function days_sound(t)
    local days, n, last = call('GET', key('days', ac)) or '', 0, 0
    for c in string.gmatch(days, '.') do
        last = c:byte()
        n = n + (last < 128 and 1 or 0)
    end
    return n % 6 == 0 and last < 128 and t[TODAY.first] <= t[TODAY.last]
        and t[TODAY.last] <= t[TODAY.date]
        and t[TODAY.date] * 86400000 <= now + 60000
end
local function look_at_days()
    local t, unread = read(key('today', ac), 'TODAY')
    if unread == 'damaged' or t and not days_sound(t)
        or unread == 'missing' and call('EXISTS', key('days', ac)) == 1
    then
        fault('days', 'today', 'does not say how the days of the account were',
            command('DEL', key('today', ac), key('days', ac)))
    end
end
-- The days of its lists.  Damaged ones are lost, too.
local function trends_sound(t)
    local lists = #t[TRENDS.lists] / 6
    local _, n = string.gsub(t[TRENDS.hosts], '[%z\1-\127]', '')
    return lists == n and t[TRENDS.first] <= t[TRENDS.last]
        and t[TRENDS.last] * 86400000 <= now + 60000
        and not string.find(t[TRENDS.days], '[\128-\255]$')
end
local function look_at_trends()
    local t, unread = read(key('trends', ac), 'TRENDS')
    if unread == 'damaged' or t and not trends_sound(t) then
        fault('trends', 'trends', 'does not say how the lists were',
            command('DEL', key('trends', ac)))
    end
end
-- The account's turn is not later than its first host is due.
local function look_at_due()
    local first = call('ZRANGE', key('due', ac), 0, 0, 'WITHSCORES')[2]
    local turn = call('ZSCORE', key('due'), ac)
    if first
        and (not turn or tonumber(turn) > math.max(now, tonumber(first)))
    then
        fault('turn', 'due', turn and 'its turn is after its first host is due'
            or 'has hosts that are due and no turn',
            command('ZADD', key('due'), first, ac))
    end
end
-- An account whose key has work has a turn in the index of such accounts.
local function look_at_turn(name, index, text)
    if call('EXISTS', key(name, ac)) == 1
        and not call('ZSCORE', key(index), ac)
    then
        fault('turn', index, text, command('ZADD', key(index), now, ac))
    end
end
-- The sum of stored details; that of very many takes too long.
local function look_at_details()
    local details, sum, most = key('details', ac), 0, 4000
    if call('ZCARD', details) > most then
        return
    end
    local counted = call('ZSCORE', details, 'octets')
    for _, entry in ipairs(call('ZRANGE', details, 0, -1)) do
        sum = sum + (tonumber(entry:match('^%w+:(%d+)$')) or 0)
    end
    if (tonumber(counted) or 0) ~= sum then
        fault('details', 'details', 'take ' .. sum .. ' octets, counted are '
            .. (counted or 'none'), command('ZADD', details, sum, 'octets'))
    end
end
-- The record of the account says that its bill has lapsed; a daemon writes
-- that.
local function look_at_bill()
    local ok, b = pcall(load, key('bill', ac))
    local lapsed = (a[ACCOUNT.lapsed] or 0) > 0
    if ok and (type(b) == 'table' and b[BILL.state] == 'lapsed') ~= lapsed then
        fault('lapse', 'bill', lapsed and 'has not lapsed, and the account has'
            or 'has lapsed, and the account has not',
            command('ZADD', key('billdue'), 0, ac))
    end
    b = ok and type(b) == 'table' and b
    if b and a[ACCOUNT.status] ~= 'suspended' and (b[BILL.period] == 'check'
        or b[BILL.state] ~= 'lapsed') and not call('ZSCORE', key('billdue'), ac)
    then
        fault('turn', 'billdue', 'has a bill and no turn',
            command('ZADD', key('billdue'), 0, ac))
    end
    local p = b and b[BILL.open] ~= ''
        and read(key('pay', ac, b[BILL.open]), 'PAYMENT')
    local state = p and p[PAYMENT.state] or 'void'
    if b and b[BILL.open] ~= '' and (state == 'void' or state == 'succeeded')
    then
        fault('ledger', 'bill', 'names a payment that is not open',
            command('ZADD', key('billdue'), 0, ac))
    end
end
local function look_at_terms()
    local t, unread = read(key('terms', ac), 'TERMS')
    if unread == 'damaged' then
        fault('damaged', 'terms', 'cannot be read', nil)
    elseif t and t[TERMS.recharge_to] > 0
        and t[TERMS.recharge_to] <= t[TERMS.falls_below]
    then
        fault('ledger', 'terms', 'recharge to no more than they fall below',
            nil)
    end
end
-- An account that pays by the check, and no other, has a meter, with the price
-- of its bill, or 0 after that has lapsed (_bill.lua).
local function look_at_meter()
    local b, right = read(key('bill', ac), 'BILL'), nil
    local meter = call('GET', key('meter', ac)) or ''
    if b and b[BILL.period] == 'check' then
        local price = string.match(meter, '^%d+$', 9)
        right = price and struct.unpack('>d', meter) >= 0 and tonumber(price)
            == (b[BILL.state] == 'lapsed' and 0 or b[BILL.price])
    else
        right = meter == ''
    end
    if not right then
        fault('ledger', 'meter', 'is not that of the bill', nil)
    end
end
-- A plan begins later at the end of a period, or when the open payment, which
-- is an upgrade, is paid.  An open renewal is of the plan that begins with it.
local function look_at_change()
    local b = read(key('bill', ac), 'BILL')
    if not b then
        return
    end
    local c = (b[BILL.change] or '') ~= '' and decoded(b[BILL.change], 'CHANGE')
    local p = b[BILL.open] ~= ''
        and read(key('pay', ac, b[BILL.open]), 'PAYMENT')
    local upgrade = p and p[PAYMENT.kind] == 'upgrade' and p[PAYMENT.id] or ''
    local of = c and c[CHANGE.payment] or ''
    if (b[BILL.change] or '') ~= '' and not c or of ~= upgrade
        or c and (c[CHANGE.at] == 0) ~= (upgrade ~= '')
    then
        fault('ledger', 'bill', upgrade == '' and of ~= '' and 'waits for a'
            .. ' payment that is lost: rblctl bill plan orders the plan again'
            or 'its change of plan is not that of its payment', nil)
    elseif p and p[PAYMENT.kind] == 'renewal' and p[PAYMENT.state] == 'open'
        and (p[PAYMENT.sent] or 0) == 0
        and p[PAYMENT.amount] ~= (c and c[CHANGE.price] or b[BILL.price])
    then
        fault('ledger', 'bill', 'has another price than its open payment', nil)
    end
end
-- A record that exists only if something is wanted.
local function read_wish(name, kind)
    local r, unread = read(key(name, ac), kind)
    if unread == 'damaged' then
        fault('damaged', name, 'cannot be read', command('DEL', key(name, ac)))
    end
    return r
end
-- A request that waits for the gateway needs a turn, or it waits for ever.
local function look_at_gateway()
    local b = read(key('bill', ac), 'BILL')
    local s = read_wish('setup', 'SETUP')
    local p = b and b[BILL.open] ~= ''
        and read(key('pay', ac, b[BILL.open]), 'PAYMENT')
    local waits = p and (p[PAYMENT.next] or 0) > 0
        and string.find(' sent unknown processing customer ', ' '
            .. p[PAYMENT.state] .. ' ', 1, true)
        or s and (s[SETUP.state] == 'wanted' or s[SETUP.state] == 'open')
        or b and call('EXISTS', key('setup', ac, 'gone')) == 1
            and not call('ZSCORE', key('billdue'), ac)
    if waits and not call('ZSCORE', key('paydue'), ac) then
        fault('turn', 'paydue', 'has something to ask the gateway and no turn',
            command('ZADD', key('paydue'), 0, ac))
    end
    -- The operator finds it by its state.
    local index = p and 'unpaid:' .. payment_state(p)
    local member = p and ac .. ':' .. b[BILL.open]
    if p and string.find(partition_names, ' ' .. index .. '=', 1, true)
        and not call('ZSCORE', key(index), member)
    then
        fault('unpaid', b[BILL.open], 'is not in the index of its state',
            command('ZADD', key(index), p[PAYMENT.created], member))
    end
end
-- What a daemon does for nginx (account_settle.lua).
local function look_at_settle()
    read_wish('wanted', 'WANTED')
    look_at_turn('wanted', 'settle', 'has wanted changes and no turn')
    for _, name in ipairs({'audit', 'audit:rest'}) do
        local k = key(name, ac)
        -- A stream may be empty.
        if type_of(k) == 'stream'
            and call('XRANGE', k, '-', '+', 'COUNT', 1)[1]
        then
            look_at_turn(name, 'settle', 'has a log and no turn')
        end
    end
end
-- How many checks were started today.
local function look_at_started()
    local started = call('GET', key('started', ac))
    if started and not string.find(started, '^%d+$') then
        fault('started', 'started', 'does not count the checks of a day',
            command('DEL', key('started', ac)))
    elseif started then
        local left, day = call('PTTL', key('started', ac)), 86400000
        if left == -1 or left > day then
            fault('endless', 'started', 'counts the checks of more than a day',
                command('PEXPIRE', key('started', ac), day - now % day))
        end
    end
end

if not a then
    look_at_missing()
    return out
end
if not call('ZSCORE', accounts, ac) then
    fault('index', 'accounts', 'lacks the account',
        command('ZADD', accounts, a[ACCOUNT.created], ac))
end
look_at_order()
look_at_totals()
look_at_coverage()
look_at_days()
look_at_trends()
look_at_due()
look_at_turn('manual', 'manual', 'has checks that wait and no turn')
look_at_details()
look_at_work()
look_at_turn('telling', 'tellings', 'has contacts to tell and no turn')
look_at_settle()
look_at_started()
look_at_bill()
look_at_terms()
look_at_meter()
look_at_change()
look_at_gateway()
return out
