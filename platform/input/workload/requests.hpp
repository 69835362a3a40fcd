// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/input/workload/workload.hpp"

namespace levee {

/// Adds the requests and their sequences in the order of arrival; requests that arrive together
/// keep the file's order. Throws config::Error at the faulty line.
void add_requests(const config::WorkloadConfig& config, const ModelImage& model,
                  PreparedWorkload& prepared);

} // namespace levee
