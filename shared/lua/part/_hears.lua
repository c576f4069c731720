-- Contacts that are notified of an account's hosts.  Each contact group has a
-- sorted set of its active contacts, "hears:<AC>:<CG>"; "hears:<AC>" has all of
-- the account.  The score is the contact's class, which says what it is
-- notified of.  The classes that are notified of one thing follow each other.
-- Every script that changes a contact changes these sets, too.
--- include: digest
local hears_start_and_end = 1
local hears_every_check = 2
local hears_while_open = 3              -- while_listed, and ends, too
local hears_while_listed = 4
-- The class of a contact; nil: it is notified of nothing.
local function hears_class(c)
    if not c or c[CONTACT.status] ~= 'active' then
        return nil
    end
    local schedule = c[CONTACT.schedule]
    return schedule == 'start_and_end' and hears_start_and_end
        or schedule == 'every_check' and hears_every_check
        or schedule == 'while_listed' and (digest_hears_ends(c)
            and hears_while_open or hears_while_listed) or nil
end
-- A contact was stored, or deleted (nil).  groups: those that it had before.
-- Call it after a command that a full store refuses.  A set of another type is
-- left to rblctl fsck.
local function hears_change(co, c, groups)
    local class, has = hears_class(c), {}
    local function put(k)
        if class then
            redis.pcall('ZADD', k, class, co)
        else
            redis.pcall('ZREM', k, co)
        end
    end
    put(key('hears', ac))
    for _, g in ipairs(c and c[CONTACT.groups] or {}) do
        if type(g) == 'string' then
            has[g] = true
            put(key('hears', ac, g))
        end
    end
    for _, g in ipairs(groups or {}) do
        if type(g) == 'string' and not has[g] then
            redis.pcall('ZREM', key('hears', ac, g), co)
        end
    end
end
-- Is a contact notified of a check that finds a host as it was, clear or
-- listed?
local function hears_any(listed)
    local n = redis.pcall('ZCOUNT', key('hears', ac), hears_every_check,
        listed and hears_while_listed or hears_every_check)
    return type(n) == 'number' and n > 0
end
