// SPDX-License-Identifier: Apache-2.0
// Makes the tally's object files a plug-in.
#include "core/component/plugin.hpp"

LEVEE_PLUGIN;
