// SPDX-License-Identifier: Apache-2.0
// What tests free of SystemC include.
#pragma once

#include "cmake/precompiled/host.hpp"

#include <catch2/catch.hpp>
