// SPDX-License-Identifier: Apache-2.0
// Headers for tests that read results.
#pragma once

#include "cmake/precompiled/test.hpp"

#include <nlohmann/json.hpp>
