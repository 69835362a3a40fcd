// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/rsa/pins.hpp"

#include <memory>

namespace levee::cosim {

/// Any design behind the array's pins. `options.seed` is also the stimulus's.
[[nodiscard]] std::unique_ptr<Bench> make_rsa_bench(rsa::MakePins make,
                                                    const RtlPinsOptions& options);

} // namespace levee::cosim
