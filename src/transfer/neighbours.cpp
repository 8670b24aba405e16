#include "transfer/neighbours.h"

#include <algorithm>
#include <span>

namespace thence::transfer {
namespace {

constexpr std::size_t most_looked_at = 64;  // around one step: a hub tells little

class Neighbourhood {
 public:
  explicit Neighbourhood(const Paired& paired, const Candidates* open = nullptr)
      : p_(paired), open_(open), a_(paired.ancestor), d_(paired.descendant) {}

  // Nothing when there are more than anybody looks at.
  std::vector<StepId> all(StepId ours) const {
    std::vector<StepId> steps = around(ours);
    if (steps.size() == most_looked_at) return {};
    std::erase_if(steps, [&](StepId each) { return !fit(ours, each); });
    return steps;
  }

  StepId theirs(StepId ours) const {
    return only(around(ours), a_, d_.steps()[ours], [&](StepId each) { return fit(ours, each); });
  }

  // The other way round: which of the steps around ours it could be.
  StepId ours(StepId near, StepId theirs) const {
    std::vector<StepId> candidates{near};
    for (const Root root : d_.inputs(d_.steps()[near])) add_readers(d_, root, candidates);
    each_paired_reader(near, [&](const Step& reader, const Step&) { add_makers(d_, reader, candidates); });
    return only(candidates, d_, a_.steps()[theirs], [&](StepId each) { return fit(each, theirs); });
  }

 private:
  // What reads, or is read by, the partners of what a step reads or is read by.
  std::vector<StepId> around(StepId ours) const {
    std::vector<StepId> steps;
    for (const Root root : d_.inputs(d_.steps()[ours])) {
      if (p_.partners[root] != none) add_readers_of_all(p_.partners[root], steps);
      if (const std::vector<StepId>* const open = open_at(root))
        for (const StepId maker : *open) add_readers(a_, a_.steps()[maker].output, steps);
    }
    each_paired_reader(ours, [&](const Step&, const Step& reader) { add_makers(a_, reader, steps); });
    return steps;
  }

  const std::vector<StepId>* open_at(Root ours) const {
    const auto found = open_ == nullptr ? Candidates::const_iterator() : open_->find(ours);
    return open_ == nullptr || found == open_->end() ? nullptr : &found->second;
  }

  static void add(StepId step, std::vector<StepId>& steps) {
    if (step != none && steps.size() < most_looked_at &&
        std::find(steps.begin(), steps.end(), step) == steps.end())
      steps.push_back(step);
  }
  static void add_readers(const Net& net, Root root, std::vector<StepId>& steps) {
    if (net.constant(root) != nullptr) return;
    for (const StepId reader : net.readers(root)) add(reader, steps);
  }
  // Of a value of the ancestor, and of all that are equal to it.
  void add_readers_of_all(Root partner, std::vector<StepId>& steps) const {
    Root each = partner;
    do {
      add_readers(a_, each, steps);
      each = p_.known.alike[each];
    } while (each != partner && steps.size() < most_looked_at);
  }
  static void add_makers(const Net& net, const Step& step, std::vector<StepId>& steps) {
    for (const Root root : net.inputs(step)) add(net.maker(root), steps);
  }

  // Readers of what a step makes, and what they are in the ancestor, as far as both are one operation.
  template <class See>
  void each_paired_reader(StepId ours, See see) const {
    const auto readers = d_.readers(d_.steps()[ours].output);
    for (const StepId id : readers.first(std::min(readers.size(), most_looked_at))) {
      const Step& reader = d_.steps()[id];
      const Root partner = p_.partners[reader.output];
      if (partner == none || a_.maker(partner) == none) continue;
      const Step& theirs = a_.steps()[a_.maker(partner)];
      if (theirs.op == reader.op) see(reader, theirs);
    }
  }

