// SPDX-License-Identifier: Apache-2.0
// What tests that read results include.
#pragma once

#include "cmake/precompiled/test.hpp"

#include <nlohmann/json.hpp>
