// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/batching.hpp"

namespace levee::dram {

namespace {

/// Reads go first until the write queue is nearly full; then each direction has its batch.
class Watermark : public Batching {
public:
    explicit Watermark(const Controller& controller)
        : high_(controller.write_high), batch_(controller.batch)
    {
    }

    [[nodiscard]] bool writes_next(bool writing, unsigned reads, unsigned writes,
                                   unsigned in_a_row) const override
    {
        if (writes == 0 || reads == 0)
            return writes > 0;
        const bool had_its_batch = in_a_row >= batch_;
        return writing ? !had_its_batch : had_its_batch && writes >= high_;
    }

private:
    unsigned high_, batch_;
};

/// Writes are done when no reads wait, or when the queue has no room for another write.
class ReadsFirst : public Batching {
public:
    explicit ReadsFirst(const Controller& controller) : full_(controller.write_queue) {}

    [[nodiscard]] bool writes_next(bool /*writing*/, unsigned reads, unsigned writes,
                                   unsigned /*in_a_row*/) const override
    {
        return writes > 0 && (reads == 0 || writes >= full_);
    }

private:
    unsigned full_;
};

} // namespace

std::shared_ptr<const Batching> make_batching(const Controller& controller)
{
    if (controller.batching == BatchingMode::ReadsFirst)
        return std::make_shared<ReadsFirst>(controller);
    return std::make_shared<Watermark>(controller);
}

} // namespace levee::dram
