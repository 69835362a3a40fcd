// SPDX-License-Identifier: Apache-2.0
// Headers for tests free of SystemC.
#pragma once

#include "cmake/precompiled/host.hpp"

#include <catch2/catch.hpp>
