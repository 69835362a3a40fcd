// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/sentencepiece.hpp"

#include "platform/input/model/file.hpp"
#include "platform/input/model/pieces.hpp"

#include <bit>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>

namespace levee::hf {

namespace {

using Bytes = std::span<const std::uint8_t>;

/// One field of a message in Protocol Buffers' wire format.
struct WireField {
    std::uint32_t number = 0;
    std::uint64_t value = 0; ///< value of a varint, or of 4 or 8 bytes
    Bytes bytes{};           ///< bytes of a field with a length
};

class WireReader {
public:
    WireReader(Bytes bytes, const std::string& source) : bytes_(bytes), source_(source) {}

    bool next(WireField& field)
    {
        if (at_ == bytes_.size())
            return false;
        const std::uint64_t key = varint();
        field = {static_cast<std::uint32_t>(key >> 3)};
        switch (key & 7U) {
        case 0:
            field.value = varint();
            return true;
        case 1:
            field.value = fixed(8);
            return true;
        case 2:
            field.bytes = take(varint());
            return true;
        case 5:
            field.value = fixed(4);
            return true;
        default:
            fail("a field of wire type " + std::to_string(key & 7U));
        }
    }

private:
    [[noreturn]] void fail(const std::string& what) const
    {
        throw ModelError(source_ + ": " + what + " before byte " + std::to_string(at_) +
                         ", expected a SentencePiece model (is the file whole?)");
    }

    std::uint64_t varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t byte = take(1)[0];
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80)
                return value;
        }
        fail("a number without an end");
    }

    std::uint64_t fixed(std::size_t count)
    {
        std::uint64_t value = 0;
        const Bytes raw = take(count);
        for (std::size_t i = 0; i < count; ++i)
            value |= std::uint64_t{raw[i]} << 8 * i;
        return value;
    }

    Bytes take(std::uint64_t count)
    {
        if (count > bytes_.size() - at_)
            fail("the data end " + std::to_string(count - (bytes_.size() - at_)) +
                 " bytes too early");
        const Bytes taken = bytes_.subspan(at_, count);
        at_ += count;
        return taken;
    }

    Bytes bytes_;
    const std::string& source_;
    std::size_t at_ = 0;
};

void for_each_field(Bytes message, const std::string& source,
                    const std::function<void(const WireField&)>& use)
{
    WireReader reader(message, source);
    for (WireField field; reader.next(field);)
        use(field);
}

std::string wire_text(const WireField& field)
{
    return {field.bytes.begin(), field.bytes.end()};
}

constexpr std::uint64_t unigram_model = 1, bpe_model = 2; // trainer_spec.model_type

/// Settings that determine how a text is encoded. Field numbers and defaults are from
/// sentencepiece_model.proto.
struct SentenceModel {
    std::vector<Piece> pieces{};
    std::uint64_t model_type = unigram_model;
    std::int32_t bos = 1, eos = 2;
    bool blank_behind = false; // treat_whitespace_as_suffix
    std::string map{};         // precompiled_charsmap
    bool blank_first = true, removes_blanks = true, escapes_blanks = true;
};

Piece read_piece(Bytes message, const std::string& source)
{
    Piece piece;
    for_each_field(message, source, [&](const WireField& field) {
        if (field.number == 1)
            piece.text = wire_text(field);
        else if (field.number == 2)
            piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
        else if (field.number == 3)
            piece.type = static_cast<PieceType>(field.value);
    });
    return piece;
}

void read_trainer(Bytes message, const std::string& source, SentenceModel& model)
{
    for_each_field(message, source, [&](const WireField& field) {
        if (field.number == 3)
            model.model_type = field.value;
        else if (field.number == 24)
            model.blank_behind = field.value != 0;
        else if (field.number == 41)
            model.bos = static_cast<std::int32_t>(field.value);
        else if (field.number == 42)
            model.eos = static_cast<std::int32_t>(field.value);
    });
}

void read_normalizer_spec(Bytes message, const std::string& source, SentenceModel& model)
{
    for_each_field(message, source, [&](const WireField& field) {
        if (field.number == 2)
            model.map = wire_text(field);
        else if (field.number == 3)
            model.blank_first = field.value != 0;
        else if (field.number == 4)
            model.removes_blanks = field.value != 0;
        else if (field.number == 5)
            model.escapes_blanks = field.value != 0;
    });
}

SentenceModel read_model(Bytes message, const std::string& source)
{
    SentenceModel model;
    for_each_field(message, source, [&](const WireField& field) {
        if (field.number == 1)
            model.pieces.push_back(read_piece(field.bytes, source));
        else if (field.number == 2)
            read_trainer(field.bytes, source, model);
        else if (field.number == 3)
            read_normalizer_spec(field.bytes, source, model);
    });
    return model;
}

