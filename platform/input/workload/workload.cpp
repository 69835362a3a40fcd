// SPDX-License-Identifier: Apache-2.0
#include "platform/input/workload/workload.hpp"

#include "core/abi/pauses.h"
#include "core/units/wide.hpp"
#include "platform/input/model/recall_stories.hpp"
#include "platform/input/workload/chat.hpp"
#include "platform/input/workload/requests.hpp"
#include "platform/input/workload/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>

namespace levee {

namespace {

using config::Error;
using config::WorkloadConfig;

std::vector<std::uint32_t> encode(const Tokenizer& tokenizer, std::string_view text,
                                  const config::Place& place, const std::string& name = "the text")
{
    try {
        return tokenizer.encode(text, tokenizer.bos() != LEVEE_NO_TOKEN);
    } catch (const ModelError& error) {
        throw Error(place, name + " cannot be encoded: " + error.what());
    }
}

/// Returns a name for one of several texts. If there is only one text, its name has no number.
std::string numbered(const char* kind, std::size_t number, std::size_t all)
{
    return all == 1 ? "the text" : kind + std::to_string(number) + " of " + std::to_string(all);
}

std::vector<EncodedSequence> encode_prompts(const std::vector<std::string>& prompts,
                                            const WorkloadConfig& config, const ModelImage& model)
{
    std::vector<EncodedSequence> sequences;
    for (const std::string& prompt : prompts) {
        EncodedSequence sequence;
        sequence.tokens = encode(model.tokenizer(), prompt, config.text_place,
                                 numbered("prompt ", sequences.size() + 1, prompts.size()));
        sequence.prefill_count = static_cast<std::uint32_t>(sequence.tokens.size());
        sequences.push_back(std::move(sequence));
    }
    return sequences;
}

std::vector<EncodedSequence> take_ids(const WorkloadConfig& config)
{
    std::vector<EncodedSequence> sequences;
    for (const std::vector<std::uint32_t>& ids : config.prompt_ids)
        sequences.push_back({ids, static_cast<std::uint32_t>(ids.size()), 0, {}});
    return sequences;
}

/// Checks that the tokens fit into the cache's slots. The last generated token is not fed back, so
/// it takes no slot.
void check_slots(const config::Place& place, const std::string& name, std::uint64_t tokens,
                 std::uint32_t max_new_tokens, std::uint32_t context)
{
    if (tokens + (max_new_tokens != 0 ? max_new_tokens - 1 : 0) > context)
        throw Error(place, name + " has " + std::to_string(tokens) + " tokens and " +
                               std::to_string(max_new_tokens) +
                               " are to be generated; they must fit into 'workload.context', " +
                               std::to_string(context));
}

void check_vocabulary(std::span<const std::uint32_t> tokens, const std::string& name,
                      const config::Place& place, const ModelImage& model)
{
    const std::uint32_t vocab = model.shape().vocab;
    for (const std::uint32_t id : tokens)
        if (id >= vocab)
            throw Error(place, name + " has the token " + std::to_string(id) +
                                   ", which this model's vocabulary of " + std::to_string(vocab) +
                                   " does not have");
}

void check_prefill(const std::string& name, std::uint32_t count, const config::Place& place)
{
    if (count > most_attended)
        throw Error(place, name + " has " + std::to_string(count) +
                               " tokens to prefill; expected at most " +
                               std::to_string(most_attended) + ", the longest product of an array");
}

/// Maximum number of 32-bit words (256 MiB) for prompts without a text. The record of each sequence
/// is included.
constexpr std::uint64_t most_blank_words = std::uint64_t{1} << 26;

/// Makes prompts of tokens 0, for runs that only measure time.
std::vector<EncodedSequence> make_blank(const WorkloadConfig& config, std::uint32_t context)
{
    check_slots(config.place, "each sequence", config.prompt_tokens, config.max_new_tokens,
                context);
    check_prefill("each sequence",
                  config.prefill_tokens != 0 ? std::min(config.prefill_tokens, config.prompt_tokens)
                                             : config.prompt_tokens,
                  config.text_place);
    const std::uint64_t count = config.sequences != 0 ? config.sequences : config.batch;
    const std::uint64_t words =
        count * (config.prompt_tokens + sizeof(EncodedSequence) / sizeof(std::uint32_t));
    if (words > most_blank_words)
        throw Error(config.text_place, std::to_string(count) + " sequences of " +
                                           std::to_string(config.prompt_tokens) +
                                           " tokens are more than a run holds; expected at most " +
                                           std::to_string(most_blank_words) + " tokens in all");
    const std::vector<std::uint32_t> ids(config.prompt_tokens, 0);
    return std::vector(count, EncodedSequence{ids, config.prompt_tokens, 0, {}});
}

/// Refuses a context of one token. Scoring begins at a sequence's second token, so sequences of one
/// token would never use up a text.
void check_scored_context(const WorkloadConfig& config, std::uint32_t context)
{
    if (context >= 2)
        return;
    throw Error(config.place,
                "'workload.context' is " + std::to_string(context) +
                    (config.context == 0 ? ", the longest of this model" : "") +
                    "; a text is scored from its second token on: expected 2 or more" +
                    (config.context == 0 ? ", with another model" : ""));
}

/// Adds the documents of a text, each after BOS. Tokens that do not fit into the context become
/// another sequence.
void add_text(const WorkloadConfig& config, const ModelImage& model, PreparedWorkload& prepared)
{
    const std::uint32_t context = prepared.context;
    check_scored_context(config, context);
    std::size_t split = 0;
    const bool bos = model.tokenizer().bos() != LEVEE_NO_TOKEN;
    std::uint64_t left = config.max_tokens ? config.max_tokens : UINT64_MAX;
    const std::vector<std::string> documents =
        split_text(read_text(*config.text_file), config.separator);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const std::vector<std::uint32_t> ids =
            encode(model.tokenizer(), documents[i], config.text_place,
                   numbered("document ", i + 1, documents.size()));
        std::size_t parts = 0;
        // The first token of a sequence has no prediction, so it is not scored.
        for (std::size_t begin = 1; begin < ids.size() && left != 0;) {
            const std::uint64_t room = context - 1;
            const std::uint64_t scored =
                std::min({static_cast<std::uint64_t>(ids.size() - begin), room, left});
            EncodedSequence sequence;
            sequence.tokens.push_back(bos ? ids[0] : ids[begin - 1]);
            sequence.tokens.insert(sequence.tokens.end(), ids.begin() + static_cast<long>(begin),
                                   ids.begin() + static_cast<long>(begin + scored));
            prepared.sequences.push_back(std::move(sequence));
            begin += scored;
            left -= scored;
            ++parts;
        }
        prepared.texts += parts > 0 ? 1 : 0;
        split += parts > 1;
    }
    if (split != 0)
        prepared.warnings.push_back(
            std::to_string(split) + " of " + std::to_string(prepared.texts) +
            " documents are longer than the context of " + std::to_string(context) +
            " tokens and were split. Tokens after a split do not attend to those before it, which "
            "can raise the perplexity. Raise 'workload.context' if the model permits it");
}

std::vector<std::uint32_t> tokens_of(const config::Turn& turn, bool is_first,
                                     const ModelImage& model)
{
    if (turn.prompt_tokens != 0)
        return std::vector<std::uint32_t>(turn.prompt_tokens, 0);
    if (!turn.prompt)
        return turn.prompt_ids;
    std::vector<std::uint32_t> tokens = encode(model.tokenizer(), *turn.prompt, turn.place);
    if (!is_first && model.tokenizer().bos() != LEVEE_NO_TOKEN)
        tokens.erase(tokens.begin()); // drops BOS, since only the first turn begins a text
    return tokens;
}

/// Returns the largest number of tokens in a turn, including the end of the previous answer.
std::uint64_t most_tokens(const EncodedTurn& turn)
{
    return turn.tokens.size() + turn.max_new_tokens + (turn.end_token != LEVEE_NO_TOKEN ? 1 : 0);
}

/// The cache must hold everything except the last answer's last token, which is not fed back.
void check_conversation(const PreparedWorkload& prepared, const WorkloadConfig& config)
{
    std::uint64_t tokens = 0, beyond = 0; // beyond: the first turn that does not fit
    for (const EncodedTurn& turn : prepared.turns) {
        tokens += most_tokens(turn);
        const std::uint64_t fed_back = tokens - (turn.max_new_tokens != 0 ? 1 : 0);
        beyond += fed_back <= prepared.context ? 1 : 0;
    }
    if (prepared.turns.back().max_new_tokens != 0)
        --tokens;
    if (tokens > prepared.context)
        throw Error(config.turns[beyond].place,
                    "the turns have " + std::to_string(tokens) +
                        " tokens with their answers; they must fit into 'workload.context', " +
                        std::to_string(prepared.context));
}

/// Encodes a turn's prompt, with the chat template if the turn is a chat. Then also sets
/// `end_of_turn` to the template's token that ends a turn.
EncodedTurn encode_turn(const config::Turn& turn, bool is_first, const WorkloadConfig& config,
                        const ModelImage& model, std::uint32_t& end_of_turn)
{
    if (turn.chat.empty())
        return {tokens_of(turn, is_first, model), turn.max_new_tokens, turn.after_ps};
    EncodedChat chat =
        encode_turn_of_chat(config, turn.chat, is_first, model.tokenizer(), model.chat());
    end_of_turn = chat.end_of_turn;
    return {std::move(chat.tokens), turn.max_new_tokens, turn.after_ps,
            is_first ? LEVEE_NO_TOKEN : end_of_turn};
}

/// Adds the turns of a conversation. Returns the token that ends a turn of the template; none
/// without a template.
std::uint32_t add_turns(const WorkloadConfig& config, const ModelImage& model,
                        PreparedWorkload& prepared)
{
    std::uint32_t end_of_turn = LEVEE_NO_TOKEN;
    for (const config::Turn& turn : config.turns) {
        const bool is_first = prepared.turns.empty();
        prepared.turns.push_back(encode_turn(turn, is_first, config, model, end_of_turn));
        const std::vector<std::uint32_t>& tokens = prepared.turns.back().tokens;
        const std::string name = "turn " + std::to_string(prepared.turns.size() - 1);
        if (tokens.empty())
            throw Error(turn.place, name + " is empty; expected at least one token");
        check_prefill(name, static_cast<std::uint32_t>(tokens.size()), turn.place);
        check_vocabulary(tokens, name, turn.place, model);
    }
    for (const EncodedTurn& turn : prepared.turns)
        prepared.room += most_tokens(turn);
    const std::vector<std::uint32_t>& first = prepared.turns.front().tokens;
    prepared.sequences.push_back({first, static_cast<std::uint32_t>(first.size()), 0, {}});
    prepared.forget_after_ps = config.forget_after_ps;
    if (config.save)
        prepared.save_after_ps = config.save->after_ps;
    check_conversation(prepared, config);
    return end_of_turn;
}

/// Appends a part with a blank in front, unless the part begins with a line end or another blank.
std::string joined(const std::string& text, const std::string& part)
{
    const bool is_separated = std::isspace(static_cast<unsigned char>(part.front())) != 0;
    return text + (is_separated ? "" : " ") + part;
}

/// Encodes one question of a story; each question becomes a sequence of its own. A prefill
/// processes the story, and the question is then fed token by token.
EncodedSequence encode_question(const RecallStory& story, const RecallQuestion& question,
                                const WorkloadConfig& config, const ModelImage& model)
{
    const auto ids = [&](const std::string& text) {
        return encode(model.tokenizer(), text, config.text_place);
    };
    const std::string asked = joined(story.text, question.question);
    EncodedSequence sequence;
    sequence.tokens = ids(joined(asked, question.answer));
    // Returns how many tokens of the sequence are those of its beginning. A last token of the
    // beginning may continue in the sequence as another token.
    const auto within = [&](const std::string& beginning) {
        const std::vector<std::uint32_t> tokens = ids(beginning);
        return static_cast<std::uint32_t>(std::ranges::mismatch(sequence.tokens, tokens).in1 -
                                          sequence.tokens.begin());
    };
    sequence.prefill_count = within(story.text);
    sequence.answer_index = within(asked);
    if (sequence.tokens.size() == sequence.answer_index)
        throw Error(config.text_place,
                    "the answer '" + question.answer +
                        "' encodes to no token; expected a word that this model knows");
    return sequence;
}

void add_stories(const WorkloadConfig& config, const ModelImage& model, PreparedWorkload& prepared)
{
    std::vector<RecallStory> stories = read_recall_stories(*config.stories_file);
    if (config.max_stories != 0 && config.max_stories < stories.size())
        stories.resize(config.max_stories);
    std::map<std::size_t, std::size_t> questions; // number of questions, by their number of
                                                  // candidates
    for (const RecallStory& story : stories)
        for (const RecallQuestion& question : story.questions) {
            prepared.sequences.push_back(encode_question(story, question, config, model));
            ++questions[story.candidates.size()];
        }
    questions.erase(0); // without candidates there is no random guess
    double right = 0;   // expected number of right random guesses
    for (const auto& [candidates, count] : questions)
        right += static_cast<double>(count) / static_cast<double>(candidates);
    prepared.recall_chance = right / static_cast<double>(prepared.sequences.size());
}

/// Returns the model's end tokens other than `stop`. Returns none if the model lists no additional
/// end tokens, or if `stop_token` is neither `eos` nor `end_of_turn`.
std::vector<std::uint32_t> further_stops(const WorkloadConfig& config, const ModelImage& model,
                                         std::uint32_t stop)
{
    const std::span<const std::uint32_t> own = model.stops();
    std::vector<std::uint32_t> stops(own.begin(), own.end());
    if (own.empty() || (config.stop_token != "eos" && config.stop_token != "end_of_turn"))
        return {};
    stops.insert(stops.begin(), model.tokenizer().eos());
    std::erase_if(stops,
                  [&](std::uint32_t token) { return token == stop || token == LEVEE_NO_TOKEN; });
    return stops;
}

/// Returns the token that ends a sequence. `end_of_turn` is the token that ends a turn of a chat,
/// or LEVEE_NO_TOKEN without a chat.
std::uint32_t stop_token_of(const WorkloadConfig& config, const ModelImage& model,
                            std::uint32_t end_of_turn)
{
    const std::string& word = config.stop_token;
    if (word == "none")
        return LEVEE_NO_TOKEN;
    const std::pair<const char*, std::uint32_t> names[] = {{"eos", model.tokenizer().eos()},
                                                           {"bos", model.tokenizer().bos()},
                                                           {"end_of_turn", end_of_turn}};
    const auto* const named =
        std::ranges::find_if(names, [&](const auto& name) { return word == name.first; });
    std::uint32_t id = LEVEE_NO_TOKEN;
    if (word == "end_of_turn" && end_of_turn == LEVEE_NO_TOKEN)
        throw Error(config.stop_place,
                    "'workload.stop_token' is 'end_of_turn', which exists only with "
                    "'workload.chat'; expected none, eos, bos or a token id");
    if (named != std::end(names)) {
        id = named->second;
    } else {
        const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), id);
        if (status != std::errc() || end != word.data() + word.size())
            throw Error(config.stop_place, "'workload.stop_token' is '" + word +
                                               "'; expected none, eos, bos or a token id, with "
                                               "'workload.chat' also end_of_turn");
    }
    if (id >= model.shape().vocab)
        throw Error(config.stop_place, "'workload.stop_token' is '" + word +
                                           "', which this model's vocabulary of " +
                                           std::to_string(model.shape().vocab) + " does not have");
    if (end_of_turn != LEVEE_NO_TOKEN && id != end_of_turn)
        throw Error(config.stop_place,
                    "'workload.stop_token' is '" + word + "', token " + std::to_string(id) +
                        "; a turn of 'workload.chat' ends with token " +
                        std::to_string(end_of_turn) + ": expected none or end_of_turn");
    return id;
}

