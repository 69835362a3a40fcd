#include "ip/rsa/gemm_run.hpp"

#include "ip/common/clock.hpp"
#include "ip/common/loop_nest.hpp"
#include "ip/common/tensor.hpp"
#include "ip/rsa/model.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace levee::rsa {

namespace {

// One descriptor's products and results: beyond any use, and what a garbled one may claim of the
// host.
constexpr std::uint64_t most_products = std::uint64_t{1} << 20;
constexpr std::uint64_t most_results = std::uint64_t{1} << 30;

constexpr std::uint32_t field_a = operation_field(offsetof(levee_rsa_operation, a));
constexpr std::uint32_t field_b = operation_field(offsetof(levee_rsa_operation, b));
constexpr std::uint32_t field_a_scale = operation_field(offsetof(levee_rsa_operation, a_scale));
constexpr std::uint32_t field_b_scale = operation_field(offsetof(levee_rsa_operation, b_scale));
constexpr std::uint32_t field_bias = operation_field(offsetof(levee_rsa_operation, bias));
constexpr std::uint32_t field_out = operation_field(offsetof(levee_rsa_operation, out));
constexpr std::uint32_t field_lengths = operation_field(offsetof(levee_rsa_operation, lengths));
constexpr std::uint32_t field_redirect = operation_field(offsetof(levee_rsa_operation, redirect));
constexpr std::uint32_t field_tap = operation_field(offsetof(levee_rsa_operation, tap));

std::uint64_t base_of(std::uint64_t address, const std::int32_t* stride, std::uint32_t o0,
                      std::uint32_t o1)
{
    return offset_by(offset_by(address, stride[0], o0), stride[1], o1);
}

AccessPattern words_at(std::uint64_t address, std::int32_t stride, std::uint64_t count)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = sizeof(float);
    pattern.count[2] = count;
    pattern.stride[2] = stride;
    return pattern;
}

/// A pass is 8 bits of the stationary operand wide, so that an element's size is what it loads.
std::uint64_t bits_of(std::uint8_t type)
{
    return bytes_of(2, type) * 4;
}

levee_type type_of(std::uint8_t type)
{
    return static_cast<levee_type>(type);
}

} // namespace

GemmRun::Cost GemmRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    std::memcpy(&gemm_, descriptor.operation, sizeof gemm_);
    check();
    to_stream_ = StreamPorts::is_stream(gemm_.out);
    list_products();
    read_redirect();

    Traffic traffic;
    const Cost cost = count(traffic);
    open(operation, traffic);
    out_.assign(products_.back().out + m() * row_elements(products_.back()), 0.0f);
    for (const Product& product : products_)
        multiply(product);

    const bool by_columns = products_.size() == 1;
    operation.iterations = static_cast<std::uint32_t>(
        by_columns ? divide_up(products_.front().n, array_.columns) : products_.size());
    if (to_stream_)
        operation.stream = out_;
    else
        operation.commit = [this, by_columns](std::uint32_t first, std::uint32_t last) {
            by_columns ? write_columns(first, last) : write_products(first, last);
        };
    if (gemm_.tap != 0)
        operation.stream = full_rows();
    return cost;
}

void GemmRun::check() const
{
    using Op = levee_rsa_operation;
    need_field(gemm_.outer[0] > 0 && gemm_.outer[1] > 0, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(gemm_.m1 > 0, LEVEE_ERROR_FIELD, offsetof(Op, m1));
    need_field(gemm_.m0 > 0, LEVEE_ERROR_FIELD, offsetof(Op, m0));
    need_field(gemm_.k > 0 && gemm_.k <= kMaxInner, LEVEE_ERROR_FIELD, offsetof(Op, k));
    need_field(gemm_.n > 0, LEVEE_ERROR_FIELD, offsetof(Op, n));
    need_field(gemm_.ragged <= LEVEE_RSA_RAGGED_K, LEVEE_ERROR_FIELD, offsetof(Op, ragged));
    need_field((gemm_.flags & ~LEVEE_RSA_B_TRANSPOSED) == 0, LEVEE_ERROR_FIELD,
               offsetof(Op, flags));
    need_field(gemm_.a_type <= LEVEE_TYPE_UINT32 && gemm_.b_type <= LEVEE_TYPE_UINT32,
               LEVEE_ERROR_TYPE, offsetof(Op, a_type));
    need_field(passes(type_of(gemm_.a_type), type_of(gemm_.b_type)) > 0, LEVEE_ERROR_TYPE,
               offsetof(Op, a_type));
    need_field(gemm_.ragged == LEVEE_RSA_RAGGED_NONE || gemm_.lengths != 0, LEVEE_ERROR_FIELD,
               offsetof(Op, lengths));
    need_field(gemm_.a != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, a));
    need_field(gemm_.b != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, b));
    need_field(gemm_.out != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, out));
    need_field(gemm_.tap == 0 || !StreamPorts::is_stream(gemm_.out), LEVEE_ERROR_FIELD,
               offsetof(Op, tap));
    need_field(std::uint64_t{gemm_.outer[0]} * gemm_.outer[1] <= most_products, LEVEE_ERROR_FIELD,
               offsetof(Op, outer));
    need_field(m() * gemm_.n <= most_results / (std::uint64_t{gemm_.outer[0]} * gemm_.outer[1]),
               LEVEE_ERROR_FIELD, offsetof(Op, n));
    check_alignment();
}

