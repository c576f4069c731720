#!/usr/bin/perl

# The portal's screens in a browser, in the themes and languages that screens.t
# leaves out.

use strict;
use warnings;

use RblScreens;

screens('dark');
