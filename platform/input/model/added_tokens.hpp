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

/// Added tokens as a tree of the bytes of their texts: there may be many, and they are searched for
/// at every byte of a text.
class AddedTokens {
public:
    /// `source`: of the tokenizer, for messages.
    explicit AddedTokens(const std::string& source) : source_(source) {}

    /// Adds a token, unless there is one of this text.
    void add(const AddedToken& token);

    /// Longest token at the beginning of a text among those for which `counts` is true. Each
    /// inspected byte costs one step of `work`. Throws ModelError if too few steps are left.
    [[nodiscard]] std::optional<AddedToken>
    longest(std::string_view text, TextWork& work,
            const std::function<bool(const AddedToken&)>& counts) const;

    /// The token of exactly this text.
    [[nodiscard]] std::optional<AddedToken> find(std::string_view text) const;

private:
    static constexpr std::uint32_t root = 0, none = UINT32_MAX;

    static std::uint64_t edge(std::uint32_t node, char byte)
    {
        return std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
    }
    /// Node for a byte; nothing if no token continues with it.
    [[nodiscard]] std::uint32_t next(std::uint32_t node, char byte) const;

    std::string source_;
    std::vector<AddedToken> tokens_;
    std::vector<std::uint32_t> token_at_{none};           ///< Token index of each node, or none.
    std::unordered_map<std::uint64_t, std::uint32_t> to_; ///< only for lookups, never iterated over
};

} // namespace levee
