#include "capture/recording.h"

namespace thence::capture {
namespace {

std::uint32_t number_of(std::string_view text, std::vector<std::string>& texts,
                        std::unordered_map<std::string, std::uint32_t>& numbers) {
  const auto [found, fresh] = numbers.emplace(text, static_cast<std::uint32_t>(texts.size()));
  if (fresh) texts.emplace_back(text);
  return found->second;
}

}  // namespace

std::uint32_t Recording::word(std::string_view text) { return number_of(text, words, word_numbers_); }

std::uint32_t Recording::parameter(std::string_view path) {
  return number_of(path, parameters, parameter_numbers_);
}

std::optional<std::uint32_t> Recording::find_parameter(const std::string& path) const {
  const auto found = parameter_numbers_.find(path);
  return found == parameter_numbers_.end() ? std::nullopt : std::optional(found->second);
}

void Recording::rename_parameters(const std::function<std::string(const std::string&)>& rename) {
  parameter_numbers_.clear();
  for (std::uint32_t number = 0; number < parameters.size(); ++number) {
    parameters[number] = rename(parameters[number]);
    parameter_numbers_.emplace(parameters[number], number);
  }
}

void Recording::begin(RecordedStep step) {
  step.first_input = step.first_output = static_cast<std::uint32_t>(links.size());
  steps.push_back(step);
}

void Recording::begin_outputs() {
  made.resize(steps.back().first_input, 0xffffffff);
  for (std::size_t link = made.size(); link < links.size(); ++link)
    made.push_back(values[links[link]].made_by);
  steps.back().first_output = static_cast<std::uint32_t>(links.size());
}

}  // namespace thence::capture
