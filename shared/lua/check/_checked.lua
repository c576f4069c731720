-- "checked" of an account: when a check last finished with an answer of at
-- least one list (ms).  nginx says "OK" only while that is recent.  It is
-- written when it is an eighth of an interval (s) old, so that few of the
-- checks of an account with many hosts write it.  account_put writes 0: no list
-- has answered yet.  An account of an older version lacks the key: the time of
-- its last answer is unknown, and the first check that finishes writes the key
-- even without an answer, so that silence counts from then on.
local function checked_at(last, now, interval)
    local age = now - (tonumber(last) or 0)
    if age < 0 or age * 8 >= interval * 1000 then
        call('SET', base .. 'checked:' .. ac, tostring(now))
    end
end