std::string name_of(const PreparedWorkload& prepared, std::size_t sequence)
{
    return (prepared.requests.empty() ? "sequence " : "request ") + std::to_string(sequence);
}

void check_sequences(const PreparedWorkload& prepared, const WorkloadConfig& config,
                     const ModelImage& model)
{
    if (prepared.sequences.empty())
        throw Error(config.text_place, "there is no text; expected at least one sequence");
    for (std::size_t i = 0; i < prepared.sequences.size(); ++i) {
        const EncodedSequence& sequence = prepared.sequences[i];
        const std::string name = name_of(prepared, i);
        const config::Place place = sequence.place.value_or(config.text_place);
        if (sequence.tokens.empty())
            throw Error(place, name + " is empty, and this model has no BOS token; "
                                      "expected at least one token");
        check_vocabulary(sequence.tokens, name, place, model);
        if (prepared.turns.empty())
            check_slots(sequence.place.value_or(config.place), name, sequence.tokens.size(),
                        new_tokens_of(prepared, config, i), prepared.context);
    }
}

} // namespace

namespace {

/// Returns whether every layer keeps only a window that fits into one product.
bool keeps_windows(const ModelShape& shape)
{
    const auto is_local = [](std::uint32_t flags) { return (flags & LEVEE_LAYER_LOCAL) != 0; };
    return shape.window != 0 && shape.window <= most_attended &&
           std::ranges::all_of(shape.layer_flags, is_local);
}

std::uint32_t context_of(const WorkloadConfig& config, const ModelImage& model, bool keeps_all)
{
    const std::uint32_t longest = model.shape().max_context;
    const bool bounded = keeps_all && !keeps_windows(model.shape());
    const std::uint32_t most = bounded ? std::min(longest, most_attended) : longest;
    if (config.context > longest)
        throw Error(config.place, "'workload.context' is " + std::to_string(config.context) +
                                      "; expected at most the model's " + std::to_string(longest));
    if (config.context > most)
        throw Error(config.place, "'workload.context' is " + std::to_string(config.context) +
                                      "; a cache that keeps all tokens is limited to " +
                                      std::to_string(most) +
                                      ", the longest product of an array: expected at most "
                                      "this number, or a 'kv_cache.policy' that evicts");
    return config.context ? config.context : most;
}

/// Checks that one pass can take all guesses and the token before them. If the scenario does not
/// give the size of a chunk, firmware chooses it and makes this check.
void check_guesses(const PreparedWorkload& prepared, const WorkloadConfig& config)
{
    if (!config.speculation)
        return;
    const std::uint32_t tokens = config.speculation->tokens;
    const bool by_chunk = config.prefill_chunk != 0 && config.prefill_chunk < prepared.context;
    const std::uint32_t most = by_chunk ? config.prefill_chunk : prepared.context;
    if (tokens + 1 > most)
        throw Error(config.speculation->tokens_place,
                    "'workload.speculation.tokens' is " + std::to_string(tokens) +
                        ": a pass takes the guesses and the token before them, " +
                        std::to_string(tokens + 1) + " in all, and '" +
                        (by_chunk ? "workload.prefill_chunk" : "workload.context") + "' is " +
                        std::to_string(most) + "; expected at most " + std::to_string(most - 1) +
                        " guesses, or a larger " + (by_chunk ? "chunk" : "context"));
}

void check_prefills(const PreparedWorkload& prepared, const WorkloadConfig& config)
{
    for (std::size_t i = 0; i < prepared.sequences.size(); ++i)
        check_prefill(name_of(prepared, i), prepared.sequences[i].prefill_count,
                      prepared.sequences[i].place.value_or(config.text_place));
}

} // namespace

