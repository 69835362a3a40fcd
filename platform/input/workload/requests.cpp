// SPDX-License-Identifier: Apache-2.0
#include "platform/input/workload/requests.hpp"

#include "core/config/csv.hpp"
#include "core/config/error.hpp"
#include "platform/input/workload/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <random>

namespace levee {

namespace {

using config::Error;

constexpr double ps_per_s = 1e12;
constexpr double ps_per_ns = 1e3;
constexpr auto latest_ps = static_cast<double>(config::longest_pause);
constexpr double latest_s = latest_ps / ps_per_s;

struct Request {
    EncodedSequence sequence;
    EncodedRequest request;
    bool has_text = false, has_seed = false;
    /// Without a text: requests with the same number here share their beginning.
    std::uint32_t prefix = 0, prefix_tokens = 0;
};

Request blank(std::uint64_t arrival_ps, std::uint32_t prompt_tokens, std::uint32_t new_tokens)
{
    EncodedSequence sequence;
    sequence.tokens.assign(prompt_tokens, 0);
    sequence.prefill_count = prompt_tokens;
    return {std::move(sequence), {arrival_ps, new_tokens}};
}

/// A uniform number in (0, 1] of 53 bits: the same on every machine.
double uniform(std::mt19937_64& draws)
{
    return static_cast<double>((draws() >> 11) + 1) * 0x1p-53;
}

/// Arrivals of independent requests are at whole nanoseconds, as a logarithm's last bits differ
/// from host to host.
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

/// Makes tokens for a prompt without text: the digits of its number, the lowest first, so that
/// prompts already differ in their first token if the vocabulary suffices. Shared tokens are even,
/// a prompt's own tokens are odd.
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

/// Gives prompts without text a common prefix only where the requests ask for it.
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

std::vector<Request> drawn(const config::Requests& config, const config::Place& place)
{
    std::vector<Request> requests;
    requests.reserve(config.count);
    for (const double arrival : arrivals_ps(config)) {
        if (arrival > latest_ps)
            throw Error(place, "request " + std::to_string(requests.size()) +
                                   " of 'workload.requests' arrives after " +
                                   std::to_string(static_cast<std::uint64_t>(arrival / ps_per_s)) +
                                   " s; expected at most " +
                                   std::to_string(static_cast<std::uint64_t>(latest_s)) + " s");
        requests.push_back(
            blank(static_cast<std::uint64_t>(arrival), config.prompt_tokens, config.new_tokens));
        requests.back().prefix_tokens = config.prefix_tokens;
    }
    return requests;
}

/// Reads a file's lines; the first one names the columns.
class RequestFile {
public:
    RequestFile(const std::filesystem::path& file, const Tokenizer& tokenizer)
        : shown_(std::make_shared<const std::string>(file.string())), tokenizer_(tokenizer)
    {
        for (std::string& line : split_lines(read_text(file)))
            read(std::move(line));
        if (requests_.empty())
            throw Error(place(), "there is no request; expected a line for each");
    }
    [[nodiscard]] std::vector<Request> requests() && { return std::move(requests_); }

private:
    [[nodiscard]] config::Place place() const { return {shown_, std::max(line_, 1), 1}; }

    void read(std::string line)
    {
        // Editors may write it at the beginning of a file.
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (++line_ == 1 && line.starts_with(byte_order_mark))
            line.erase(0, byte_order_mark.size());
        if (std::ranges::count(line, '"') % 2 != 0)
            throw Error(place(), "the line ends within quotes; expected a text without line ends");
        const std::vector<std::string> fields = config::csv_fields(line);
        if (line_ == 1)
            read_heading(fields);
        else if (!line.empty())
            read_request(fields);
    }

    /// `seed` may be the last column of any file.
    void read_heading(std::vector<std::string> fields)
    {
        using Names = std::vector<std::string>;
        columns_ = fields.size();
        has_seeds_ = !fields.empty() && fields.back() == "seed";
        if (has_seeds_)
            fields.pop_back();
        is_text_ = fields == Names{"arrival_s", "prompt", "new_tokens"};
        has_prefixes_ =
            fields == Names{"arrival_s", "prompt_tokens", "new_tokens", "prefix", "prefix_tokens"};
        if (!is_text_ && !has_prefixes_ &&
            fields != Names{"arrival_s", "prompt_tokens", "new_tokens"})
            throw Error(place(), "expected the columns arrival_s, prompt or prompt_tokens, and "
                                 "new_tokens; behind prompt_tokens also prefix and prefix_tokens; "
                                 "at the end also seed");
    }

    void read_request(const std::vector<std::string>& fields)
    {
        if (fields.size() != columns_)
            throw Error(place(), "the line has " + std::to_string(fields.size()) +
                                     " fields; expected " + std::to_string(columns_));
        const double arrival = number<double>(fields[0], "arrival_s", 0, latest_s);
        const auto new_tokens = number<std::uint32_t>(fields[2], "new_tokens", 0, most_attended);
        const auto arrival_ps = static_cast<std::uint64_t>(std::llround(arrival * ps_per_s));
        requests_.push_back(is_text_ ? encoded(arrival_ps, fields[1], new_tokens)
                                     : counted(arrival_ps, fields, new_tokens));
        requests_.back().sequence.place = place();
        if (has_seeds_) {
            requests_.back().has_seed = true;
            requests_.back().sequence.seed =
                number<std::uint32_t>(fields.back(), "seed", 0, UINT32_MAX);
        }
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
            throw Error(place(), std::string("the prompt cannot be encoded: ") + error.what());
        }
        sequence.prefill_count = static_cast<std::uint32_t>(sequence.tokens.size());
        return {std::move(sequence), {arrival_ps, new_tokens}, true};
    }

    template <typename Number>
    Number number(const std::string& text, const char* column, Number least, Number most) const
    {
        Number value{};
        const std::string_view digits = trimmed(text);
        const char* const end = digits.data() + digits.size();
        const auto read = std::from_chars(digits.data(), end, value);
        if (read.ec != std::errc() || read.ptr != end || !(value >= least && value <= most))
            throw Error(place(), std::string(column) + " is '" + text + "'; expected " +
                                     std::to_string(least) + " to " + std::to_string(most));
        return value;
    }

    std::shared_ptr<const std::string> shown_;
    const Tokenizer& tokenizer_;
    int line_ = 0;
    bool is_text_ = false, has_prefixes_ = false, has_seeds_ = false;
    std::size_t columns_ = 0;
    std::vector<Request> requests_;
};

/// Tokens of all prompts: 256 MiB of them.
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

} // namespace

void add_requests(const config::WorkloadConfig& config, const ModelImage& model,
                  PreparedWorkload& prepared)
{
    const config::Requests& source = *config.requests;
    std::vector<Request> requests = source.file
                                        ? RequestFile(*source.file, model.tokenizer()).requests()
                                        : drawn(source, config.text_place);
    check_size(requests, config.text_place);
    std::ranges::stable_sort(requests, {},
                             [](const Request& one) { return one.request.arrival_ps; });
    prepared.prefix_block = source.prefix_block;
    if (source.prefix_block != 0)
        set_prefixes(requests, model.shape().vocab);
    for (Request& one : requests) {
        if (!one.has_seed) // a separate draw for each
            one.sequence.seed = static_cast<std::uint32_t>(source.seed + prepared.sequences.size());
        prepared.sequences.push_back(std::move(one.sequence));
        prepared.requests.push_back(one.request);
    }
}

} // namespace levee