  // The only one that fits, or the only one of these that is like `wanted` in every detail.
  template <class Fits>
  static StepId only(const std::vector<StepId>& candidates, const Net& net, const Step& wanted, Fits fits) {
    if (candidates.size() == most_looked_at) return none;  // there may be more
    StepId any = none, same = none;
    std::size_t fitting = 0, same_count = 0;
    for (const StepId each : candidates) {
      if (!fits(each)) continue;
      any = each;
      ++fitting;
      if (net.steps()[each].detail != wanted.detail) continue;
      same = each;
      ++same_count;
    }
    return fitting == 1 ? any : same_count == 1 ? same : none;
  }

  bool fit(StepId ours, StepId theirs) const {
    const Step &step = d_.steps()[ours], &other = a_.steps()[theirs];
    if (step.op != other.op || step.place != other.place || p_.partners[step.output] != none ||
        p_.taken[other.output] || d_.constant(step.output) != nullptr || a_.constant(other.output) != nullptr)
      return false;
    std::vector<Root> data, their_data;
    const bool as_they_are = step.input_count == other.input_count;
    if (!as_they_are) {
      d_.data_inputs(step, p_.known.contents, data);
      a_.data_inputs(other, p_.known.contents, their_data);
    }
    const std::span<const Root> inputs = as_they_are ? d_.inputs(step) : data,
                                others = as_they_are ? a_.inputs(other) : their_data;
    if (inputs.size() != others.size()) return false;
    const auto all_fit = [&](std::size_t turn) {
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!same(inputs[i], others[(i + turn) % others.size()])) return false;
      return true;
    };
    if (!all_fit(0) && !(step.commutes && inputs.size() == 2 && all_fit(1))) return false;
    bool read_alike = true;
    each_paired_reader(ours, [&](const Step&, const Step& reader) {
      const auto read = a_.inputs(reader);
      read_alike &= std::any_of(read.begin(), read.end(), [&](Root root) {
        return p_.known.classes[root] == p_.known.classes[other.output];
      });
    });
    return read_alike;
  }

  bool same(Root ours, Root theirs) const {
    if (p_.partners[ours] != none) return p_.known.classes[p_.partners[ours]] == p_.known.classes[theirs];
    const StepId mine = d_.maker(ours), other = a_.maker(theirs);
    if (const Constant* const constant = d_.constant(ours)) {
      if (const Constant* const weight = a_.constant(theirs)) return may_be(*constant, *weight);
      return other != none && a_.is_aside(a_.steps()[other].node);  // sizes that were fixed
    }
    if (a_.constant(theirs) != nullptr || p_.taken[theirs] || mine == none || other == none) return false;
    if (const std::vector<StepId>* const open = open_at(ours))
      return std::find(open->begin(), open->end(), other) != open->end();
    return d_.steps()[mine].op == a_.steps()[other].op;
  }

  static bool may_be(const Constant& ours, const Constant& theirs) {
    return ours.content == theirs.content || theirs.content == 0 || ours.content == 0 ||
           (ours.elements == theirs.elements && ours.is_float == theirs.is_float);
  }

  const Paired& p_;
  const Candidates* open_;  // null: not looked for
  const Net &a_, &d_;
};

}  // namespace

StepId one_that_fits(const Paired& paired, StepId step) {
  const Neighbourhood around(paired);
  const StepId theirs = around.theirs(step);
  return theirs != none && around.ours(step, theirs) == step ? theirs : none;
}

Candidates all_that_fit(const Paired& paired) {
  Candidates found;
  const Neighbourhood around(paired, &found);
  for (StepId id = 0; id < paired.descendant.steps().size(); ++id) {
    const Root made = paired.descendant.steps()[id].output;
    if (paired.partners[made] != none || paired.descendant.constant(made) != nullptr) continue;
    if (std::vector<StepId> steps = around.all(id); !steps.empty()) found.emplace(made, std::move(steps));
  }
  return found;
}

}  // namespace thence::transfer
