// SPDX-License-Identifier: Apache-2.0
// Maps of characters by which SentencePiece's models normalize texts (precompiled_charsmap).
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
    /// Bytes of a precompiled_charsmap: the size of a double array, the array (of darts-clone), and
    /// texts, each up to a zero. Throws ModelError ("<place>: ...") for other bytes.
    CharacterMap(std::string_view bytes, const std::string& place);

    using Use = std::function<void(std::string_view part)>;

    /// Replaces the longest key at each place by its text. Other characters stay, and bytes that
    /// are not UTF-8 become U+FFFD. Passes the result to `use` part by part. Each compared byte
    /// costs one step of `work`; throws ModelError if too few are left.
    void map_longest(std::string_view text, TextWork& work, const Use& use) const;
    /// The same as in tokenizers: a grapheme of fewer than 6 bytes, otherwise each of its
    /// characters, is replaced by the text for the shortest key with which it begins; other bytes
    /// stay.
    void map_graphemes(std::string_view text, TextWork& work, const Use& use) const;

private:
    struct Match {
        std::size_t bytes; ///< Length of the key in bytes.
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
