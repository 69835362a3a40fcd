// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/veda/pins.hpp"

#include <memory>

namespace levee::cosim {

/// Any design behind the arrays' pins. `options.seed` is also the stimulus's.
[[nodiscard]] std::unique_ptr<Bench> make_veda_bench(veda::MakePins make,
                                                     const RtlPinsOptions& options);

} // namespace levee::cosim