namespace {

/// Encodes the source of text that the scenario gives. Returns the token that ends a turn of a
/// chat, or none.
std::uint32_t take_text(const WorkloadConfig& config, const ModelImage& model,
                        PreparedWorkload& prepared)
{
    if (!config.chat.empty()) {
        EncodedChat chat = encode_chat(config, model.tokenizer(), model.chat());
        const auto count = static_cast<std::uint32_t>(chat.tokens.size());
        prepared.sequences.push_back({std::move(chat.tokens), count, 0, {}});
        return chat.end_of_turn;
    }
    if (!config.turns.empty())
        return add_turns(config, model, prepared);
    if (config.requests)
        add_requests(config, model, prepared);
    else if (config.text_file)
        add_text(config, model, prepared);
    else if (config.prompt_file)
        prepared.sequences =
            encode_prompts(split_lines(read_text(*config.prompt_file)), config, model);
    else if (!config.prompt_ids.empty())
        prepared.sequences = take_ids(config);
    else if (config.prompt_tokens != 0)
        prepared.sequences = make_blank(config, prepared.context);
    else if (config.stories_file)
        add_stories(config, model, prepared);
    else
        prepared.sequences = encode_prompts(config.prompts, config, model);
    return LEVEE_NO_TOKEN;
}

/// Returns the limit of `workload.prefill_tokens`. A question about a story is always decoded.
std::uint32_t most_prefilled(const EncodedSequence& sequence)
{
    const bool asks = sequence.answer_index != 0;
    return asks ? sequence.prefill_count : static_cast<std::uint32_t>(sequence.tokens.size());
}

} // namespace

