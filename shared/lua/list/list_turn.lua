-- The mass-listing guard: counts the answers of a list about hosts that it did
-- not list, and freezes the list when too many of the last answers are
-- listings.  The window holds answers, not a time.  Beyond 48 answers it is
-- halved, so that a list is frozen after as many listings on a large site as on
-- a small one.  Answers older than half an hour count half; those older than an
-- hour do not count.  Too many are ten listings that are 30 % of the window, or
-- five that are 60 %.  Both numbers double each time that a sample was in order
-- within the last hour.
--- key: list  list:<RB>
--- arg: clear  clear answers since the last call
--- arg: fresh  new listings since the last call
--- arg: bad  "1": a sample was not in order.  Without this, its daemon may have
--          died, and another sample is taken soon
--- reply: OK turned#  listings in the window
--- reply: FROZEN begins# turned# of# sample# age# since#  begins: 1 if that has
--          just begun.  turned, of: listings and answers by which.  sample: 1
--          if the caller shall take one now.  age: ms since a daemon was last
--          asked for one (-1: never).  since: when it was frozen (ms)
--- include: list
local WINDOW, HALF, DOUBLED = 48, 1800000, 6
local SAMPLE_EVERY, SAMPLE_LOST = 30000, 5000
local h = call('HMGET', KEY.list, 'frozen', 'turned', 'of', 'sampled',
    'clear', 'fresh', 'moved', 'passed', 'passes', 'found')
local clear, fresh = num(ARG.clear), num(ARG.fresh)
-- How long ago a time was (ms); very long if it is in the future, or none.
local function ago(v)
    local at = num(v)
    return at > 0 and at <= now and now - at or 9007199254740992
end
local function frozen(begins, turned, of, since)
    local age, take = ago(h[4]), 0
    local wait = ago(h[10]) <= age and SAMPLE_EVERY or SAMPLE_LOST
    if fresh > 0 and age >= wait then
        call('HSET', KEY.list, 'sampled', digits(now))
        age, take = 0, 1
    end
    return {'FROZEN', begins, turned, of, take, age <= HOUR and age or -1,
        since}
end
if num(h[1]) > 0 then
    if ARG.bad == '1' then
        call('HSET', KEY.list, 'found', digits(now))
    end
    return frozen(0, num(h[2]), num(h[3]), num(h[1]))
end
local age, was_clear, was_fresh = ago(h[7]), num(h[5]), num(h[6])
local halves = age < HALF and 1 or age < HOUR and 2 or math.huge
local times = ago(h[8]) < HOUR and 2 ^ math.min(num(h[9]), DOUBLED) or 1
local turned
-- Many clear answers in a batch make the window older, not larger.
local function shorten()
    while clear + turned > WINDOW * times do
        clear, turned = math.floor(clear / 2), math.floor(turned / 2)
    end
end
clear = clear + math.floor(was_clear / halves)
turned = math.floor(was_fresh / halves)
shorten()
turned = turned + fresh
local of = clear + turned
if fresh > 0 and (turned >= 10 * times and turned >= 0.3 * of
    or turned >= 5 * times and turned >= 0.6 * of)
then
    call('HDEL', KEY.list, 'sampled', 'found', 'clear', 'fresh', 'moved')
    call('HSET', KEY.list, 'frozen', digits(now), 'turned',
        digits(turned), 'of', digits(of))
    h[4] = false
    return frozen(1, turned, of, now)
end
shorten()
call('HSET', KEY.list, 'clear', digits(clear), 'fresh', digits(turned),
    'moved', halves == 1 and h[7] or digits(now))
return {'OK', turned}
