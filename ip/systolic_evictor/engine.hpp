// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/engine.hpp"

namespace levee::systolic_evictor {

// The interface that ip/kv_tables requires of hardware that adds scores and searches.
using kv_tables::Engine;
using kv_tables::Pair;
using kv_tables::Pass;
using kv_tables::Stream;

} // namespace levee::systolic_evictor
