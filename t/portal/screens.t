#!/usr/bin/perl

# The portal's screens in a browser, in one theme, language and width; themes.t
# has the others, and the way of the focus.

use strict;
use warnings;

use RblScreens;

screens(['light', 1280]);
