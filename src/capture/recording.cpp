#include "capture/recording.h"

namespace thence::capture {
namespace {

std::uint32_t intern(std::string_view text, std::vector<std::string>& texts,
                     std::unordered_map<std::string, std::uint32_t>& numbers) {
  const auto [found, is_new] = numbers.emplace(text, static_cast<std::uint32_t>(texts.size()));
  if (is_new) texts.emplace_back(text);
  return found->second;
}

}  // namespace

std::uint32_t Recording::intern_op_name(std::string_view text) {
  return intern(text, op_names, op_name_ids_);
}

std::uint32_t Recording::intern_parameter(std::string_view path) {
  return intern(path, parameters, parameter_ids_);
}

std::optional<std::uint32_t> Recording::find_parameter(const std::string& path) const {
  const auto found = parameter_ids_.find(path);
  return found == parameter_ids_.end() ? std::nullopt : std::optional(found->second);
}

void Recording::rename_parameters(const std::function<std::string(const std::string&)>& rename) {
  parameter_ids_.clear();
  for (std::uint32_t number = 0; number < parameters.size(); ++number) {
    parameters[number] = rename(parameters[number]);
    parameter_ids_.emplace(parameters[number], number);
  }
}

void Recording::begin_step(RecordedStep step) {
  step.first_input = step.first_output = static_cast<std::uint32_t>(links.size());
  steps.push_back(step);
}

void Recording::begin_outputs() {
  link_producers.resize(steps.back().first_input, 0xffffffff);
  for (std::size_t link = link_producers.size(); link < links.size(); ++link)
    link_producers.push_back(values[links[link]].producer);
  steps.back().first_output = static_cast<std::uint32_t>(links.size());
}

}  // namespace thence::capture
