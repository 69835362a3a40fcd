// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/input/workload/workload.hpp"

namespace levee {

/// Adds the requests and their sequences, by arrival; those that arrive together in the file's
/// order. Throws config::Error at the line at fault.
void add_requests(const config::WorkloadConfig& config, const ModelImage& model,
                  PreparedWorkload& prepared);

} // namespace levee
