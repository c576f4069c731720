-- Adds the fields that a record of an older release lacks: no field may be left
-- out between two others.
local function list_whole(l)
    l[LIST.names] = l[LIST.names] or ''
    l[LIST.min_interval] = l[LIST.min_interval] or 0
    l[LIST.rate] = l[LIST.rate] or 0
    l[LIST.day_quota] = l[LIST.day_quota] or 0
    l[LIST.reason] = l[LIST.reason] or ''
    l[LIST.note] = l[LIST.note] or ''
    l[LIST.servers] = l[LIST.servers] or ''
    l[LIST.removal] = l[LIST.removal] or {}
    return l
end