std::uint32_t new_tokens_of(const PreparedWorkload& prepared, const WorkloadConfig& config,
                            std::size_t sequence)
{
    return prepared.requests.empty() ? config.max_new_tokens
                                     : prepared.requests[sequence].max_new_tokens;
}

std::vector<std::span<const std::uint32_t>> prompts_of(const PreparedWorkload& prepared)
{
    std::vector<std::span<const std::uint32_t>> prompts;
    for (const EncodedTurn& turn : prepared.turns)
        prompts.emplace_back(turn.tokens);
    if (prompts.empty())
        for (const EncodedSequence& sequence : prepared.sequences)
            prompts.emplace_back(sequence.tokens);
    return prompts;
}

PreparedWorkload prepare_workload(const WorkloadConfig& config, const ModelImage& model,
                                  bool keeps_all)
{
    PreparedWorkload prepared;
    prepared.context = context_of(config, model, keeps_all);
    const std::uint32_t end_of_turn = take_text(config, model, prepared);
    prepared.stop_token = stop_token_of(config, model, end_of_turn);
    prepared.stops = further_stops(config, model, prepared.stop_token);
    prepared.batch = static_cast<std::uint32_t>(
        std::min<std::size_t>(config.batch, std::max<std::size_t>(1, prepared.sequences.size())));
    for (EncodedSequence& sequence : prepared.sequences)
        if (config.prefill_tokens != 0)
            sequence.prefill_count = std::min(config.prefill_tokens, most_prefilled(sequence));
    if (config.speculation)
        prepared.room += config.max_new_tokens + config.speculation->tokens;
    check_sequences(prepared, config, model);
    check_prefills(prepared, config);
    check_guesses(prepared, config);
    return prepared;
}