void GemmRun::check_alignment() const
{
    using Op = levee_rsa_operation;
    const auto aligned = [](std::uint64_t address, std::span<const std::int32_t> strides,
                            unsigned type, std::size_t address_member, std::size_t stride_member) {
        const std::uint64_t unit = alignment_of(type);
        need_field(address % unit == 0, LEVEE_ERROR_ADDRESS, address_member);
        for (std::size_t i = 0; address != 0 && i < strides.size(); ++i)
            need_field(strides[i] % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS,
                       stride_member + i * sizeof(std::int32_t));
    };
    aligned(gemm_.a, gemm_.a_stride, gemm_.a_type, offsetof(Op, a), offsetof(Op, a_stride));
    aligned(gemm_.b, gemm_.b_stride, gemm_.b_type, offsetof(Op, b), offsetof(Op, b_stride));
    aligned(gemm_.a_scale, gemm_.a_scale_stride, LEVEE_TYPE_FP32, offsetof(Op, a_scale),
            offsetof(Op, a_scale_stride));
    aligned(gemm_.b_scale, gemm_.b_scale_stride, LEVEE_TYPE_FP32, offsetof(Op, b_scale),
            offsetof(Op, b_scale_stride));
    aligned(gemm_.bias, {}, LEVEE_TYPE_FP32, offsetof(Op, bias), 0);
    if (!StreamPorts::is_stream(gemm_.out))
        aligned(gemm_.out, gemm_.out_stride, LEVEE_TYPE_FP32, offsetof(Op, out),
                offsetof(Op, out_stride));
    if (gemm_.ragged != LEVEE_RSA_RAGGED_NONE)
        aligned(gemm_.lengths, gemm_.lengths_stride, LEVEE_TYPE_UINT32, offsetof(Op, lengths),
                offsetof(Op, lengths_stride));
}

void GemmRun::list_products()
{
    products_.clear();
    std::size_t out = 0;
    for (std::uint32_t o0 = 0; o0 < gemm_.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < gemm_.outer[1]; ++o1) {
            Product product{o0, o1, gemm_.k, gemm_.n, out, products_.size()};
            if (gemm_.ragged != LEVEE_RSA_RAGGED_NONE) {
                const bool ragged_k = gemm_.ragged == LEVEE_RSA_RAGGED_K;
                std::uint64_t& length = ragged_k ? product.k : product.n;
                const std::uint64_t longest = length;
                length = gemm_.length_add +
                         std::uint64_t{queue_.read_word(
                             base_of(gemm_.lengths, gemm_.lengths_stride, o0, o1), field_lengths)};
                if (length == 0 || length > longest)
                    throw CommandFault{LEVEE_ERROR_FIELD, field_lengths};
            }
            products_.push_back(product);
            out += m() * row_elements(product);
        }
}

void GemmRun::read_redirect()
{
    stored_.begin(gemm_);
    if (!stored_.is_redirected())
        return;
    for (Product& product : products_)
        product.rows_elsewhere =
            stored_.add_product(product.o0, product.o1, stationary(product).count[2]);
}

GemmRun::Cost GemmRun::count(Traffic& traffic) const
{
    const unsigned pass_count =
        single_pass_ ? 1 : passes(type_of(gemm_.a_type), type_of(gemm_.b_type));
    ProductCost all;
    Cost cost;
    for (const Product& product : products_) {
        const ProductCost one =
            cost_of(array_, {m(), product.k, product.n, pass_count, bits_of(gemm_.b_type)});
        all.cycles += one.cycles;
        all.folds += one.folds;
        cost.macs += m() * product.k * product.n;
        traffic.a += m() * bytes_of(product.k, gemm_.a_type) * one.streamed_reads;
        const AccessPattern b = stationary(product);
        const std::uint64_t elsewhere = product.rows_elsewhere * b.run_bytes;
        traffic.b += (b.bytes() - elsewhere) * one.stationary_loads;
        traffic.b_elsewhere += elsewhere * one.stationary_loads;
        traffic.a_scale += m() * sizeof(float);
        traffic.b_scale += product.n * sizeof(float);
        traffic.out += m() * product.n * sizeof(float);
    }
    cost.cycles = operation_cycles(array_, all);
    cost.folds = all.folds;
    cost.passes = all.folds * pass_count;
    return cost;
}

