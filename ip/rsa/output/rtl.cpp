// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/output/rtl.hpp"

#include <memory>
#include <utility>

namespace levee::rsa::output {

RtlEngine::RtlEngine(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode)
{
}

RtlEngine::~RtlEngine() = default;

std::vector<Sums> RtlEngine::multiply(std::vector<Product> products, std::uint32_t,
                                      std::uint32_t heads)
{
    const auto work = std::make_shared<const Work>(Work{std::move(products), heads});
    Run run = perform(work);
    if (in_lockstep())
        check_cycles("cycles until the last sums", cycles_of(size(), work->products), run.cycles);
    return std::move(run.sums);
}

} // namespace levee::rsa::output
