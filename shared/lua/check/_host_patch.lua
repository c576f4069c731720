-- Steps: writes packed `fields` in place of what the record `raw` at `hk` has
-- from `from` to `to`.  length: how many fields the record has now, if that is
-- more than before.
--- takes: fields from hk raw to
--- sets: raw
if not length and #fields == to - from then
    call('SETRANGE', hk, from, fields)
else
    raw = (length and '\220\0' .. string.char(length) .. raw:sub(4, from)
        or raw:sub(1, from)) .. fields .. raw:sub(to + 1)
    call('SET', hk, raw)
end