std::optional<std::uint64_t> longest_in_place_ps(const PreparedWorkload& workload)
{
    return workload.forget_after_ps ? workload.forget_after_ps : workload.save_after_ps;
}

namespace {

/// The head of a workload that is placed at `base`: the table of sequences, and then the tokens and
/// samples to which it refers.
class WorkloadHead {
public:
    /// `drafts` states that there is a draft model, whose place follows the last sequence in the
    /// table.
    WorkloadHead(const PreparedWorkload& prepared, bool drafts, std::uint64_t base,
                 std::uint64_t timebase_hz)
        : table_(prepared.sequences.size() + (drafts ? 1 : 0)),
          turns_(prepared.turns.size() + (longest_in_place_ps(prepared) ? 1 : 0)),
          turns_base_(base + table_bytes()),
          ids_base_(turns_base_ + turn_bytes() + prepared.requests.size() * sizeof(levee_request))
    {
        for (std::size_t i = 0; i < prepared.sequences.size(); ++i) {
            const EncodedSequence& sequence = prepared.sequences[i];
            append(sequence.tokens, table_[i].token_count, table_[i].token_address);
            ids_.resize(ids_.size() + prepared.room);
            table_[i].prefill_count = sequence.prefill_count;
            table_[i].seed = sequence.seed;
            if (prepared.requests.empty())
                table_[i].answer_index = sequence.answer_index;
            else
                table_[i].temperature = sequence.temperature;
        }
        add_turns(prepared.turns, timebase_hz);
        if (const std::optional<std::uint64_t> longest = longest_in_place_ps(prepared)) {
            turns_.back().pause_ticks = ticks_of(*longest, timebase_hz);
            turns_.back().token_address = prepared.save_base;
        }
        for (const EncodedRequest& request : prepared.requests)
            requests_.push_back({ticks_of(request.arrival_ps, timebase_hz), request.max_new_tokens,
                                 prepared.prefix_block});
    }
    /// Adds a list of words and sets its length and address.
    void append(const std::vector<std::uint32_t>& list, std::uint32_t& number,
                std::uint64_t& address)
    {
        number = static_cast<std::uint32_t>(list.size());
        address = ids_base_ + sizeof(std::uint32_t) * ids_.size();
        ids_.insert(ids_.end(), list.begin(), list.end());
    }
    void set_draft(std::uint64_t address) { table_.back().token_address = address; }
    [[nodiscard]] std::vector<std::uint8_t> bytes() const
    {
        std::vector<std::uint8_t> bytes;
        const auto add = [&](const auto& table) {
            const auto* const from = reinterpret_cast<const std::uint8_t*>(table.data());
            bytes.insert(bytes.end(), from, from + table.size() * sizeof table[0]);
        };
        add(table_);
        add(turns_);
        add(requests_);
        add(ids_);
        return bytes;
    }
    [[nodiscard]] std::size_t size() const
    {
        return table_bytes() + turn_bytes() + requests_.size() * sizeof(levee_request) +
               ids_.size() * sizeof(std::uint32_t);
    }
    [[nodiscard]] std::uint64_t turns() const { return turns_base_; }
    [[nodiscard]] std::uint64_t requests() const { return turns_base_ + turn_bytes(); }

private:
    [[nodiscard]] std::size_t table_bytes() const { return table_.size() * sizeof(levee_sequence); }
    [[nodiscard]] std::size_t turn_bytes() const { return turns_.size() * sizeof(levee_turn); }

