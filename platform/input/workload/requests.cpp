// SPDX-License-Identifier: Apache-2.0
#include "platform/input/workload/requests.hpp"

#include "core/config/csv.hpp"
#include "core/config/error.hpp"
#include "platform/input/config/workload_keys.hpp"
#include "platform/input/workload/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <random>

namespace levee {

namespace {

using config::Error;

constexpr auto ps_per_s = static_cast<double>(ps_per_second);
constexpr double ps_per_ns = 1e3;
constexpr auto latest_ps = static_cast<double>(config::longest_pause);
constexpr double latest_s = latest_ps / ps_per_s;

struct Request {
    EncodedSequence sequence;
    EncodedRequest request;
    bool has_text = false;
    std::optional<std::uint32_t> seed{};
    std::optional<float> temperature{}; ///< 0: the most probable tokens
    /// For requests without a text: requests with the same `prefix` share their first prefix_tokens
    /// tokens.
    std::uint32_t prefix = 0, prefix_tokens = 0;
};

Request blank(std::uint64_t arrival_ps, std::uint32_t prompt_tokens, std::uint32_t new_tokens)
{
    EncodedSequence sequence;
    sequence.tokens.assign(prompt_tokens, 0);
    sequence.prefill_count = prompt_tokens;
    return {std::move(sequence), {arrival_ps, new_tokens}};
}

/// Returns a uniform number in (0, 1] of 53 bits, which is the same on every host.
double uniform(std::mt19937_64& draws)
{
    return static_cast<double>((draws() >> 11) + 1) * 0x1p-53;
}

/// Returns the arrival times. Random ones are rounded to whole nanoseconds, since a logarithm's
/// last bits differ from host to host.
std::vector<double> arrivals_ps(const config::Requests& config)
{
    std::vector<double> arrivals(config.count);
    std::mt19937_64 draws(config.seed);
    const auto interval = static_cast<double>(config.interval_ps);
    double now = 0;
    for (std::uint32_t i = 0; i < config.count; ++i) {
        if (config.arrivals == config::Arrivals::Regular) {
            arrivals[i] = interval * i;
        } else {
            arrivals[i] = std::round(now / ps_per_ns) * ps_per_ns;
            now -= std::log(uniform(draws)) * interval;
        }
    }
    return arrivals;
}

/// Makes tokens for a prompt without text: the digits of its number, the lowest first. If the
/// vocabulary is large enough, prompts thus differ in their first token. Shared tokens are even,
/// and a prompt's own tokens are odd.
void number_tokens(std::span<std::uint32_t> tokens, std::uint64_t number, bool own,
                   std::uint32_t vocab)
{
    const std::uint32_t base = std::max(vocab / 2, 1U);
    for (std::uint32_t& token : tokens) {
        const std::uint64_t digit = number % base * 2 + (own ? 1 : 0);
        token = digit < vocab ? static_cast<std::uint32_t>(digit) : 0;
        number /= base;
    }
}

/// Gives prompts without text distinct tokens. They follow a common prefix if a request has one.
void set_prefixes(std::vector<Request>& requests, std::uint32_t vocab)
{
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (requests[i].has_text)
            continue;
        const std::span<std::uint32_t> tokens = requests[i].sequence.tokens;
        const std::uint32_t common = requests[i].prefix_tokens;
        number_tokens(tokens.first(common), requests[i].prefix, false, vocab);
        number_tokens(tokens.subspan(common), i, true, vocab);
    }
}

std::vector<Request> drawn(const config::Requests& config)
{
    std::vector<Request> requests;
    requests.reserve(config.count);
    for (const double arrival : arrivals_ps(config)) {
        if (arrival > latest_ps)
            throw Error(config.interval_place,
                        "request " + std::to_string(requests.size()) +
                            " of 'workload.requests' arrives after " +
                            std::to_string(static_cast<std::uint64_t>(arrival / ps_per_s)) +
                            " s; expected at most " +
                            std::to_string(static_cast<std::uint64_t>(latest_s)) + " s");
        requests.push_back(
            blank(static_cast<std::uint64_t>(arrival), config.prompt_tokens, config.new_tokens));
        requests.back().prefix_tokens = config.prefix_tokens;
        requests.back().sequence.place = config.prompt_place;
    }
    return requests;
}

/// Returns the number with as few digits as needed.
std::string shortest(double number)
{
    char text[32];
    return {text, std::to_chars(std::begin(text), std::end(text), number).ptr};
}

/// Reads a file's lines; the first one names the columns.
class RequestFile {
public:
    RequestFile(const std::filesystem::path& file, const Tokenizer& tokenizer)
        : place_{std::make_shared<const std::string>(file.string()), 1, 1}, tokenizer_(tokenizer)
    {
        config::for_each_csv_line(
            read_text(file), file.string(),
            [&](const config::Place& place, const std::vector<std::string>& fields) {
                place_ = place;
                if (place.line == 1)
                    read_heading(fields);
                else
                    read_request(fields);
            });
        if (requests_.empty())
            throw Error(place_, "the file has no requests; expected one per line");
    }
    [[nodiscard]] std::vector<Request> requests() && { return std::move(requests_); }

private:
    /// `seed` and `temperature` may be the last columns of any file, in any order.
    void read_heading(std::vector<std::string> fields)
    {
        using Names = std::vector<std::string>;
        columns_ = fields.size();
        while (take_last(fields, "seed", seed_) || take_last(fields, "temperature", temperature_))
            ;
        is_text_ = fields == Names{"arrival_s", "prompt", "new_tokens"};
        has_prefixes_ =
            fields == Names{"arrival_s", "prompt_tokens", "new_tokens", "prefix", "prefix_tokens"};
        if (!is_text_ && !has_prefixes_ &&
            fields != Names{"arrival_s", "prompt_tokens", "new_tokens"})
            throw Error(place_, "expected the columns arrival_s, prompt or prompt_tokens, and "
                                "new_tokens; with prompt_tokens also prefix and prefix_tokens "
                                "after new_tokens; the last columns may be seed and temperature");
    }

