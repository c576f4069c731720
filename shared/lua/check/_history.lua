-- The history of a host: an entry for each check that changed its listings,
-- with what changed: packed {list, zone, listed or clear, codes}.  It holds
-- about the last 200 changes: the more an entry has, the fewer others stay.
local history_max = 200
local function history_add(ht, pp, changes)
    local n = math.min(#changes, history_max)
    if n == 0 then
        return
    end
    local told = {}
    for i = 1, n do
        told[i] = changes[i]
    end
    call('XADD', key('hist', ac, ht), 'MAXLEN', n > 1 and '=' or '~',
        math.floor(history_max / n), '*', 'c', pp, 't', cmsgpack.pack(told))
end
