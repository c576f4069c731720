-- The size of the largest record of an index, a power of two above 4,096
-- octets, by which nginx bounds its pages (ngx_rbl_list_slices.c).  It never
-- gets smaller.  Without it, all records are smaller.
local function large(index, octets)
    if octets <= 4096 then
        return
    end
    local size = 8192
    while size < octets do
        size = size * 2
    end
    local k = key('large', ac, index)
    if size > (tonumber(call('GET', k)) or 0) then
        call('SET', k, size)
    end
end
