#!/usr/bin/perl

# The portal's screens in a browser, in one theme and language; themes.t has the
# others.

use strict;
use warnings;

use RblScreens;

screens('light');
