// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/voting_engine/pins.hpp"

#include <memory>

namespace levee::cosim {

/// Any design behind the voting engine's pins. `options.seed` is also the stimulus's.
[[nodiscard]] std::unique_ptr<Bench> make_voting_bench(voting_engine::MakePins make,
                                                       const RtlPinsOptions& options);

} // namespace levee::cosim
