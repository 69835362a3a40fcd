// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/cpq/pins.hpp"

#include <memory>

namespace levee::cosim {

/// Any design behind the pins of the pruning and quantisation units. `options.seed` is also the
/// stimulus's.
[[nodiscard]] std::unique_ptr<Bench> make_cpq_bench(cpq::MakePins make,
                                                    const RtlPinsOptions& options);

} // namespace levee::cosim
