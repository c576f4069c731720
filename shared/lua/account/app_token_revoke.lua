-- Ends one token of an application.
-- KEYS[1] acct:<AC>
-- ARGV    1 application SID  2 the first digits of the token's field
-- Result  OK, its field, how many are left | APP | TOKEN (none begins so)
--         | MANY (several do)
--- include: app
if not app_of(ARGV[1]) then
    return {'APP'}
end
local own = tokens_of(ARGV[1])
local field
for _, e in ipairs(own) do
    if e[1]:sub(1, #ARGV[2]) == ARGV[2] then
        if field then
            return {'MANY'}
        end
        field = e[1]
    end
end
if not field then
    return {'TOKEN'}
end
token_end(field)
return {'OK', field, #own - 1}
