#include "transfer/numbering.h"

#include <algorithm>
#include <numeric>

#include "transfer/mix.h"

namespace thence::transfer {

std::uint64_t Numbering::key_of(const Step& step, std::vector<std::uint64_t>& codes) {
  if (step.commutes) std::sort(codes.begin(), codes.end());
  std::uint64_t key = mixed(step.op, step.place);
  for (const std::uint64_t code : codes) key = mixed(key, code);
  return key;
}

std::uint64_t Numbering::weight_key(const Step& step, const Constant& weight) {
  return mixed(mixed(step.op, step.place), weight.content ^ 0x77);
}

Numbering::Numbering(const Net& ancestor) : classes(ancestor.root_count()) {
  for (Root root = 0; root < classes.size(); ++root) classes[root] = mixed(root, 0x616e63);
  alike.resize(classes.size());
  std::iota(alike.begin(), alike.end(), Root{0});
  by_key.reserve(ancestor.steps().size());
  by_partial.reserve(ancestor.steps().size());
  for (StepId id = 0; id < ancestor.steps().size(); ++id) add(ancestor, id);
}

void Numbering::add(const Net& net, StepId id) {
  const Step& step = net.steps()[id];
  codes_.clear();
  variable_.clear();
  data_.clear();
  for (const Root root : net.inputs(step)) {
    const Constant* const constant = net.constant(root);
    codes_.push_back(constant != nullptr && constant->content != 0 ? constant->content : classes[root]);
    if (constant == nullptr) {
      variable_.push_back(codes_.back());
      // What depends on sizes alone is constant once they are fixed.
      const StepId maker = net.maker(root);
      if (maker == none || !net.is_aside(net.steps()[maker].node)) data_.push_back(codes_.back());
    } else if (constant->content != 0) {
      contents.insert(constant->content);
      if (constant->elements >= least_weight) by_weight.add(weight_key(step, *constant), id);
    }
  }
  const std::uint64_t key = key_of(step, codes_);
  // What does nothing gives what it reads, and may also be found by itself.
  classes[step.output] = step.hands_on != none ? classes[step.hands_on] : mixed(key, step.detail);
  if (variable_.empty() && step.input_count > 0) return;  // constants alone tell nothing
  by_key.add(key, id, [&](StepId before) {
    const Root same = net.steps()[before].output;
    if (classes[same] != classes[step.output]) return false;
    std::swap(alike[same], alike[step.output]);
    return true;
  });
  // Constants that are computed may be among the details, and not among what is read.
  if (!variable_.empty()) by_partial.add(key_of(step, variable_), id);
  if (!data_.empty() && data_.size() < variable_.size()) by_partial.add(key_of(step, data_), id);
}

}  // namespace thence::transfer
