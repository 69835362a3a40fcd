// SPDX-License-Identifier: Apache-2.0
// Maps of characters by which models of SentencePiece normalize texts (precompiled_charsmap).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

class TextWork;

class CharacterMap {
public:
    /// `bytes` is a precompiled_charsmap: the size of a double array (of darts-clone), the array,
    /// and zero-terminated texts. Throws ModelError ("<place>: ...") for an impossible size of the
    /// array.
    CharacterMap(std::string_view bytes, const std::string& place);

    using Use = std::function<void(std::string_view part)>;

    /// Replaces the longest key that begins at each place by the key's text. Other characters stay,
    /// and bytes that are not UTF-8 become U+FFFD. Passes the result to `use`, part by part. Each
    /// compared byte costs one step of `work`. Throws ModelError if too few steps are left.
    void map_longest(std::string_view text, TextWork& work, const Use& use) const;
    /// Maps in the same way as the tokenizers library. If a grapheme has fewer than 6 bytes, the
    /// shortest key with which it begins replaces the whole grapheme. In longer graphemes, and
    /// without such a key, this rule applies to each character. Other bytes stay.
    void map_graphemes(std::string_view text, TextWork& work, const Use& use) const;

private:
    struct Match {
        std::size_t bytes; ///< length of the key in bytes
        std::uint32_t text;
    };
    enum class Which { shortest, longest };
    [[nodiscard]] std::optional<Match> find(std::string_view text, Which which,
                                            TextWork& work) const;
    [[nodiscard]] std::string_view text_of(const Match& match) const;
    bool use_key(std::string_view text, TextWork& work, const Use& use) const;
    void map_grapheme(std::string_view grapheme, TextWork& work, const Use& use) const;

    std::vector<std::uint32_t> units_;
    std::string texts_, place_;
};

} // namespace levee
