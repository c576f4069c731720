-- Steps of check_finish: writes the record of the host.
--- takes: answers answers_before checked first from hk large_listings listings
--- takes: n_listed n_unknown next_check numbers raw stopped stopped_before to
--- takes: troubled troubled_before uncovered uncovered_before unmoved
--- sets: answers asks details large_listings length length_before numbers rest
--- sets: size_before to
numbers = cmsgpack.pack(checked, first, n_listed, n_unknown, next_check)
local details = listings[1] and cmsgpack.pack(listings) or '\144'
-- The first trouble makes the record a field longer, and so do that no list
-- applies to the host, and the answers of its lists.
local length_before = answers_before and HOST.answers
    or stopped_before and HOST.stopped
    or uncovered_before and HOST.uncovered
    or troubled_before and HOST.troubled or HOST.details
local asks = ARG.asks or ''
--- include: answers
if unmoved then
    answers = answers_before or ''
end
local length = math.max(length_before, answers ~= '' and HOST.answers
    or uncovered and HOST.uncovered or troubled[1] and HOST.troubled
    or HOST.details)
local rest = (length > HOST.details and cmsgpack.pack(troubled) or '')
    .. (length >= HOST.uncovered and (uncovered and '\1' or '\0') or '')
    .. (length >= HOST.stopped and cmsgpack.pack(stopped) or '')
    .. (length >= HOST.answers and cmsgpack.pack(answers) or '')
length = length > length_before and length
large_listings = #details > 4096 and details
local size_before = #raw
if large_listings and to == size_before and not length then
    -- What may be large is not joined.
    local size, at = #numbers + #details + #rest, from + #numbers
    if size == to - from then
        call('SETRANGE', hk, from, numbers)
    else
        call('SET', hk, raw:sub(1, from) .. numbers)
    end
    call('SETRANGE', hk, at, details)
    if rest ~= '' then
        call('SETRANGE', hk, at + #details, rest)
    end
    to = from + size
else
    local fields = numbers .. details .. rest
    --- include: host_patch
    to = #raw
end
if to > 4096 and to ~= size_before then
    --- include: large
    large('hosts', to)
end