    void add_turns(const std::vector<EncodedTurn>& turns, std::uint64_t timebase_hz)
    {
        for (std::size_t i = 0; i < turns.size(); ++i) {
            append(turns[i].tokens, turns_[i].token_count, turns_[i].token_address);
            turns_[i].max_new_tokens = turns[i].max_new_tokens;
            turns_[i].end_token = turns[i].end_token;
            turns_[i].pause_ticks = ticks_of(turns[i].after_ps, timebase_hz);
        }
    }

    std::vector<levee_sequence> table_;
    std::vector<levee_turn> turns_;
    std::vector<levee_request> requests_;
    std::uint64_t turns_base_, ids_base_;
    std::vector<std::uint32_t> ids_;
};

} // namespace

namespace {

bool draws(const PreparedWorkload& prepared, const WorkloadConfig& config)
{
    return config.sampling == config::Sampling::Temperature ||
           std::ranges::any_of(prepared.sequences, [](const EncodedSequence& sequence) {
               return sequence.temperature != 0;
           });
}

void set_speculation(const WorkloadConfig& config, levee_workload& workload)
{
    if (!config.speculation)
        return;
    workload.draft_tokens = config.speculation->tokens;
    workload.draft_match = config.speculation->match;
    if (const auto share = config.speculation->acceptance)
        workload.draft_acceptance = static_cast<std::uint32_t>(
            std::lround(*share * LEVEE_DRAFT_ALWAYS)); // 0 guesses nothing
}

} // namespace

