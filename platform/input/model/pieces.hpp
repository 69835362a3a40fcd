// SPDX-License-Identifier: Apache-2.0
// SentencePiece's BPE and unigram models. Their pieces consist of characters. U+2581 stands for a
// blank, and bytes stand for characters without a piece.
#pragma once

#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

/// Types of pieces, with the numbers of sentencepiece_model.proto and of GGUF's
/// tokenizer.ggml.token_type.
enum class PieceType : std::uint32_t {
    normal = 1,
    unknown = 2,
    control = 3,
    user_defined = 4,
    unused = 5,
    byte = 6
};

struct Piece {
    std::string text; ///< text in the file's form
    float score = 0.0F;
    PieceType type = PieceType::normal;
};

struct PieceVocabulary {
    std::vector<Piece> pieces;          ///< by id
    std::uint32_t bos = LEVEE_NO_TOKEN; ///< token at the beginning of every text
    std::uint32_t eos = LEVEE_NO_TOKEN;
    /// Additional tokens for which the encoder searches the text first, as it does for control
    /// pieces and user-defined pieces. If an added token has the id of a piece, it overrides the
    /// piece's type.
    std::vector<AddedToken> added{};
    std::string map{};           ///< map of characters (CharacterMap), which is applied first;
                                 ///< empty: none
    bool removes_blanks = false; ///< removes blanks at the ends of a text, and all but one of
                                 ///< several in a row
    bool blank_first = true;     ///< adds a blank before each text ("add_dummy_prefix")
    bool unigram = false;        ///< segments the text with the best total score; otherwise merges
                                 ///< pieces
};

/// Makes a tokenizer of pieces. Two neighbours are merged if their texts together are a piece. The
/// pair with the best score is merged first; among equals, the leftmost. A unigram model instead
/// chooses the pieces with the best total score. The encoder first searches for control pieces and
/// user-defined pieces. Throws ModelError ("<source>: ...") for a byte piece that names no byte,
/// and for two pieces of one byte.
Tokenizer piece_tokenizer(const PieceVocabulary& vocabulary, const std::string& source);

inline constexpr std::string_view blank_symbol = "\xE2\x96\x81"; ///< U+2581

/// Returns the byte of a piece such as "<0x0A>"; nothing for any other text.
std::optional<char> byte_of_piece(std::string_view text);
/// Replaces each U+2581, which represents a blank, by a blank.
std::string with_blanks(std::string text);
/// Replaces blanks by U+2581.
std::string with_symbols(const std::string& text);

} // namespace levee
