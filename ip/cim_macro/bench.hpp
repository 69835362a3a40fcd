// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/cim_macro/pins.hpp"

#include <memory>

namespace levee::cosim {

/// Any design behind the macro's pins. `options.seed` is also the stimulus's.
[[nodiscard]] std::unique_ptr<Bench> make_cim_macro_bench(cim_macro::MakePins make,
                                                          const RtlPinsOptions& options);

} // namespace levee::cosim
