// SPDX-License-Identifier: Apache-2.0
// What sources of SystemC modules include.
#pragma once

#include "cmake/precompiled/host.hpp"

#include <systemc>
#include <tlm>
