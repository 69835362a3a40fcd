// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/model/model_image.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// The destination of a model.
struct IntakeRequest {
    std::string component;             ///< a component of the system
    std::optional<std::string> system; ///< a file; default: systems/<component>.yaml
    std::vector<std::string>
        overrides; ///< overrides of the scenario of that system: "system.a.b=c"
    std::optional<std::filesystem::path> pages; ///< Receives the bytes that are written into the
                                                ///< component.
};

/// The head of a model image for a shape, which is a file or a name in scenarios/models. Throws
/// config::Error.
[[nodiscard]] ModelImage model_of_shape(const std::string& shape);

/// Describes the cost of writing a model's layer matrices into a component, with energy if
/// `overrides` name price lists. Throws config::Error for a system without the component or a model
/// that does not fit, std::runtime_error for a file that cannot be written.
[[nodiscard]] std::string take_in(const ModelImage& model, const IntakeRequest& request);

} // namespace levee
