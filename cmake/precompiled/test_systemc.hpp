// SPDX-License-Identifier: Apache-2.0
// Headers for tests of SystemC modules.
#pragma once

#include "cmake/precompiled/systemc.hpp"

#include <catch2/catch.hpp>
