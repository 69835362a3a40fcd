// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee::hf {

/// Refuses keys of a config.json that change a model's computation in a way no run supports. Keys
/// with a neutral value, and those in `read`, are accepted. Throws ModelError.
void refuse_other_arithmetic(const JsonView& config, const std::vector<std::string_view>& read);

/// Refuses keys that are neither read, nor refused above, nor known to change nothing, but for
/// those that are to be `ignored`: a sentence names these; nothing if there are none. Throws
/// ModelError.
[[nodiscard]] std::optional<std::string>
refuse_unknown_keys(const JsonView& config, const std::vector<std::string_view>& read,
                    const std::vector<std::string>& ignored);

/// That sentence.
[[nodiscard]] std::string note_on_ignored(const std::string& names);

} // namespace levee::hf
