-- Steps of a script that changes an application: its record `app`.
--- include: app
--- takes: ac
--- sets: app named
local app = owns('apps', ARG.app) and load(key('s', ac, ARG.app))
if not app then
    return {'APP'}
end
named = app[APP.name]
