// Lines that use the API with a token, ready to be pasted.

export function snippets(origin, account, token) {
    const curl = (path) => `curl -sm 20 -u ${account}:${token} `
        + `${origin}/3.0/${path}`;

    return [
        ['curl', curl('listings.json')],
        ['nagios', `#!/bin/sh
# /usr/lib/nagios/plugins/check_blocklists
answer=$(${curl('listings.nagios')}) || answer="UNKNOWN - no answer"
echo "$answer"
case $answer in
    OK*) exit 0 ;;
    WARNING*) exit 1 ;;
    CRITICAL*) exit 2 ;;
    *) exit 3 ;;
esac`],
        ['zabbix', `# /etc/zabbix/zabbix_agent2.d/blocklists.conf
UserParameter=blocklists.listed,${curl('listings.zabbix')}`],
        ['prometheus', `#!/bin/sh
# every five minutes by cron; node_exporter --collector.textfile.directory
cd /var/lib/node_exporter || exit
n=$(${curl('listings.zabbix')}) || n=-1
echo "blocklists_listed $n" >blocklists.tmp
mv blocklists.tmp blocklists.prom`]
    ];
}
