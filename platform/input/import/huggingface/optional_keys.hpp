// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::hf {

/// Reads optional keys of a config.json, and records which of them are missing, for a note to the
/// user.
class OptionalKeys {
public:
    explicit OptionalKeys(const JsonView& config) : config_(config) {}

    /// These functions read a key like the functions of the same names in JsonView.
    [[nodiscard]] bool flag(const std::string& key, bool without);
    [[nodiscard]] double real(const std::string& key, double without);
    [[nodiscard]] std::uint32_t count(const std::string& key, std::uint32_t without);

    /// Throws if a key has a value that is not in `values`. A missing key counts as having the
    /// first of them.
    void require(const std::string& key, const std::vector<Json>& values,
                 const std::string& expected);

    /// Records that a key is missing, and its default.
    void without(const std::string& key, const Json& value);

    /// Returns a sentence that names the missing keys, if there are any.
    [[nodiscard]] std::optional<std::string> note() const;

private:
    const JsonView& config_;
    std::string absent_; ///< "head_dim (8), tie_word_embeddings (false)"
};

} // namespace levee::hf
