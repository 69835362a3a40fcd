// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/model_guard.hpp"

#include "platform/input/model/model_shape.hpp"

#include <algorithm>

namespace levee::checks {

ModelGuard::ModelGuard(const Context& context, Findings& findings)
    : context_(context), findings_(findings), keys_(context), model_(context.system.placed_model()),
      core_(index_of_initiator(context.system, "core"))
{
    if (model_ == nullptr)
        return;
    base_ = context.plan.components[model_->component].base + model_->offset;
    if (const auto key = keys_.of(base_)) {
        first_key_ = *key;
        context.system.bus().observe(*this);
    }
}

std::optional<std::string> ModelGuard::part(std::uint64_t first, std::uint64_t last) const
{
    if (model_ == nullptr || last < base_ || first >= base_ + model_->bytes)
        return std::nullopt;
    return name(std::max(first, base_) - base_);
}

/// Names the tensor that contains the byte. It is the tensor whose data or scales begin last before
/// or at the byte.
std::string ModelGuard::name(std::uint64_t offset) const
{
    const levee_tensor_entry* nearest = nullptr;
    std::uint64_t begin = 0;
    for (const levee_tensor_entry& entry : model_->tensors)
        for (const std::uint64_t at : {entry.data_offset, entry.scale_offset})
            if (at != 0 && at <= offset && at >= begin) {
                nearest = &entry;
                begin = at;
            }
    const std::string image = "the model's image, in ";
    if (nearest == nullptr)
        return image + "its header and table of tensors";
    return image + (begin == nearest->scale_offset ? "the scales of " : "") +
           std::string(tensor_name(nearest->kind)) +
           (nearest->layer == LEVEE_NO_LAYER ? "" : " of layer " + std::to_string(nearest->layer));
}

void ModelGuard::passed(const bus::Transaction& transaction)
{
    if (transaction.initiator != core_ || transaction.window == nullptr ||
        !transaction.payload->is_write())
        return;
    const tlm::tlm_generic_payload& payload = *transaction.payload;
    const std::uint64_t key = MemoryKeys::of(*transaction.window, payload.get_address());
    const std::uint64_t bytes = payload.get_data_length();
    if (key + bytes <= first_key_ || key >= first_key_ + model_->bytes)
        return;
    const riscv::Hart& hart = context_.system.core().hart();
    const std::uint32_t pc = hart.access_pc();
    if (!reported_.insert(pc).second)
        return;
    findings_.report("core",
                     "writes " + std::to_string(bytes) + " bytes at " + hex(payload.get_address()) +
                         ", in " + name(std::max(key, first_key_) - first_key_) + "; pc " +
                         context_.place(pc) + ", ra " + context_.place(hart.reg(ra)),
                     context_.core_ps());
}

} // namespace levee::checks
