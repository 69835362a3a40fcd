// SPDX-License-Identifier: Apache-2.0
// Compiles the DMA engine's sources as a plug-in, whose names are therefore the same as the
// program's own.
#include "core/component/plugin.hpp"

LEVEE_PLUGIN;
