// SPDX-License-Identifier: Apache-2.0
// SentencePiece's BPE and unigram models: pieces of characters, U+2581 for a blank, bytes for
// characters without a piece.
#pragma once

#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

/// Types of pieces, numbered as sentencepiece_model.proto and GGUF's tokenizer.ggml.token_type do.
enum class PieceType : std::uint32_t {
    normal = 1,
    unknown = 2,
    control = 3,
    user_defined = 4,
    unused = 5,
    byte = 6
};

struct Piece {
    std::string text; ///< Text as stored in the file.
    float score = 0.0F;
    PieceType type = PieceType::normal;
};

struct PieceVocabulary {
    std::vector<Piece> pieces;          ///< by id
    std::uint32_t bos = LEVEE_NO_TOKEN; ///< Token at the beginning of every text.
    std::uint32_t eos = LEVEE_NO_TOKEN;
    /// Tokens found in a text before anything else, like control pieces and the user's. An added
    /// token for a piece overrides the piece's type.
    std::vector<AddedToken> added{};
    std::string map{};           ///< Map of characters (CharacterMap), applied first; empty: none.
    bool removes_blanks = false; ///< Removes blanks at the ends of a text, and all but one of
                                 ///< several.
    bool blank_first = true;     ///< a blank is put before each text ("add_dummy_prefix")
    bool unigram = false;        ///< The text is segmented with the best total score; otherwise
                                 ///< pieces are merged.
};

/// Makes a tokenizer of pieces. Two neighbours that spell a piece are merged, the best score first
/// and the leftmost among equals; a unigram model chooses the pieces with the best total score.
/// Control pieces and the user's are found in a text first. Throws ModelError ("<source>: ...") for
/// a byte piece that names no byte or a duplicate.
Tokenizer piece_tokenizer(const PieceVocabulary& vocabulary, const std::string& source);

inline constexpr std::string_view blank_symbol = "\xE2\x96\x81"; ///< U+2581

/// "<0x0A>" is one byte; anything else is not.
std::optional<char> byte_of_piece(std::string_view text);
/// Replaces U+2581 by the blank for which it stands.
std::string with_blanks(std::string text);
/// Replaces blanks by U+2581.
std::string with_symbols(const std::string& text);

} // namespace levee
