# After a boot the service works without a further command.
. /root/setup/tap.sh
name=rbl.example.net

is 'the API answers after a boot' within sh -c "curl -s -f --netrc-file \
    /etc/rbl-checkd/api.netrc https://$name/3.0/hosts.json | grep 192.0.2.10"
is 'the portal answers after a boot' curl -s -f -o /dev/null \
    https://$name/portal/
is 'the daemon has come back' within rblctl status
plan
