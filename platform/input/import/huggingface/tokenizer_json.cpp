// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/tokenizer_json.hpp"

#include "platform/input/import/huggingface/text_pipeline.hpp"
#include "platform/input/model/byte_level.hpp"
#include "platform/input/model/file.hpp"
#include "platform/input/model/pieces.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace levee::hf {

namespace {

using Pair = std::pair<std::string, std::string>;

/// A vocabulary that is searched by text and by id.
class Vocabulary {
public:
    Vocabulary(const JsonView& entries, std::uint32_t vocab) : Vocabulary(entries.source(), vocab)
    {
        for (const auto& [key, id] : entries.entries()) {
            put(key, id.count(), id.place());
            merged_.emplace(key, id.count());
        }
    }

    /// Makes a vocabulary from pieces in the order of their ids. Each piece has a score.
    static Vocabulary of_pieces(const JsonView& pieces, std::uint32_t vocab)
    {
        Vocabulary vocabulary(pieces.source(), vocab);
        std::uint32_t id = 0;
        for (const JsonView& piece : pieces.items()) {
            const std::vector<JsonView> both = piece.items();
            if (both.size() != 2)
                piece.fail("a piece and its score");
            const std::string key = both[0].text();
            if (const auto known = vocabulary.ids_.find(key); known != vocabulary.ids_.end())
                piece.fail("a piece that differs from piece " + std::to_string(known->second) +
                           " of this list");
            vocabulary.put(key, id, piece.place());
            vocabulary.scores_[id++] = static_cast<float>(both[1].real());
        }
        return vocabulary;
    }

    /// Adds a token. If the vocabulary already has it, its id must be the same.
    void add(const std::string& key, std::uint32_t id, const std::string& place)
    {
        if (const auto known = ids_.find(key); known != ids_.end()) {
            if (known->second != id)
                throw ModelError(place + ": " + std::to_string(id) + " for '" + key +
                                 "', expected " + std::to_string(known->second) +
                                 ", its id elsewhere in the file");
            return;
        }
        put(key, id, place);
    }

    [[nodiscard]] std::optional<std::uint32_t> find(const std::string& key) const
    {
        const auto found = ids_.find(key);
        return found == ids_.end() ? std::nullopt : std::optional(found->second);
    }

    [[nodiscard]] std::uint32_t of_merge(const std::string& key, const std::string& place) const
    {
        const auto found = merged_.find(key);
        if (found == merged_.end())
            throw ModelError(place + ": '" + key + "' is not a token, expected one of model.vocab");
        return found->second;
    }

    [[nodiscard]] std::uint32_t at(const std::string& key, const std::string& what) const
    {
        const auto id = find(key);
        if (!id)
            throw ModelError(source_ + ": " + what + ": '" + key +
                             "', which is not one of its tokens");
        return *id;
    }

    [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }
    [[nodiscard]] float score(std::uint32_t id) const { return scores_[id]; }

private:
    Vocabulary(std::string source, std::uint32_t vocab)
        : source_(std::move(source)), keys_(vocab), scores_(vocab)
    {
    }

    void put(const std::string& key, std::uint32_t id, const std::string& place)
    {
        if (id >= keys_.size())
            throw ModelError(place + ": " + std::to_string(id) + ", expected a token below " +
                             std::to_string(keys_.size()) + ", the model's vocab_size");
        if (key.empty() || !keys_[id].empty())
            throw ModelError(
                place + ": " + std::to_string(id) + " for '" + key + "', expected " +
                (key.empty() ? "a token that is not empty" : "an id that no other token has"));
        keys_[id] = key;
        ids_.emplace(key, id);
    }

