#include "weights/account.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "weights/captured_parameters.h"

namespace thence::weights {
namespace {

using modules::ModuleId;
using modules::no_module;

// The buffers of torch.nn, by the last part of their names. Without the live model, other buffers cannot be
// distinguished from parameters.
constexpr std::string_view buffer_names[] = {"running_mean", "running_var", "num_batches_tracked"};

// The number of elements; nothing if it is not known or does not fit.
std::optional<std::uint64_t> live_element_count(const CapturedParameter& parameter) {
  if (!parameter.has_dims) return std::nullopt;
  std::uint64_t count = 1;
  for (const std::int64_t size : parameter.dims)
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return std::nullopt;
  return count;
}

class Accountant {
 public:
  Accountant(const semantics::Map& map, const std::vector<Weight>& weights) : map_(map), weights_(weights) {}

  Account run() {
    list_live_parameters();
    for (std::size_t i = 0; i < weights_.size(); ++i)
      account_.has_live_model ? count_in_live_model(i) : count_by_name(i);
    for (const AccountRow& row : account_.rows)
      if (row.in_file > 0)
        add(row.module, row.parameter->is_buffer ? CountedAs::buffer : CountedAs::parameter, row.in_file);
    return std::move(account_);
  }

 private:
  void list_live_parameters() {
    const std::vector<CapturedParameter>* const live = map_.hierarchy().live_parameters();
    if (live == nullptr || live->empty()) return;
    for (const CapturedParameter& parameter : *live) {
      const std::optional<std::uint64_t> elements = live_element_count(parameter);
      if (!elements) return account_.rows.clear();
      const ModuleId owner = map_.own_tree().find(owner_of(parameter.path));
      const auto row = static_cast<std::uint32_t>(account_.rows.size());
      account_.rows.push_back({&parameter, owner == no_module ? owner : map_.shown_as(owner), *elements});
      row_of_.emplace(parameter.path, row);
      for (const std::string& alias : parameter.aliases) row_of_.emplace(alias, row);
    }
    account_.has_live_model = true;
  }

  std::uint64_t elements_of(std::size_t initializer) const {
    const onnx::Initializer& stored = map_.model().initializers()[initializer];
    return map_.model().tensor(stored).elements().value_or(0);
  }

  void add(ModuleId module, CountedAs counted_as, std::uint64_t elements) {
    if (elements > 0) account_.shares.push_back({module, counted_as, elements});
  }

  // Elements of the live model count, not those of the file: blocks are padded, and small integers packed.
  void count_in_live_model(std::size_t initializer) {
    const Weight& weight = weights_[initializer];
    bool any = false;
    for (std::size_t i = 0; i < weight.parameters.size() && weight.holds_parameters(); ++i) {
      const auto found = row_of_.find(weight.parameters[i]);
      if (found == row_of_.end()) continue;
      any = true;
      AccountRow& row = account_.rows[found->second];
      if (weight.transform == Transform::folded && i > 0) {
        row.is_folded = true;
      } else {
        const std::uint64_t held =
            weight.transform == Transform::split ? elements_of(initializer) : row.elements;
        row.in_file += std::min(held, row.elements - row.in_file);
      }
    }
    if (!any) add(weight.module, CountedAs::constant, elements_of(initializer));
  }

  void count_by_name(std::size_t initializer) {
    const Weight& weight = weights_[initializer];
    const std::uint64_t elements = elements_of(initializer);
    if (is_constant(initializer)) return add(weight.module, CountedAs::constant, elements);
    const std::string_view name = weight.holds_parameters() ? weight.parameters.front() : std::string_view();
    const bool is_buffer = std::find(std::begin(buffer_names), std::end(buffer_names), last_name(name)) !=
                           std::end(buffer_names);
    // A second initializer with the same parameter is a copy of it, unless each holds a part.
    if (!name.empty() && weight.transform != Transform::split && !counted_.insert(name).second) return;
    add_to_owners(weight, is_buffer ? CountedAs::buffer : CountedAs::parameter, elements);
  }

  // Joined parameters of unknown sizes are equally large in all but a few models.
  void add_to_owners(const Weight& weight, CountedAs counted_as, std::uint64_t elements) {
    const std::size_t count = weight.parameters.size();
    if (weight.transform != Transform::concatenated || count < 2 || elements % count != 0)
      return add(weight.module, counted_as, elements);
    for (const std::string& parameter : weight.parameters) {
      const ModuleId owner = map_.own_tree().find(owner_of(parameter));
      add(owner == no_module ? weight.module : map_.shown_as(owner), counted_as, elements / count);
    }
  }

  // Sizes, masks and tensors in the code of the model are no parameters, nor are scales and zero points.
  bool is_constant(std::size_t initializer) const {
    const Weight& weight = weights_[initializer];
    if (weight.holds_parameters()) return is_lifted_constant(weight.parameters.front());
    const onnx::TensorView tensor = map_.model().tensor(map_.model().initializers()[initializer]);
    return weight.is_known() || !onnx::is_float(tensor.data_type) || tensor.elements().value_or(0) < 2;
  }

  const semantics::Map& map_;
  const std::vector<Weight>& weights_;
  Account account_;
  std::unordered_map<std::string_view, std::uint32_t> row_of_;  // by path or alias
  std::unordered_set<std::string_view> counted_;
};

}  // namespace

Account account_for_parameters(const semantics::Map& map, const std::vector<Weight>& weights) {
  return Accountant(map, weights).run();
}

}  // namespace thence::weights
