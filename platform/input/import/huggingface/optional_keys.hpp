// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::hf {

/// Keys of a config.json that need not be there. Those that are not are kept, to be reported.
class OptionalKeys {
public:
    explicit OptionalKeys(const JsonView& config) : config_(config) {}

    /// Same as in JsonView.
    [[nodiscard]] bool flag(const std::string& key, bool without);
    [[nodiscard]] double real(const std::string& key, double without);
    [[nodiscard]] std::uint32_t count(const std::string& key, std::uint32_t without);

    /// Refuses a key that has none of `values`. Without it the first is taken.
    void require(const std::string& key, const std::vector<Json>& values,
                 const std::string& expected);

    /// Records a missing key and its default.
    void without(const std::string& key, const Json& value);

    /// A sentence that names what was not there; nothing if all was.
    [[nodiscard]] std::optional<std::string> note() const;

private:
    const JsonView& config_;
    std::string absent_; ///< "head_dim (8), tie_word_embeddings (false)"
};

} // namespace levee::hf
