// SPDX-License-Identifier: Apache-2.0
// What tests of SystemC modules include.
#pragma once

#include "cmake/precompiled/systemc.hpp"

#include <catch2/catch.hpp>
