// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/systolic_evictor/pins.hpp"

#include <memory>

namespace levee::cosim {

/// Any design behind the evictor's pins. `options.seed` is also the stimulus's.
[[nodiscard]] std::unique_ptr<Bench> make_evictor_bench(systolic_evictor::MakePins make,
                                                        const RtlPinsOptions& options);

} // namespace levee::cosim
