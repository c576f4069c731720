#!/usr/bin/perl

# The portal's screens in a browser, in the themes, languages and widths that
# screens.t leaves out.

use strict;
use warnings;

use RblScreens;

screens(['light', 320, 'keys'], ['light', 1280, 'keys'], ['dark', 320],
    ['dark', 1280]);
