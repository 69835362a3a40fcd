// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::hf {

/// Optional keys of a config.json. Missing ones are recorded for a report.
class OptionalKeys {
public:
    explicit OptionalKeys(const JsonView& config) : config_(config) {}

    /// Same as in JsonView.
    [[nodiscard]] bool flag(const std::string& key, bool without);
    [[nodiscard]] double real(const std::string& key, double without);
    [[nodiscard]] std::uint32_t count(const std::string& key, std::uint32_t without);

    /// Refuses a key whose value is not in `values`. If it is missing, the first one applies.
    void require(const std::string& key, const std::vector<Json>& values,
                 const std::string& expected);

    /// Records a missing key and its default.
    void without(const std::string& key, const Json& value);

    /// A sentence that names the missing keys; nothing if all were given.
    [[nodiscard]] std::optional<std::string> note() const;

private:
    const JsonView& config_;
    std::string absent_; ///< "head_dim (8), tie_word_embeddings (false)"
};

} // namespace levee::hf