/// Opens each operand's stream for the whole loop nest, with the longest of ragged lengths: the
/// extent is what has to lie in memory, and the bytes are counted exactly beside it.
void GemmRun::open(Operation& operation, const Traffic& traffic)
{
    Product longest = products_.front();
    for (const Product& product : products_) {
        longest.k = std::max(longest.k, product.k);
        longest.n = std::max(longest.n, product.n);
    }
    const auto stream = [&](std::uint64_t address, std::uint64_t run, Loop row, Loop inner,
                            const std::int32_t* outer, std::uint64_t bytes, std::uint32_t at) {
        const auto patterns = patterns_of(
            address, run, {{gemm_.outer[0], outer[0]}, {gemm_.outer[1], outer[1]}, row, inner});
        for (const AccessPattern& pattern : patterns)
            queue_.add_stream(operation, Direction::Read, pattern, bytes / patterns.size(), at);
    };
    const Loop none{1, 0};
    const auto m1 = [this](const std::int32_t* stride) { return Loop{gemm_.m1, stride[2]}; };
    const auto m0 = [this](const std::int32_t* stride) { return Loop{gemm_.m0, stride[3]}; };
    stream(gemm_.a, bytes_of(longest.k, gemm_.a_type), m1(gemm_.a_stride), m0(gemm_.a_stride),
           gemm_.a_stride, traffic.a, field_a);
    open_stationary(operation, stationary(longest), traffic);
    if (gemm_.a_scale != 0)
        stream(gemm_.a_scale, sizeof(float), m1(gemm_.a_scale_stride), m0(gemm_.a_scale_stride),
               gemm_.a_scale_stride, traffic.a_scale, field_a_scale);
    if (gemm_.b_scale != 0)
        stream(gemm_.b_scale, sizeof(float), {longest.n, gemm_.b_scale_stride[2]}, none,
               gemm_.b_scale_stride, traffic.b_scale, field_b_scale);
    bias_.clear();
    if (gemm_.bias != 0) {
        const AccessPattern bias = words_at(gemm_.bias, sizeof(float), gemm_.n);
        queue_.add_stream(operation, Direction::Read, bias, bias.bytes(), field_bias);
        bias_.resize(gemm_.n);
        queue_.read(bias, bias_.data(), field_bias);
    }
    open_output(operation, traffic.out);
}

/// B's rows at their own place, and those that lie elsewhere.
void GemmRun::open_stationary(Operation& operation, const AccessPattern& longest,
                              const Traffic& traffic)
{
    const auto patterns = patterns_of(gemm_.b, longest.run_bytes,
                                      {{gemm_.outer[0], gemm_.b_stride[0]},
                                       {gemm_.outer[1], gemm_.b_stride[1]},
                                       {longest.count[2], longest.stride[2]}});
    for (const AccessPattern& pattern : patterns)
        if (traffic.b > 0)
            queue_.add_stream(operation, Direction::Read, pattern, traffic.b / patterns.size(),
                              field_b);
    queue_.add_rows(operation, Direction::Read, stored_.elsewhere(longest.run_bytes),
                    traffic.b_elsewhere, field_redirect);
}

void GemmRun::open_output(Operation& operation, std::uint64_t bytes)
{
    if (to_stream_) {
        queue_.produce(operation, gemm_.out, field_out);
        return;
    }
    if (gemm_.tap != 0)
        queue_.produce(operation, LEVEE_STREAM(gemm_.tap - 1), field_tap);
    std::uint64_t widest = 0;
    for (const Product& product : products_)
        widest = std::max(widest, product.n);
    const auto patterns = patterns_of(gemm_.out, widest * sizeof(float),
                                      {{gemm_.outer[0], gemm_.out_stride[0]},
                                       {gemm_.outer[1], gemm_.out_stride[1]},
                                       {gemm_.m1, gemm_.out_stride[2]},
                                       {gemm_.m0, gemm_.out_stride[3]}});
    for (const AccessPattern& pattern : patterns)
        queue_.add_stream(operation, Direction::Write, pattern, bytes / patterns.size(), field_out);
}

void GemmRun::load(const Product& product, const AccessPattern& a, const AccessPattern& b)
{
    a_.resize(a.bytes());
    b_.resize(b.bytes());
    queue_.read(a, a_.data(), field_a);
    if (stored_.is_redirected())
        stored_.read(product.index, b, b_.data(), field_b);
    else
        queue_.read(b, b_.data(), field_b);
    a_scale_.resize(gemm_.a_scale != 0 ? m() : 0);
    if (gemm_.a_scale != 0)
        queue_.read(rows_at(gemm_.a_scale, gemm_.a_scale_stride, product, sizeof(float)),
                    a_scale_.data(), field_a_scale);
    b_scale_.resize(gemm_.b_scale != 0 ? product.n : 0);
    if (gemm_.b_scale != 0)
        queue_.read(words_at(base_of(gemm_.b_scale, gemm_.b_scale_stride, product.o0, product.o1),
                             gemm_.b_scale_stride[2], product.n),
                    b_scale_.data(), field_b_scale);
}