    std::string source_;
    std::vector<std::string> keys_;
    std::vector<float> scores_; // scores of a unigram model; otherwise 0
    std::unordered_map<std::string, std::uint32_t> ids_, merged_;
};

/// Reads the tokens of a list, and adds those that the vocabulary lacks.
std::vector<AddedToken> add_listed(const std::vector<ListedToken>& listed, Vocabulary& vocabulary)
{
    std::vector<AddedToken> added;
    for (const ListedToken& token : listed) {
        vocabulary.add(token.token.text, token.token.id, token.place);
        added.push_back(token.token);
    }
    return added;
}

Pair merge_pair(const JsonView& merge)
{
    if (merge.json().is_array()) {
        const std::vector<JsonView> both = merge.items();
        if (both.size() != 2)
            merge.fail("two tokens");
        return {both[0].text(), both[1].text()};
    }
    const std::string text = merge.text();
    const std::size_t blank = text.find(' ');
    if (blank == std::string::npos || text.find(' ', blank + 1) != std::string::npos)
        merge.fail("two tokens separated by a blank");
    return {text.substr(0, blank), text.substr(blank + 1)};
}

/// Merges in the order of their ranks: as texts and, for tokenizer.json, also as ids.
struct Merges {
    std::string place;
    std::vector<Pair> pairs{};
    std::vector<levee_token_merge> ids{};
};

Merges read_merges(const JsonView& list, const Vocabulary& vocabulary)
{
    Merges merges{list.place()};
    for (const JsonView& item : list.items()) {
        const auto& [left, right] = merges.pairs.emplace_back(merge_pair(item));
        merges.ids.push_back({vocabulary.of_merge(left, item.place()),
                              vocabulary.of_merge(right, item.place()),
                              vocabulary.of_merge(left + right, item.place())});
    }
    return merges;
}

constexpr std::string_view unigram_type = "Unigram";

/// Returns the type of a model. Files of older versions of the tokenizers library do not state it.
/// In these, only a unigram vocabulary is a list.
std::string type_of(const JsonView& model)
{
    const auto vocab = model.find("vocab");
    const bool is_list = vocab && vocab->json().is_array();
    return model.text("type", is_list ? std::string(unigram_type) : "BPE");
}

void check_model(const JsonView& model)
{
    const std::string type = type_of(model);
    if (type != "BPE" && type != unigram_type)
        model.at("type").fail("BPE or Unigram: no other kind of tokenizer is supported");
    if (model.real("dropout", 0.0) != 0.0)
        model.at("dropout").fail("none");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (!model.text(key, "").empty())
            model.at(key).fail("none: it is not supported");
}

/// Returns the piece for unknown text in a unigram model.
std::uint32_t unknown_of(const JsonView& model, const JsonView& pieces)
{
    const auto id = model.find("unk_id");
    if (id && id->count() >= pieces.items().size())
        id->fail("one of the " + std::to_string(pieces.items().size()) + " pieces of model.vocab");
    return id ? id->count() : LEVEE_NO_TOKEN;
}

/// Makes a tokenizer of pieces with ranks or scores. The vocabulary is one of SentencePiece that
/// was converted to tokenizer.json.
Tokenizer made_of_pieces(const JsonView& model, const Vocabulary& vocabulary,
                         const TextPipeline& pipeline, TokenizerRules rules,
                         std::pair<std::uint32_t, std::uint32_t> ends)
{
    if (pipeline.blank_symbols)
        rules.flags |= LEVEE_TOKENIZER_BLANK_SYMBOLS;
    if (pipeline.blank_first)
        rules.flags |= LEVEE_TOKENIZER_BLANK_FIRST;
    std::vector<Token> tokens;
    const bool has_bytes = model.flag("byte_fallback", false);
    for (const std::string& key : vocabulary.keys()) {
        const auto id = static_cast<std::uint32_t>(tokens.size());
        tokens.push_back({vocabulary.score(id), pipeline.blank_symbols ? with_blanks(key) : key});
        const auto byte = has_bytes ? byte_of_piece(key) : std::nullopt;
        if (!byte)
            continue;
        rules.byte_tokens.resize(256, LEVEE_NO_TOKEN);
        rules.byte_tokens[static_cast<unsigned char>(*byte)] = id;
        tokens.back().text = std::string(1, *byte);
    }
    for (const AddedToken& token : rules.added)
        tokens[token.id].text = (token.flags & LEVEE_ADDED_SPECIAL) != 0 ? "" : token.text;
    if (ends.first < tokens.size())
        tokens[ends.first].text.clear();
    return {ends.first, ends.second, std::move(tokens), rules, model.source()};
}

/// Returns the token at the beginning of every text: the one that the post-processor adds, or else
/// the one in tokenizer_config.json.
std::uint32_t bos_of(const TextPipeline& pipeline, const Vocabulary& vocabulary,
                     const TokenizerSettings& settings)
{
    const bool is_said = settings.add_bos.has_value();
    const bool adds = is_said && settings.add_bos->flag();
    if (pipeline.bos) {
        const std::string reason =
            ", because a post_processor already puts '" + *pipeline.bos +
            "' before a text: versions of transformers differ in which of the two they read";
        if (is_said && !adds)
            settings.add_bos->fail("true or no such key" + reason);
        if (adds && settings.bos_token.value_or(*pipeline.bos) != *pipeline.bos)
            settings.add_bos->fail("no such key, or bos_token '" + *pipeline.bos + "'" + reason);
        return vocabulary.at(*pipeline.bos, "post_processor");
    }
    if (!adds)
        return LEVEE_NO_TOKEN;
    if (!settings.bos_token)
        settings.add_bos->fail("a bos_token as well, or false");
    return vocabulary.at(*settings.bos_token, "bos_token");
}

std::uint32_t eos_of(const Vocabulary& vocabulary, const TokenizerSettings& settings)
{
    if (settings.eos)
        return *settings.eos;
    return settings.eos_token ? vocabulary.at(*settings.eos_token, "eos_token") : LEVEE_NO_TOKEN;
}

Tokenizer byte_tokens(const Vocabulary& vocabulary, const TokenizerRules& rules,
                      const Merges& merges, std::pair<std::uint32_t, std::uint32_t> ends,
                      const std::string& source)
{
    ByteLevelVocabulary bytes;
    bytes.keys = vocabulary.keys();
    for (const auto& [left, right] : merges.pairs)
        bytes.merges.push_back(left + " " + right);
    bytes.merges_place = merges.place;
    bytes.added = rules.added;
    bytes.text = {rules.normalizers, rules.splits};
    bytes.bos = ends.first;
    bytes.eos = ends.second;
    bytes.unknown = rules.unknown;
    bytes.whole_pieces = (rules.flags & LEVEE_TOKENIZER_WHOLE_PIECES) != 0;
    return byte_level_tokenizer(bytes, source);
}

Merges read_merges_file(const std::filesystem::path& path)
{
    const std::vector<std::uint8_t> bytes = read_file(path);
    const std::string text(bytes.begin(), bytes.end());
    Merges merges{path.string() + ": merges"};
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        at = end + 1;
        if (line.ends_with('\r'))
            line.pop_back();
        if (++number == 1 && line.starts_with("#version"))
            continue;
        if (line.empty())
            continue;
        const std::size_t blank = line.find(' ');
        if (blank == 0 || blank == std::string::npos || blank + 1 == line.size() ||
            line.find(' ', blank + 1) != std::string::npos)
            throw ModelError(path.string() + ":" + std::to_string(number) + ": '" + line +
                             "', expected two tokens separated by a blank");
        merges.pairs.emplace_back(line.substr(0, blank), line.substr(blank + 1));
    }
    return merges;
}

