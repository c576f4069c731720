# Cases of t/lua/cost.t: the operator's commands for system lists.  They have a
# partition of their own, with as many lists as there may be, all texts as long
# as a file may have them, and all that can be said by hand said of each.

use strict;
use warnings;
use RblSeam;
use RblTest;
use RblScript;
use RblWorst;

use constant { LISTS => 200, LISTS_SLICE => 8 };

(my $lists = k('lists')) =~ s/\{\d+\}/{own}/;
my @rb = map { sid('RB') } 1 .. LISTS;
my @dead = map { sid('RB') } 1 .. 1300;

sub long_list {
    my ($i) = @_;
    my $url = sub { my $u = "https://l$i.example/";
        return $u . 'u' x ($_[0] - length $u) };
    return packed([1, $rb[$i], $i % 2 ? 'rbl' : 'uribl',
        join('.', sprintf('l%05d', $i), ('z' x 60) x 4), "\xf0\x9f\x90\x9d" x 255,
        $url->(128), $i % 2 ? 7 : 4, 0, 'active', '',
        [map { "127.0.0.$_=" . text_of(40) } 1 .. 48], $url->(512), $url->(512),
        'neighbourhood', 'domain', 'informational', 'name:' . text_of(200),
        'registered', 0, 0, 0, '', text_of(1000), '',
        [map { [["127.0.0.$_"], 'account', 'backscatter', $url->(100), '', 24,
            24, text_of(80), $url->(60), '2026-11-30'] } 1 .. 8]]);
}

# Loads them as rblctl does.
my @records;
sub full_lists {
    return if @records;
    @records = map { long_list($_) } 0 .. LISTS - 1;
    my @left = @records;
    slice('lists_put', [$lists], records => ['+', splice @left, 0,
        LISTS_SLICE]) while @left;
    slice('lists_put', [$lists]);
    slice('lists_override', [$lists], list => $_, all_by_hand()) for @rb;
}

sub all_by_hand {
    return columns(map { { field => $_->[0], value => packed($_->[1]) } }
        ['names', 'full'], ['min_interval', 60], ['rate', 10],
        ['day_quota', 1e6], ['weight', 'info'], ['control', 'none'],
        ['codes', [map { "127.0.0.$_=" . text_of(40) } 1 .. 48]],
        ['servers', join ' ', ('2001:db8:1111:2222:3333:4444:5555:6666') x 8]);
}

case(lists_put => '8 of 200 lists, with all settings by hand', sub {
    full_lists();
    slice('lists_put', [$lists], records => ['+',
        @records[0 .. LISTS_SLICE - 1]]) });
case(lists_put => 'what is derived from 200', sub { full_lists();
    slice('lists_put', [$lists]) });
case(lists_room => '200 lists, 1,300 killed', sub { full_lists();
    slice('lists_room', [$lists], entries => [@rb, map { "-$_" } @dead]) });
case(lists_room => '200 other lists', sub { full_lists();
    slice('lists_room', [$lists], entries => [map({ "-$_" } @rb),
        @dead[0 .. LISTS - 1]]) });
case(lists_key => '', sub { slice('lists_key', [k('lists')], list => $W{rb}[0],
    secret => 'k') });
case(lists_kill => '', sub { full_lists();
    slice('lists_kill', [$lists], list => $rb[0], reason => 'why');
    slice('lists_kill', [$lists], list => $rb[0]) });
case(lists_override => 'all settings', sub { full_lists();
    slice('lists_override', [$lists], list => $rb[0], all_by_hand()) });
case(lists_status => '', sub { full_lists();
    slice('lists_status', [$lists], list => $rb[0], status => 'active') });

1;
