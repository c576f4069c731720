-- Common parts of the fsck scripts.  Each checks a bounded part of the store at
-- one moment and reports inconsistencies; with ARG.mend "1" it repairs them.
-- Its result is OK, or another word, and then for each fault {account, kind,
-- place, description, "1" if it is repaired}.  A script with several things to
-- check stops when it has used the time of a call.  Its result is then MORE,
-- the arguments from the second one on for the rest, and the faults.  Accounts
-- are those of the partition of KEYS[1]; `ac` is the present one.
local mend = ARG.mend == '1'
local ac = string.match(KEYS[1], '^.*:(AC%x+)$')
local out = {'OK'}
-- What was looked at, and the faults; about a microsecond each.
local spent, spent_most = 0, 1000
-- `how` repairs it; without it the operator has to.
local function fault(kind, where, text, how)
    local mended = mend and how
    spent = spent + 50
    if mended then
        how()
    end
    out[#out + 1] = {ac or '', kind, where, text, mended and '1' or '0'}
end
-- A repair that is one command.
local function command(...)
    local words = {...}
    return function() call(unpack(words)) end
end
-- A time later than the end of any lease was written when the store's clock was
-- ahead (the daemons' configuration allows no longer leases).
local longest_lease = 3600000 + 60000
local function owns(index, sid)
    return call('ZSCORE', key(index, ac), sid)
end
local function type_of(k)
    return call('TYPE', k).ok
end
-- Types of the fields of each record (generate.pl): n a number, s a text, t an
-- array; fields after "|" are optional.  The key is the first letters of its
-- SID; others have none.
local shapes = {
    AC = ACCOUNT.shape, AP = APP.shape, TOKEN = TOKEN.shape, HT = HOST.shape,
    RP = PROFILE.shape, CG = GROUP.shape, CO = CONTACT.shape, RB = LIST.shape,
    WH = HOOK.shape, US = USER.shape, SESSION = SESSION.shape,
    PASSKEY = PASSKEY.shape, CHOSEN = CHOSEN.shape, WANTED = WANTED.shape,
    TOTALS = TOTALS.shape,
    COVERAGE = COVERAGE.shape, BILL = BILL.shape, PAYMENT = PAYMENT.shape,
    CHANGE = CHANGE.shape,
    PS = SOURCE.shape, SETUP = SETUP.shape, TERMS = TERMS.shape,
    WORK = WORK.shape, MU = MUTE.shape, TODAY = TODAY.shape,
    TRENDS = TRENDS.shape,
}
local letters = {n = 'number', s = 'string', t = 'table'}
-- Decodes a record.  Returns it; or nil and "damaged", or "newer" for one of a
-- later release, which is not judged.
local function decoded(raw, kind)
    local ok, r, more = pcall(cmsgpack.unpack, raw)
    if not ok or type(r) ~= 'table' or more ~= nil
        or type(r[1]) ~= 'number'
    then
        return nil, 'damaged'
    end
    if r[1] ~= 1 then
        return nil, 'newer'
    end
    local i, must = 0, true
    for letter in string.gmatch(shapes[kind], '.') do
        if letter == '|' then
            must = false
        else
            i = i + 1
            if (must or r[i] ~= nil) and type(r[i]) ~= letters[letter] then
                return nil, 'damaged'
            end
        end
    end
    return r
end
-- The record at a key; or nil and "missing", "damaged", "newer".
local function read(k, kind)
    local t = type_of(k)
    if t ~= 'string' then
        return nil, t == 'none' and 'missing' or 'damaged'
    end
    return decoded(call('GET', k), kind)
end
-- The key of the record of a SID.  Records with secrets have keys of their own.
local function record_key(sid)
    local names = {AP = 's', WH = 's', US = 'user', PS = 'source'}
    return key(names[sid:sub(1, 2)] or 'r', ac, sid)
end
-- The record of a SID of the account.
local function read_sid(sid)
    local kind = sid:sub(1, 2)
    if not shapes[kind] then
        return nil, 'missing'
    end
    local r, why = read(record_key(sid), kind)
    if r and r[2] ~= sid then
        return nil, 'damaged'
    end
    return r, why
end
-- True if the record is of a later release.  References to it are left alone.
local function newer(sid)
    local _, why = read_sid(sid)
    return why == 'newer'
end
-- The key of a token.
local function token_field(t)
    return (t[2]:sub(1, 8):gsub('.', function(c)
        return string.format('%02x', c:byte())
    end))
end
-- Marks the totals to be made again: an index of hosts or listings was
-- repaired, or the account or a token will be, which nginx caches by the
-- totals.
local function totals_forget()
    call('DEL', key('totals', ac))
end
local indexes = {
    HT = 'hosts', RP = 'profiles', CG = 'groups', CO = 'contacts',
    RB = 'rbls', AP = 'apps', WH = 'hooks', US = 'users', PS = 'sources',
    MU = 'mutes',
}
-- The record of an entry of an index.  Reports an entry without a record, or
-- with a damaged one.
local function read_entry(index, sid)
    local r, why = nil, 'missing'
    if indexes[sid:sub(1, 2)] == index then
        r, why = read_sid(sid)
    end
    local function drop()
        call('ZREM', key(index, ac), sid)
        if why == 'damaged' then
            call('DEL', record_key(sid))
        end
        if index == 'contacts' then
            redis.pcall('ZREM', key('hears', ac), sid)
        end
        if index == 'hosts' then
            totals_forget()
            call('DEL', key('hist', ac, sid), key('kids', ac, sid))
        end
    end
    if why == 'missing' then
        fault('index', index .. ' ' .. sid, 'has no record', drop)
    elseif why == 'damaged' then
        fault('damaged', sid, 'its record cannot be read', drop)
    elseif why then
        fault('damaged', sid, 'its record is of another version', nil)
    end
    return r
end