void check_model(const SentenceModel& model, const std::string& source)
{
    const auto refuse = [&](const std::string& what) { throw ModelError(source + ": " + what); };
    static const char* const types[] = {"0", "unigram", "BPE", "word", "char"};
    if (model.model_type != bpe_model && model.model_type != unigram_model)
        refuse("trainer_spec.model_type: " +
               (model.model_type < std::size(types) ? std::string(types[model.model_type])
                                                    : std::to_string(model.model_type)) +
               ", expected BPE or unigram: no other type is supported");
    if (model.blank_behind)
        refuse("trainer_spec.treat_whitespace_as_suffix: true, expected false");
    if (!model.escapes_blanks)
        refuse("normalizer_spec.escape_whitespaces: false, expected true");
    for (std::size_t id = 0; id < model.pieces.size(); ++id) {
        const auto type = static_cast<std::uint32_t>(model.pieces[id].type);
        if (type < 1 || type > 6)
            refuse("piece " + std::to_string(id) + ": type " + std::to_string(type) +
                   ", expected 1 to 6");
    }
}

using PieceIds = std::unordered_map<std::string, std::uint32_t>;

/// Adds listed tokens to the pieces. A listed token may equal a piece. All ids are below
/// vocab_size. The encoder searches the text for these tokens before normalization, as
/// transformers' tokenizers do with this kind of file.
PieceIds add_listed(const std::vector<ListedToken>& listed, PieceVocabulary& vocabulary)
{
    PieceIds ids;
    for (std::uint32_t id = 0; id < vocabulary.pieces.size(); ++id)
        if (!vocabulary.pieces[id].text.empty())
            ids.emplace(vocabulary.pieces[id].text, id);
    for (const ListedToken& entry : listed) {
        AddedToken token = entry.token;
        if (token.text.empty())
            entry.fail("a token that is not empty");
        const auto [known, is_new] = ids.emplace(token.text, token.id);
        if (known->second != token.id)
            entry.fail(std::to_string(known->second) + ", the token's id in tokenizer.model");
        Piece& piece = vocabulary.pieces[token.id];
        if (is_new && !piece.text.empty())
            entry.fail("an id that no piece has");
        if (is_new)
            piece = {token.text, 0.0F, PieceType::user_defined};
        token.flags &= ~std::uint32_t{LEVEE_ADDED_NORMALIZED};
        vocabulary.added.push_back(token);
    }
    return ids;
}

/// A token that begins or ends a text.
struct End {
    std::string name;                 ///< such as "bos"
    std::optional<std::string> token; ///< token in tokenizer_config.json
    std::int32_t id;                  ///< id in tokenizer.model
};

std::uint32_t id_of(const End& end, const PieceIds& ids, std::size_t pieces,
                    const std::string& source)
{
    if (end.token) {
        const auto found = ids.find(*end.token);
        if (found == ids.end())
            throw ModelError(source + ": " + end.name + "_token: '" + *end.token +
                             "', which is not one of its tokens");
        return found->second;
    }
    if (end.id >= 0 && static_cast<std::size_t>(end.id) >= pieces)
        throw ModelError(source + ": trainer_spec." + end.name + "_id: " + std::to_string(end.id) +
                         ", expected one of its " + std::to_string(pieces) +
                         " pieces, or -1 for none");
    return end.id < 0 ? LEVEE_NO_TOKEN : static_cast<std::uint32_t>(end.id);
}

} // namespace

Tokenizer read_sentencepiece(const std::filesystem::path& file, const TokenizerSettings& settings)
{
    const std::string source = file.string();
    const std::vector<std::uint8_t> bytes = read_file(file);
    SentenceModel model = read_model(bytes, source);
    check_model(model, source);
    const std::size_t count = model.pieces.size();
    if (count == 0 || count > settings.vocab)
        throw ModelError(source + ": " + std::to_string(count) + " pieces, expected 1 to " +
                         std::to_string(settings.vocab) + ", the model's vocab_size");
    PieceVocabulary vocabulary;
    vocabulary.map = std::move(model.map);
    vocabulary.removes_blanks = model.removes_blanks;
    vocabulary.blank_first = model.blank_first;
    vocabulary.unigram = model.model_type == unigram_model;
    vocabulary.pieces = std::move(model.pieces);
    vocabulary.pieces.resize(settings.vocab, Piece{"", 0.0F, PieceType::unused});
    const PieceIds ids = add_listed(settings.added, vocabulary);
    if (!settings.add_bos || settings.add_bos->flag())
        vocabulary.bos = id_of({"bos", settings.bos_token, model.bos}, ids, count, source);
    if (settings.add_bos && settings.add_bos->flag() && vocabulary.bos == LEVEE_NO_TOKEN)
        settings.add_bos->fail("false, or a bos_token: tokenizer.model has no BOS");
    vocabulary.eos = settings.eos
                         ? *settings.eos
                         : id_of({"eos", settings.eos_token, model.eos}, ids, count, source);
    return piece_tokenizer(vocabulary, source);
}

} // namespace levee::hf
