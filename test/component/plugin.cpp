// SPDX-License-Identifier: Apache-2.0
// Makes the tally's object files a plug-in.
#include "platform/machine/component/plugin.hpp"

LEVEE_PLUGIN;
