// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/engine.hpp"

namespace levee::systolic_evictor {

// The interface through which ip/kv_tables uses hardware that adds scores and searches for victims.
using kv_tables::Engine;
using kv_tables::Pair;
using kv_tables::Pass;
using kv_tables::Stream;

} // namespace levee::systolic_evictor
