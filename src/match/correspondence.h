// Which ONNX operators an operation of PyTorch becomes, as learned from exports
// (schema/operators.json): for each operation how often it leaves nothing, how often another node after one,
// and how its nodes spread over operators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thence::match {

struct Habit {
  float skips = 0;                                 // the chance that it leaves no node
  float stays = 0;                                 // that a node of it is followed by another one of it
  std::unordered_map<std::string, float> becomes;  // operator -> chance
};

/// Whether an operation of PyTorch and an operator bear the same name: aten.hardswish.default, HardSwish.
bool sound_alike(std::string_view operation, std::string_view op);

/// One exporter's habits.
class Correspondence {
 public:
  Correspondence(std::string name, std::unordered_map<std::string, Habit> habits);

  const std::string& name() const { return name_; }
  bool knows_operator(std::string_view op) const { return operators_.contains(std::string(op)); }
  /// An operation that was never met is judged by its name.
  Habit habit(std::string_view operation) const;
  const std::unordered_map<std::string, Habit>& habits() const { return habits_; }

  /// Those that ship with the program, one for each exporter.
  static const std::vector<Correspondence>& shipped();

 private:
  std::string name_;
  std::unordered_map<std::string, Habit> habits_;
  std::unordered_map<std::string, float> operators_;  // how common each is
};

}  // namespace thence::match
