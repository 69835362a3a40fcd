// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/model/text_steps.hpp"
#include "platform/input/model/tokenizer_rules.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace levee {

/// Added tokens, as a tree over the bytes of their texts. The tree makes searching fast: there may
/// be many tokens, and the encoder searches for them at every byte of a text.
class AddedTokens {
public:
    /// `source` names the tokenizer in messages.
    explicit AddedTokens(const std::string& source) : source_(source) {}

    /// Adds a token, unless there is already one with this text.
    void add(const AddedToken& token);

    /// Returns the longest token that begins the text, among the tokens for which `counts` returns
    /// true. Each inspected byte costs one step of `work`. Throws ModelError if too few steps are
    /// left.
    [[nodiscard]] std::optional<AddedToken>
    longest(std::string_view text, TextWork& work,
            const std::function<bool(const AddedToken&)>& counts) const;

    /// Returns the token whose text is exactly this one.
    [[nodiscard]] std::optional<AddedToken> find(std::string_view text) const;

private:
    static constexpr std::uint32_t root = 0, none = UINT32_MAX;

    static std::uint64_t edge(std::uint32_t node, char byte)
    {
        return std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
    }
    /// Returns the child node for a byte; none if no token continues with this byte.
    [[nodiscard]] std::uint32_t next(std::uint32_t node, char byte) const;

    std::string source_;
    std::vector<AddedToken> tokens_;
    std::vector<std::uint32_t> token_at_{none};           ///< token index of each node, or none
    std::unordered_map<std::uint64_t, std::uint32_t> to_; ///< only for lookups, never iterated over
};

} // namespace levee
