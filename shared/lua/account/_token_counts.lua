-- Steps of a script: how many tokens each application has, by its SID.
--- takes: ac
--- sets: all_tokens tokens
local tokens, all_tokens = {}, call('HGETALL', key('tokens', ac))
for i = 2, #all_tokens, 2 do
    tokens[all_tokens[i]] = (tokens[all_tokens[i]] or 0) + 1
end
