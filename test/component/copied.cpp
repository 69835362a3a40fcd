// SPDX-License-Identifier: Apache-2.0
// Makes a plug-in of the DMA engine's own sources: a copy that has kept its names.
#include "core/component/plugin.hpp"

LEVEE_PLUGIN;
