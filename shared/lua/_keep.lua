-- A record is kept for as long as whoever wanted it longest has asked.  `new`:
-- it was made just now.
local function keep_for(k, ttl, new)
    if new then
        call('PEXPIRE', k, ttl)
    else
        call('PEXPIRE', k, ttl, 'GT')
    end
end
