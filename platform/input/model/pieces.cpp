// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/pieces.hpp"

namespace levee {

namespace {

void add_byte_piece(const std::string& text, std::uint32_t id, TokenizerRules& rules, Token& token,
                    const std::string& source)
{
    const auto byte = byte_of_piece(text);
    if (!byte)
        throw ModelError(source + ": piece " + std::to_string(id) + ": '" + text +
                         "' has the type of a byte, expected <0x00> to <0xFF>");
    rules.byte_tokens.resize(256, LEVEE_NO_TOKEN);
    std::uint32_t& of_byte = rules.byte_tokens[static_cast<unsigned char>(*byte)];
    if (of_byte != LEVEE_NO_TOKEN)
        throw ModelError(source + ": piece " + std::to_string(id) + ": '" + text +
                         "' is given twice, expected once");
    of_byte = id;
    token.text = std::string(1, *byte);
}

/// Returns the tokens for which the encoder searches the text first.
std::vector<AddedToken> added_pieces(const PieceVocabulary& vocabulary)
{
    std::vector<AddedToken> added = vocabulary.added;
    std::vector<bool> listed(vocabulary.pieces.size());
    for (const AddedToken& token : added)
        listed.at(token.id) = true;
    for (std::uint32_t id = 0; id < vocabulary.pieces.size(); ++id) {
        const Piece& piece = vocabulary.pieces[id];
        if (listed[id] || piece.text.empty())
            continue;
        if (piece.type == PieceType::control)
            added.push_back({id, piece.text, LEVEE_ADDED_SPECIAL});
        else if (piece.type == PieceType::user_defined)
            added.push_back({id, with_blanks(piece.text), 0});
    }
    return added;
}

} // namespace

std::optional<char> byte_of_piece(std::string_view text)
{
    const std::string_view digits = "0123456789ABCDEF";
    if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>')
        return std::nullopt;
    const std::size_t high = digits.find(text[3]);
    const std::size_t low = digits.find(text[4]);
    if (high == std::string_view::npos || low == std::string_view::npos)
        return std::nullopt;
    return static_cast<char>(high * 16 + low);
}

std::string with_blanks(std::string text)
{
    for (std::size_t at = 0; (at = text.find(blank_symbol, at)) != std::string::npos; ++at)
        text.replace(at, blank_symbol.size(), " ");
    return text;
}

std::string with_symbols(const std::string& text)
{
    std::string result;
    for (const char c : text)
        if (c == ' ')
            result += blank_symbol;
        else
            result += c;
    return result;
}

Tokenizer piece_tokenizer(const PieceVocabulary& vocabulary, const std::string& source)
{
    TokenizerRules rules;
    // SentencePiece makes one token of several unknown characters in a row.
    rules.flags = LEVEE_TOKENIZER_BLANK_SYMBOLS | LEVEE_TOKENIZER_FUSE_UNKNOWN |
                  (vocabulary.unigram ? std::uint32_t{LEVEE_TOKENIZER_UNIGRAM}
                                      : std::uint32_t{LEVEE_TOKENIZER_BY_SCORE});
    if (!vocabulary.map.empty())
        rules.normalizers.push_back({LEVEE_STEP_MAP_LONGEST, vocabulary.map});
    if (vocabulary.removes_blanks)
        rules.normalizers.push_back({LEVEE_STEP_REPLACE_MATCHES, R"(\A +| +\z|(?<= ) +)"});
    if (vocabulary.blank_first) {
        rules.flags |= LEVEE_TOKENIZER_BLANK_FIRST;
        rules.normalizers.push_back({LEVEE_STEP_PREPEND, " "});
    }
    std::vector<Token> tokens;
    for (const Piece& piece : vocabulary.pieces) {
        const auto id = static_cast<std::uint32_t>(tokens.size());
        Token token{piece.score, with_blanks(piece.text)};
        if (piece.type == PieceType::byte)
            add_byte_piece(piece.text, id, rules, token, source);
        else if (piece.type == PieceType::unknown)
            rules.unknown = id;
        if (piece.type == PieceType::control || piece.type == PieceType::unused)
            token.text.clear();
        tokens.push_back(std::move(token));
    }
    rules.added = added_pieces(vocabulary);
    for (const AddedToken& token : vocabulary.added)
        tokens[token.id].text = (token.flags & LEVEE_ADDED_SPECIAL) != 0 ? "" : token.text;
    if (vocabulary.bos < tokens.size())
        tokens[vocabulary.bos].text.clear();
    return {vocabulary.bos, vocabulary.eos, std::move(tokens), rules, source};
}

} // namespace levee
