// The answers of an ancestor, for tests of what is made of them.
#pragma once

#include <vector>

#include "evidence/ancestor.h"

namespace thence::test {

inline constexpr modules::ModuleId unmatched = modules::no_module;

// By node: its module, or `unmatched`.
inline evidence::AncestorAnswers answers_of(const std::vector<modules::ModuleId>& modules) {
  evidence::AncestorAnswers answers;
  for (const modules::ModuleId module : modules) {
    evidence::AncestorAnswer answer;
    answer.first_module = static_cast<std::uint32_t>(answers.modules.size());
    if (module == unmatched) {
      answer.no_answer = evidence::NoAnswer::not_matched;
    } else {
      answer.module_count = 1;
      answers.modules.push_back(module);
      answers.parts.push_back(evidence::Part::other);
    }
    answers.answers.push_back(answer);
  }
  return answers;
}

}  // namespace thence::test
