// SPDX-License-Identifier: Apache-2.0
// SentencePiece's BPE and unigram models: pieces of characters, U+2581 for a blank, bytes for what
// has no piece.
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
    std::string text; ///< as the file has it
    float score = 0.0F;
    PieceType type = PieceType::normal;
};

struct PieceVocabulary {
    std::vector<Piece> pieces;          ///< by id
    std::uint32_t bos = LEVEE_NO_TOKEN; ///< what every text begins with
    std::uint32_t eos = LEVEE_NO_TOKEN;
    /// Found in a text before anything else, as control pieces and user's are; one for a piece
    /// counts instead of what its type says.
    std::vector<AddedToken> added{};
    std::string map{};           ///< of characters (CharacterMap), before all else; empty: none
    bool removes_blanks = false; ///< at a text's ends, and of several all but one
    bool blank_first = true;     ///< a blank is put before each text ("add_dummy_prefix")
    bool unigram = false;        ///< pieces are the best segmentation, else what merges make
};

/// Two neighbours that spell a piece become it, the best score first, of equal ones the leftmost;
/// of a unigram model, the pieces with the best sum of scores are taken.
/// Control pieces and user's are found in a text before. Throws ModelError ("<source>: ...") for a
/// byte piece that names no byte or one twice.
Tokenizer piece_tokenizer(const PieceVocabulary& vocabulary, const std::string& source);

inline constexpr std::string_view blank_symbol = "\xE2\x96\x81"; ///< U+2581

/// "<0x0A>" is one byte; anything else is not.
std::optional<char> byte_of_piece(std::string_view text);
/// U+2581 as the blank it stands for.
std::string with_blanks(std::string text);
/// Blanks as the U+2581 that stands for them.
std::string with_symbols(const std::string& text);

} // namespace levee
