// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/rsa/output/pins.hpp"

#include <memory>

namespace levee::cosim {

/// Any design behind the output-stationary array's pins. `options.seed` is also the stimulus's.
[[nodiscard]] std::unique_ptr<Bench> make_rsa_output_bench(rsa::output::MakePins make,
                                                           const RtlPinsOptions& options);

} // namespace levee::cosim