/// Adds the named tokens, unless the list has them.
void add_named(const TokenizerSettings& settings, const Vocabulary& vocabulary,
               std::vector<AddedToken>& added)
{
    for (const auto& token : {settings.bos_token, settings.eos_token, settings.unknown_token}) {
        const auto id = token ? vocabulary.find(*token) : std::nullopt;
        const auto is_it = [&](const AddedToken& known) { return known.text == *token; };
        if (id && std::none_of(added.begin(), added.end(), is_it))
            added.push_back({*id, *token, LEVEE_ADDED_SPECIAL});
    }
}

/// Returns the text rules of a tokenizer class in transformers that reads vocab.json and
/// merges.txt.
TextRules rules_of_class(const std::string& name, const std::filesystem::path& vocabulary)
{
    if (name == "GPT2Tokenizer" || name == "GPT2TokenizerFast")
        return byte_level_text("gpt2").value();
    if (name == "Qwen2Tokenizer" || name == "Qwen2TokenizerFast")
        return byte_level_text("qwen2").value();
    throw ModelError(vocabulary.string() + ": tokenizer_config.json says tokenizer_class '" + name +
                     "', expected GPT2Tokenizer or Qwen2Tokenizer, or a tokenizer.json");
}

} // namespace

Tokenizer read_tokenizer_json(const std::filesystem::path& file, const TokenizerSettings& settings)
{
    const JsonFile json(file);
    const JsonView all = json.view();
    const JsonView model = all.at("model");
    check_model(model);
    const bool unigram = type_of(model) == unigram_type;
    const TextPipeline pipeline = read_pipeline(all);
    if (unigram && pipeline.byte_level)
        throw ModelError(model.place() +
                         ": a unigram vocabulary; expected BPE with a ByteLevel pre_tokenizer");
    const JsonView entries = model.at("vocab");
    Vocabulary vocabulary = unigram ? Vocabulary::of_pieces(entries, settings.vocab)
                                    : Vocabulary(entries, settings.vocab);
    TokenizerRules rules;
    if (const auto added = all.find("added_tokens"))
        rules.added = add_listed(within_vocabulary(tokens_of_list(*added), settings), vocabulary);
    rules.normalizers = pipeline.text.normalizers;
    rules.splits = pipeline.text.splits;
    if (const auto unknown = model.find("unk_token"); unknown && !unknown->text().empty())
        rules.unknown = vocabulary.at(unknown->text(), "model.unk_token");
    if (model.flag("ignore_merges", false))
        rules.flags |= LEVEE_TOKENIZER_WHOLE_PIECES;
    if (model.flag("fuse_unk", false))
        rules.flags |= LEVEE_TOKENIZER_FUSE_UNKNOWN;
    const std::pair ends(bos_of(pipeline, vocabulary, settings), eos_of(vocabulary, settings));
    if (unigram) {
        rules.flags |= LEVEE_TOKENIZER_UNIGRAM | LEVEE_TOKENIZER_FUSE_UNKNOWN;
        rules.unknown = unknown_of(model, entries);
        return made_of_pieces(model, vocabulary, pipeline, std::move(rules), ends);
    }
    Merges merges = read_merges(model.at("merges"), vocabulary);
    if (pipeline.byte_level)
        return byte_tokens(vocabulary, rules, merges, ends, file.string());
    rules.merges = std::move(merges.ids);
    return made_of_pieces(model, vocabulary, pipeline, std::move(rules), ends);
}

Tokenizer read_vocabulary_and_merges(const std::filesystem::path& vocabulary_file,
                                     const std::filesystem::path& merges,
                                     const TokenizerSettings& settings)
{
    const JsonFile json(vocabulary_file);
    Vocabulary vocabulary(json.view(), settings.vocab);
    TokenizerRules rules;
    const TextRules text = rules_of_class(settings.tokenizer_class, vocabulary_file);
    rules.normalizers = text.normalizers;
    if (settings.add_prefix_space)
        rules.splits.push_back({LEVEE_STEP_PREFIX, " "});
    rules.splits.insert(rules.splits.end(), text.splits.begin(), text.splits.end());
    rules.added = add_listed(settings.added, vocabulary);
    add_named(settings, vocabulary, rules.added);
    const std::pair ends(bos_of({}, vocabulary, settings), eos_of(vocabulary, settings));
    return byte_tokens(vocabulary, rules, read_merges_file(merges), ends, vocabulary_file.string());
}

} // namespace levee::hf
