-- Applications of an account and their tokens.  Every token carries the allow
-- list and the limits of its application, so one read is enough.  A token has a
-- key of its own and is read together with the account; `tokens` maps it to its
-- application.
--- include: account_save
local tokens = key('tokens', ac)
-- The tokens of an application: { {field, record}... }
local function tokens_of(sid)
    local all = call('HGETALL', tokens)
    local own = {}
    for i = 1, #all, 2 do
        if all[i + 1] == sid then
            own[#own + 1] = {all[i], load(key('token', ac, all[i]))}
        end
    end
    return own
end
-- The refusal if the account has as many tokens as it may have, or nil.
local most_tokens = 200
local function tokens_full()
    return call('HLEN', tokens) >= most_tokens and {'TOKENS', most_tokens}
end
local function token_new(field, digest, app)
    call('HSET', tokens, field, app[APP.id])
    save(key('token', ac, field), {1, digest, app[APP.id], 'active',
        app[APP.allow], app[APP.limits], now_ms()})
end
local function token_end(field)
    totals_renew()
    call('HDEL', tokens, field)
    call('DEL', key('token', ac, field))
end
-- Saves an application whose allow list or limits have changed, and copies
-- these to its tokens.
local function app_admits(app)
    totals_renew()
    save(key('s', ac, app[APP.id]), app)
    for _, e in ipairs(tokens_of(app[APP.id])) do
        local token = e[2]
        if token then
            token[TOKEN.allow] = app[APP.allow]
            token[TOKEN.limits] = app[APP.limits]
            save(key('token', ac, e[1]), token)
        end
    end
end
