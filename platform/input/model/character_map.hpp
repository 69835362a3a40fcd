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

    /// The maps take a step of `work` for each byte that is compared, and throw ModelError if too
    /// few are left. Calls `use` with what a text becomes, part by part: at each place the text for
    /// the longest key that begins there, else the character itself, for bytes that are no UTF-8
    /// U+FFFD.
    void map_longest(std::string_view text, TextWork& work, const Use& use) const;
    /// The same as tokenizers does: of a grapheme of fewer than 6 bytes the text for the shortest
    /// key that it begins with, else of its characters, one by one; other bytes stay.
    void map_graphemes(std::string_view text, TextWork& work, const Use& use) const;

private:
    struct Match {
        std::size_t bytes; ///< of the key
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
