// SPDX-License-Identifier: Apache-2.0
// Makes a plug-in from the DMA engine's own sources: a copy with the same names.
#include "core/component/plugin.hpp"

LEVEE_PLUGIN;