    /// Removes the last column if it has this name, and returns whether it did. A name that was
    /// already removed is not removed again.
    static bool take_last(std::vector<std::string>& fields, std::string_view name,
                          std::optional<std::size_t>& column)
    {
        if (column || fields.empty() || fields.back() != name)
            return false;
        fields.pop_back();
        column = fields.size();
        return true;
    }

    void read_request(const std::vector<std::string>& fields)
    {
        if (fields.size() != columns_)
            throw Error(place_, "the line has " + std::to_string(fields.size()) +
                                    " fields; expected " + std::to_string(columns_));
        const double arrival = number<double>(fields[0], "arrival_s", 0, latest_s);
        const auto new_tokens = number<std::uint32_t>(fields[2], "new_tokens", 0, most_attended);
        const auto arrival_ps = static_cast<std::uint64_t>(std::llround(arrival * ps_per_s));
        requests_.push_back(is_text_ ? encoded(arrival_ps, fields[1], new_tokens)
                                     : counted(arrival_ps, fields, new_tokens));
        requests_.back().sequence.place = place_;
        if (const std::string cell = cell_of(fields, seed_); !cell.empty())
            requests_.back().seed = number<std::uint32_t>(cell, "seed", 0, UINT32_MAX);
        if (const std::string cell = cell_of(fields, temperature_); !cell.empty())
            requests_.back().temperature = temperature(cell);
    }

    /// Returns the cell of a column; empty if the file does not have the column.
    static std::string cell_of(const std::vector<std::string>& fields,
                               std::optional<std::size_t> column)
    {
        return column ? std::string(trimmed(fields[*column])) : "";
    }

    [[nodiscard]] float temperature(const std::string& cell) const
    {
        constexpr const config::Key& key = *config::find_key(config::workload_keys, "temperature");
        const std::optional<double> value = parsed<double>(cell);
        if (!value || (*value != 0 && !(*value >= key.least && *value <= key.most)))
            throw Error(place_, "temperature is '" + cell + "'; expected " + shortest(key.least) +
                                    " to " + shortest(key.most) +
                                    ", 0 for the most probable tokens, or an empty cell for the "
                                    "workload's own");
        return static_cast<float>(*value);
    }

    Request counted(std::uint64_t arrival_ps, const std::vector<std::string>& fields,
                    std::uint32_t new_tokens) const
    {
        const auto count = number<std::uint32_t>(fields[1], "prompt_tokens", 1, most_attended);
        Request request = blank(arrival_ps, count, new_tokens);
        if (has_prefixes_) {
            request.prefix = number<std::uint32_t>(fields[3], "prefix", 0, UINT32_MAX);
            request.prefix_tokens = number<std::uint32_t>(fields[4], "prefix_tokens", 0, count);
        }
        return request;
    }

    Request encoded(std::uint64_t arrival_ps, const std::string& prompt,
                    std::uint32_t new_tokens) const
    {
        EncodedSequence sequence;
        try {
            sequence.tokens = tokenizer_.encode(prompt, tokenizer_.bos() != LEVEE_NO_TOKEN);
        } catch (const ModelError& error) {
            throw Error(place_, std::string("the prompt cannot be encoded: ") + error.what());
        }
        sequence.prefill_count = static_cast<std::uint32_t>(sequence.tokens.size());
        return {std::move(sequence), {arrival_ps, new_tokens}, true};
    }

