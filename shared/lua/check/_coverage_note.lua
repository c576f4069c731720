-- Steps: notes which lists of the class at `place` answered a check, `asks`
-- (check_finish.lua).  coverage: the packed record (_coverage.lua); noted: the
-- time and the marks of the account (_checked.lua); both change.
--- takes: ac asks base coverage interval mark noted now place
--- sets: coverage noted s
local s = math.floor(now / 1000)
if #asks == 16 then
    call('SETRANGE', base .. 'coverage:' .. ac, place - 13,
        struct.pack('>I4I4I4', s + math.max(1, math.floor(interval / 8)), s, s))
    coverage, noted = nil, noted .. mark
else
    local old = struct.unpack('>I4', coverage, place - 12)
    if old <= s or old > s + interval then
        --- include: coverage
        local since = math.floor((tonumber(noted:sub(1, 13)) or 0) / 1000)
        local done, is = pcall(coverage_some, coverage, place, asks, s,
            interval, since)
        if not done then
            call('DEL', key('coverage', ac))
            noted = noted:sub(1, 13)
        elseif #noted < 1024 then
            noted = noted .. mark
        end
        coverage = done and is
    end
end
