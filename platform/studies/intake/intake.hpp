// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/model/model_image.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// The component to which the model is written, and options.
struct IntakeRequest {
    std::string component;
    std::optional<std::string> system; ///< a file; default: systems/<component>.yaml
    std::vector<std::string>
        overrides; ///< overrides of the scenario with that system, such as "system.a.b=c"
    std::optional<std::filesystem::path> pages; ///< file for the bytes that are written into the
                                                ///< component
};

/// Returns a model image without weights for a shape, which is a file or a name in
/// scenarios/models. Throws config::Error.
[[nodiscard]] ModelImage model_of_shape(const std::string& shape);

/// Describes the cost of writing a model's layer matrices into a component. If `overrides` name
/// price lists, it includes the energy. Throws config::Error for a system without the component or
/// for a model that does not fit, and std::runtime_error for a file that cannot be written.
[[nodiscard]] std::string take_in(const ModelImage& model, const IntakeRequest& request);

} // namespace levee
