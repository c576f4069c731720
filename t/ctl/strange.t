#!/usr/bin/perl

# rblctl with something other than redis-server, or a faulty one: every command
# ends, takes no reply for success that is none, reports the error in one line,
# and neither crashes nor hangs.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblFakeRedis;
use RblTest;

use constant {
    PATIENT  => '100ms',        # rblctl waits ten times this, for long scripts
    WITHIN   => 30,             # s, after which a command is killed
};

my %sid = map { $_ => $_ . '0123456789abcdef' x 2 } qw(AC AP WH HT);
my @commands = map { [split] } (
    'init', 'upgrade', 'store plan', 'status', 'account add name',
    "account show $sid{AC}", 'account list', "account suspend $sid{AC}",
    "bill plan $sid{AC} Starter --file " . repo_dir() . '/conf/plans.json',
    "bill payments $sid{AC}", "app add $sid{AC} name", "app list $sid{AC}",
    "app stats $sid{AC} $sid{AP}", "token list $sid{AC} $sid{AP}",
    "user add $sid{AC} a\@b.example --role owner",
    'operator add a@b.example', 'operator list',
    "webhook rotate $sid{AC} $sid{WH}", "webhook log $sid{AC} $sid{WH}",
    "webhook dead $sid{AC}", "webhook replay $sid{AC} $sid{WH} --all",
    'lists load ' . repo_dir() . '/conf/lists.json', 'lists show',
    'lists disable a.test', 'lists override a.test --rate 5',
    "host $sid{HT}", "host $sid{AC} 192.0.2.1", 'queue', "audit $sid{AC}",
    'fsck', 'fsck --repair', 'restored');

my $fake = start_fake('good');
my $conf = temp_dir() . '/rblctl.conf';
write_file($conf, "store unix:$fake->{dir}/s\nstore_timeout " . PATIENT . "\n");

sub seen { return scalar(() = fake_seen($fake) =~ /\n/g) }

# Is the exit status one that the replies allow?  init and store plan read the
# meta data and INFO only; status judges a store without meta data; lists show
# leaves out damaged lists, with one line for each.
sub allowed {
    my ($command, $r) = @_;

    return 1 if $r->{status} == 3;
    return $r->{status} == 0 if $command =~ /^(?:init|store plan)$/;
    return $r->{status} == 2 && $r->{out} =~ /\Abroken: /
        if $command eq 'status';
    return $command eq 'lists show' && $r->{status} == 0 && $r->{err} ne '';
}

for my $mode (qw(good loading late_loading readonly masterdown oom noscript
    strange half close close_at_once maxclients garbage huge negative
    nested_huge deep long integer below many short nested bytewise unasked later
    doubled)) {
    fake_mode($fake, $mode);
    my (@away, @died, @slow, @dumb, @lines);
    for my $c (@commands) {
        my $before = seen();
        my $r = run_cmd({ timeout => WITHIN }, build_dir() . '/rblctl',
            '-c', $conf, @$c);
        my $lines = () = $r->{err} =~ /\n/g;
        $lines -= "@$c" =~ /^lists load/
            && $r->{err} =~ /^rblctl: nothing was loaded from /m;
        push @away, "@$c: $r->{err}" if seen() == $before;
        push @slow, "@$c" if $r->{signal} == 9;
        push @died, "@$c: $r->{status} $r->{signal} $r->{err}"
            if $r->{signal} || !allowed("@$c", $r);
        push @lines, "@$c: $r->{err}" if $r->{status} == 3 && $lines != 1;
        push @dumb, "@$c: $r->{err}"
            if $r->{err} =~ /[^\n\x20-\x7e]/ || grep { !/^rblctl: / }
                split /\n/, $r->{err};
    }
    is_deeply(\@away, [], "$mode: every command reaches the store");
    is_deeply(\@died, [], "$mode: every command has the right exit status");
    is_deeply(\@slow, [], "$mode: every command ends in time");
    is_deeply(\@lines, [], "$mode: every failed command prints one line");
    is_deeply(\@dumb, [], "$mode: messages are printable lines of rblctl");
}

fake_mode($fake, 'many');
my $r = rblctl($fake, 'account', 'list');
is($r->{status}, 3, 'account list fails after too many responses');
like($r->{err}, qr/sends more replies than commands/,
    'the message says that there are too many replies');
fake_mode($fake, 'integer');
like(rblctl($fake, 'init')->{err},
    qr/does not reply to HMGET as Redis does/,
    'the message names the command whose reply is wrong');
ok(stop_server($fake), 'the fake server stops without an error');
done_testing();
