// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/product_list.hpp"

#include "core/command/tensor_rows.hpp"

namespace levee::rsa {

void ProductList::read(StoredRows& stored)
{
    groups_.clear();
    rows_listed_.clear();
    if (gemm_.shares_rows())
        list_shares();
    else
        list_lengths();
    stored.begin(gemm_.op());
    find_rows_elsewhere(stored);
}

std::size_t ProductList::elements() const
{
    const ProductGroup& last = groups_.back();
    return last.out + last.count * last.m * gemm_.row_elements(last.n);
}

/// Groups the products by size: one group for all, or one group for each run of equal lengths.
void ProductList::list_lengths()
{
    const levee_rsa_operation& op = gemm_.op();
    if (op.ragged == LEVEE_RSA_RAGGED_NONE) {
        add(gemm_.product_count(), op.k, op.n);
        return;
    }
    const bool ragged_k = op.ragged == LEVEE_RSA_RAGGED_K;
    const std::uint64_t longest = ragged_k ? op.k : op.n;
    const std::vector<std::uint32_t> lengths = read_lengths();
    for (const std::uint32_t word : lengths) {
        const std::uint64_t length = op.length_add + std::uint64_t{word};
        if (length == 0 || length > longest)
            throw CommandFault{LEVEE_ERROR_FIELD, field_lengths};
        add(gemm_.product_count() / lengths.size(), ragged_k ? length : op.k,
            ragged_k ? op.n : length);
    }
}

void ProductList::add(std::size_t count, std::uint64_t k, std::uint64_t n)
{
    if (!groups_.empty() && groups_.back().k == k && groups_.back().n == n) {
        groups_.back().count += count;
        return;
    }
    std::size_t first = 0, out = 0;
    if (!groups_.empty()) {
        const ProductGroup& last = groups_.back();
        first = last.first + last.count;
        out = last.out + last.count * gemm_.m() * gemm_.row_elements(last.n);
    }
    groups_.push_back(ProductGroup{first, count, k, n, out, 0, 0, gemm_.m(), 0});
}

/// Ragged M: makes a group for each product that has rows.
void ProductList::list_shares()
{
    const levee_rsa_operation& op = gemm_.op();
    std::vector<std::uint32_t> words(op.outer[0]);
    const AccessPattern lengths = contiguous(op.lengths, words.size() * sizeof(std::uint32_t));
    queue_.read_control(lengths, words.data(), field_lengths);
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] != 0)
            groups_.push_back(ProductGroup{i, 1, op.k, op.n, row * op.n, 0, 0, words[i], row});
        row += words[i];
    }
    if (row != gemm_.m())
        throw CommandFault{LEVEE_ERROR_FIELD, field_lengths};
    if (!gemm_.is_listed())
        return;
    rows_listed_.resize(gemm_.m());
    queue_.read_control(
        contiguous(op.lengths + lengths.bytes(), rows_listed_.size() * sizeof(std::uint32_t)),
        rows_listed_.data(), field_lengths);
}

/// Reads the lengths: one word for each product, or one for each o0 if all products with this o0
/// share the length.
std::vector<std::uint32_t> ProductList::read_lengths()
{
    const levee_rsa_operation& op = gemm_.op();
    const bool shared = op.lengths_stride[1] == 0;
    AccessPattern pattern;
    pattern.address = op.lengths;
    pattern.run_bytes = sizeof(std::uint32_t);
    pattern.count = {1, op.outer[0], shared ? 1u : op.outer[1]};
    pattern.stride = {0, op.lengths_stride[0], op.lengths_stride[1]};
    std::vector<std::uint32_t> words(pattern.runs());
    queue_.read_control(pattern, words.data(), field_lengths);
    return words;
}

void ProductList::find_rows_elsewhere(StoredRows& stored)
{
    const levee_rsa_operation& op = gemm_.op();
    if (!stored.is_redirected())
        return;
    for (ProductGroup& group : groups_) {
        const std::uint64_t rows = gemm_.is_transposed() ? group.n : group.k;
        if (!stored.has_tables()) {
            group.rows_elsewhere = group.count * stored.likely(rows);
            if (gemm_.partial_rows_are_free()) {
                const std::uint64_t staged = group.count * stored.common(rows);
                group.rows_free = group.rows_elsewhere - staged;
                group.rows_elsewhere = staged;
            }
            continue;
        }
        for (std::size_t i = group.first; i < group.first + group.count; ++i)
            group.rows_elsewhere +=
                stored.add_product(static_cast<std::uint32_t>(i / op.outer[1]),
                                   static_cast<std::uint32_t>(i % op.outer[1]), rows);
    }
}

ProductGroup ProductList::some_of(const ProductGroup& group, std::size_t first,
                                  std::size_t count) const
{
    ProductGroup some = group;
    some.first = first;
    some.count = count;
    some.out = group.out + (first - group.first) * group.m * gemm_.row_elements(group.n);
    return some;
}

} // namespace levee::rsa