void GemmRun::multiply(const Product& product)
{
    const AccessPattern a =
        rows_at(gemm_.a, gemm_.a_stride, product, bytes_of(product.k, gemm_.a_type));
    const AccessPattern b = stationary(product);
    load(product, a, b);

    Gemm one;
    one.m = static_cast<std::uint32_t>(m());
    one.n = static_cast<std::uint32_t>(product.n);
    one.k = static_cast<std::uint32_t>(product.k);
    one.a = {std::as_bytes(std::span(a_)), a.run_bytes, type_of(gemm_.a_type)};
    one.b = {std::as_bytes(std::span(b_)), b.run_bytes, type_of(gemm_.b_type)};
    one.b_transposed = is_transposed();
    one.a_scale = {a_scale_, 1};
    one.b_scale = {b_scale_, 1};
    one.bias = std::span<const float>(bias_).first(bias_.empty() ? 0 : product.n);
    one.alpha = gemm_.alpha;
    one.out_pitch = row_elements(product);
    one.out = std::span(out_).subspan(product.out, m() * one.out_pitch);
    gemm(one);
}

void GemmRun::write_products(std::uint32_t first, std::uint32_t last)
{
    for (std::uint32_t i = first; i < last; ++i) {
        const Product& product = products_[i];
        queue_.write(rows_at(gemm_.out, gemm_.out_stride, product, product.n * sizeof(float)),
                     &out_[product.out]);
    }
}

/// The results as a stream carries them.
std::vector<float> GemmRun::full_rows() const
{
    std::vector<float> rows(products_.size() * m() * gemm_.n, 0.0f);
    auto to = rows.begin();
    for (const Product& product : products_)
        for (std::uint64_t row = 0; row < m(); ++row, to += gemm_.n)
            std::copy_n(&out_[product.out + row * product.n], product.n, to);
    return rows;
}

/// Column folds [first, last) of the only product.
void GemmRun::write_columns(std::uint32_t first, std::uint32_t last)
{
    const Product& product = products_.front();
    const std::uint64_t begin =
        std::min<std::uint64_t>(std::uint64_t{first} * array_.columns, product.n);
    const std::uint64_t end =
        std::min<std::uint64_t>(std::uint64_t{last} * array_.columns, product.n);
    if (begin == 0 && end == product.n) {
        write_products(0, 1);
        return;
    }
    columns_.clear();
    for (std::uint64_t row = 0; row < m(); ++row) {
        const auto at = out_.begin() + static_cast<std::ptrdiff_t>(row * product.n);
        columns_.insert(columns_.end(), at + static_cast<std::ptrdiff_t>(begin),
                        at + static_cast<std::ptrdiff_t>(end));
    }
    if (!columns_.empty())
        queue_.write(rows_at(gemm_.out + begin * sizeof(float), gemm_.out_stride, product,
                             (end - begin) * sizeof(float)),
                     columns_.data());
}

bool GemmRun::is_transposed() const
{
    return (gemm_.flags & LEVEE_RSA_B_TRANSPOSED) != 0;
}

std::uint64_t GemmRun::m() const
{
    return std::uint64_t{gemm_.m1} * gemm_.m0;
}

/// A stream carries rows of the full width, 0 beyond a ragged length.
std::uint64_t GemmRun::row_elements(const Product& product) const
{
    return to_stream_ ? gemm_.n : product.n;
}

AccessPattern GemmRun::rows_at(std::uint64_t address, const std::int32_t (&stride)[4],
                               const Product& product, std::uint64_t run_bytes) const
{
    AccessPattern pattern;
    pattern.address = base_of(address, stride, product.o0, product.o1);
    pattern.run_bytes = run_bytes;
    pattern.count = {1, gemm_.m1, gemm_.m0};
    pattern.stride = {0, stride[2], stride[3]};
    return pattern;
}

AccessPattern GemmRun::stationary(const Product& product) const
{
    AccessPattern pattern;
    pattern.address = base_of(gemm_.b, gemm_.b_stride, product.o0, product.o1);
    pattern.run_bytes = bytes_of(is_transposed() ? product.k : product.n, gemm_.b_type);
    pattern.count[2] = is_transposed() ? product.n : product.k;
    pattern.stride[2] = gemm_.b_stride[2];
    return pattern;
}

} // namespace levee::rsa