    template <typename Number> static std::optional<Number> parsed(std::string_view text)
    {
        Number value{};
        const std::string_view digits = trimmed(text);
        const char* const end = digits.data() + digits.size();
        const auto read = std::from_chars(digits.data(), end, value);
        return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
    }

    template <typename Number>
    Number number(const std::string& text, const char* column, Number least, Number most) const
    {
        const std::optional<Number> value = parsed<Number>(text);
        if (!value || !(*value >= least && *value <= most))
            throw Error(place_, std::string(column) + " is '" + text + "'; expected " +
                                    std::to_string(static_cast<std::uint64_t>(least)) + " to " +
                                    std::to_string(static_cast<std::uint64_t>(most)));
        return *value;
    }

    config::Place place_; ///< place of the line that was read last
    const Tokenizer& tokenizer_;
    bool is_text_ = false, has_prefixes_ = false;
    std::size_t columns_ = 0;
    std::optional<std::size_t> seed_, temperature_; ///< columns
    std::vector<Request> requests_;
};

/// Refuses requests whose prompts together have more than 2^26 tokens, which take 256 MiB.
void check_size(const std::vector<Request>& requests, const config::Place& place)
{
    constexpr std::uint64_t most = std::uint64_t{1} << 26;
    std::uint64_t tokens = 0;
    for (const Request& one : requests)
        tokens += one.sequence.tokens.size();
    if (tokens > most)
        throw Error(place, "the requests have " + std::to_string(tokens) +
                               " prompt tokens; expected at most " + std::to_string(most));
}

/// Warns that requests have seeds although none draws its tokens at random.
void warn_of_unused_seeds(const std::vector<Request>& requests, PreparedWorkload& prepared)
{
    const auto has_seed = [](const Request& one) { return one.seed.has_value(); };
    const auto draws = [](const Request& one) { return *one.temperature != 0; };
    if (std::ranges::any_of(requests, has_seed) && std::ranges::none_of(requests, draws))
        prepared.warnings.emplace_back(
            "the column 'seed' of 'workload.requests' has no effect: 'workload.sampling: greedy' "
            "draws no tokens at random. Set 'sampling: temperature', or remove the column");
}

/// Gives the workload's temperature to requests that state none.
void set_temperatures(std::vector<Request>& requests, const config::WorkloadConfig& config)
{
    const float own = config.sampling == config::Sampling::Greedy ? 0 : config.temperature;
    for (Request& one : requests)
        one.temperature = one.temperature.value_or(own);
}

/// Warns that prompts have a common beginning that is not shared.
void warn_of_unshared(const std::vector<Request>& requests, const config::Requests& source,
                      PreparedWorkload& prepared)
{
    std::uint32_t longest = 0;
    std::size_t count = 0;
    for (const Request& one : requests) {
        longest = std::max(longest, one.prefix_tokens);
        count += one.prefix_tokens != 0 ? 1 : 0;
    }
    if (longest == 0 || (source.prefix_block != 0 && source.prefix_block <= longest))
        return;
    prepared.warnings.push_back(
        "prefix_tokens of 'workload.requests' has no effect: " +
        (source.prefix_block == 0
             ? std::string("'prefix_block' is not given")
             : "a 'prefix_block' has " + std::to_string(source.prefix_block) +
                   " tokens, and no common beginning has more than " + std::to_string(longest)) +
        ", so all " + std::to_string(count) +
        " prompts go through prefill whole. Set 'prefix_block' to " + std::to_string(longest) +
        " or less to share keys and values");
}

} // namespace

void add_requests(const config::WorkloadConfig& config, const ModelImage& model,
                  PreparedWorkload& prepared)
{
    const config::Requests& source = *config.requests;
    std::vector<Request> requests =
        source.file ? RequestFile(*source.file, model.tokenizer()).requests() : drawn(source);
    check_size(requests, source.source_place);
    std::ranges::stable_sort(requests, {},
                             [](const Request& one) { return one.request.arrival_ps; });
    prepared.prefix_block = source.prefix_block;
    warn_of_unshared(requests, source, prepared);
    set_temperatures(requests, config);
    warn_of_unused_seeds(requests, prepared);
    if (source.prefix_block != 0)
        set_prefixes(requests, model.shape().vocab);
    for (Request& one : requests) {
        // Each request without a seed of its own gets a different one, from its number.
        one.sequence.seed =
            one.seed.value_or(static_cast<std::uint32_t>(source.seed + prepared.sequences.size()));
        one.sequence.temperature = *one.temperature;
        prepared.sequences.push_back(std::move(one.sequence));
        prepared.requests.push_back(one.request);
    }
}

} // namespace levee
