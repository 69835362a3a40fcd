// SPDX-License-Identifier: Apache-2.0
// Headers for sources of SystemC modules.
#pragma once

#include "cmake/precompiled/host.hpp"

#include <systemc>
#include <tlm>
