// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee::hf {

/// Throws ModelError for keys of a config.json that change a model's computation in a way that no
/// run supports. Keys with a neutral value, and the keys in `read`, are accepted.
void refuse_other_arithmetic(const JsonView& config, const std::vector<std::string_view>& read);

/// Throws ModelError for a key that is neither read, nor checked by refuse_other_arithmetic(), nor
/// known to change nothing, nor in `ignored`. Returns a sentence that names the ignored keys, if
/// there are any.
[[nodiscard]] std::optional<std::string>
refuse_unknown_keys(const JsonView& config, const std::vector<std::string_view>& read,
                    const std::vector<std::string>& ignored);

/// Does the same as refuse_unknown_keys() for keys outside of text_config, in a config.json of a
/// model for texts and images. Keys of the part for images are known. A key of the model for texts
/// must not contradict the same key in text_config. Removes the keys that it ignores from
/// `ignored`.
[[nodiscard]] std::optional<std::string>
refuse_unknown_outer_keys(const JsonView& whole, const JsonView& text,
                          std::vector<std::string>& ignored);

/// Returns the sentence that names ignored keys.
[[nodiscard]] std::string note_on_ignored(const std::string& names);

} // namespace levee::hf