std::uint64_t ticks_of(std::uint64_t ps, std::uint64_t hz)
{
    return static_cast<std::uint64_t>((Wide{ps} * hz + ps_per_second - 1) / ps_per_second);
}

bool leaves_its_place(const PreparedWorkload& workload, std::size_t turn, std::uint64_t hz)
{
    const std::optional<std::uint64_t> longest = longest_in_place_ps(workload);
    return turn != 0 && longest &&
           ticks_of(workload.turns[turn].after_ps, hz) > ticks_of(*longest, hz);
}

PlacedWorkload place_workload(const PreparedWorkload& prepared, const WorkloadConfig& config,
                              std::uint64_t seed, const PlacedSizes& sizes, std::uint64_t base,
                              std::uint64_t timebase_hz)
{
    constexpr std::uint64_t page = 4096;
    const auto round_up = [](std::uint64_t offset) { return (offset + page - 1) / page * page; };
    PlacedWorkload placed;
    levee_workload& workload = placed.workload;
    const bool drafts = sizes.draft_table != 0;
    WorkloadHead head(prepared, drafts, base, timebase_hz);
    head.append(prepared.sample_chunks, workload.sample_chunks, workload.sample_chunk_address);
    head.append(prepared.sample_steps, workload.sample_steps, workload.sample_step_address);
    workload.sample_layers = prepared.sample_layers;
    placed.draft_offset = round_up(head.size());
    placed.model_offset = round_up(placed.draft_offset + sizes.draft_table);
    placed.end = round_up(placed.model_offset + sizes.model);
    if (drafts)
        head.set_draft(base + placed.draft_offset);
    placed.head = head.bytes();

    workload.model_address = base + placed.model_offset;
    workload.sequence_address = base;
    workload.sequence_count = static_cast<std::uint32_t>(prepared.sequences.size());
    workload.turn_count = static_cast<std::uint32_t>(prepared.turns.size());
    workload.forgets = prepared.forget_after_ps ? LEVEE_PAUSE_FORGETS
                       : prepared.save_after_ps ? LEVEE_PAUSE_SAVES
                                                : LEVEE_PAUSE_KEEPS;
    workload.turn_address = prepared.turns.empty() ? 0 : head.turns();
    workload.request_address = prepared.requests.empty() ? 0 : head.requests();
    set_speculation(config, workload);
    workload.batch = prepared.batch;
    workload.max_new_tokens = config.max_new_tokens;
    workload.context = prepared.context;
    workload.prefill_chunk = config.prefill_chunk;
    workload.sampling =
        draws(prepared, config) ? LEVEE_SAMPLING_TEMPERATURE : LEVEE_SAMPLING_GREEDY;
    workload.temperature = config.temperature;
    workload.seed = static_cast<std::uint32_t>(seed);
    workload.stop_token = prepared.stop_token;
    workload.no_logits = config.lm_head ? 0 : 1;
    return placed;
}

} // namespace levee
