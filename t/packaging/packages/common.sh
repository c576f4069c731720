# Functions for the other files of this directory.
. /root/packages/tap.sh
keep='-o Dpkg::Options::=--force-confold'

# The other site of this nginx, and the API of the service.
shop() { curl -s http://127.0.0.1:8090/ | grep -q 'the shop'; }
api()
{
    curl -s --netrc-file /etc/rbl-checkd/api.netrc \
        http://127.0.0.1:8080/3.0/hosts.json | grep -q '"host":"192.0.2.10"'
}

# set_up: rblctl setup brings the API.  This machine has no DNS, so the exit
# status is 1 if the daemon has noticed.
set_up()
{
    rblctl setup >/tmp/setup.out 2>&1 </dev/null || :
    told '/3\.0/ answers, and takes the token'
}

# apt COMMAND...: what it printed is in /tmp/apt.out
apt()
{
    apt-get -q -y $keep "$@" >/tmp/apt.out 2>&1 </dev/null \
        || { cat /tmp/apt.out; return 1; }
}
said() { grep -E -- "$1" /tmp/apt.out || { cat /tmp/apt.out; return 1; }; }
runs() { systemctl is-active "$1"; }
