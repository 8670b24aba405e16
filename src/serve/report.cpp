#include "serve/report.h"

#include <algorithm>
#include <vector>

#include "base/json_writer.h"
#include "serve/limits.h"

namespace thence::serve {
namespace {

using base::JsonWriter;

struct Level {
  std::vector<Box> boxes, inside;  // the boxes of this level, and those in them
  std::vector<onnx::NodeId> nodes;
  std::size_t items = 0;
};

// Lists what is in the boxes. Stops when there are more than `limit` items.
Level list_level(const ViewData& data, std::vector<Box> boxes, std::size_t limit) {
  Level level{.boxes = std::move(boxes)};
  for (const Box& box : level.boxes) {
    for (const Item& item : data.boxes().items(box)) {
      if (item.kind == Item::Kind::node) level.nodes.push_back(item.number);
      if (item.kind == Item::Kind::module) level.inside.push_back({item.number});
      if (item.kind == Item::Kind::chunk) level.inside.push_back({box.module, item.chunk});
      for (const ModuleId member : item.members) level.inside.push_back({member});
      level.items += 1 + item.members.size();
    }
    if (level.items > limit) break;
  }
  return level;
}

class Collector {
 public:
  Collector(const ViewData& data, const ReportOptions& options) : data_(data) {
    const std::size_t limit = options.depth ? static_cast<std::size_t>(-1) : max_report_items;
    std::size_t items = 0;
    std::vector<Box> next{{modules::root}};
    while (!next.empty() && (!options.depth || levels_.size() < std::max<std::size_t>(*options.depth, 1))) {
      Level level = list_level(data, next, limit - items);
      items += level.items;
      if (items > limit && !levels_.empty()) break;
      next = level.inside;
      levels_.push_back(std::move(level));
    }
    is_cut_ = !next.empty();
  }

  std::size_t depth() const { return levels_.size(); }
  bool is_cut() const { return is_cut_; }

  void write(JsonWriter& json) const {
    json.verbatim<"model">(*data_.answer("model", {}));
    json.member<"depth">(levels_.size());
    json.member<"cut">(is_cut_);
    write_boxes("open", true, json);
    write_boxes("children", false, json);
    write_nodes(json);
    json.verbatim<"review">(*data_.answer("review", {}));
  }

 private:
  void write_boxes(std::string_view question, bool with_chunks, JsonWriter& json) const {
    json.key(question);
    json.begin_object();
    for (const Level& level : levels_)
      for (const Box& box : level.boxes) {
        if (box.chunk && !with_chunks) continue;
        json.key(name_of(box));
        json.verbatim(*data_.answer(question, {{"id", name_of(box)}}));
      }
    json.end_object();
  }

  void write_nodes(JsonWriter& json) const {
    json.begin_array<"nodes">();
    for (const Level& level : levels_)
      for (const onnx::NodeId node : level.nodes)
        json.verbatim(*data_.answer("node", {{"id", "n" + std::to_string(node)}}));
    json.end_array();
  }

  const ViewData& data_;
  std::vector<Level> levels_;
  bool is_cut_ = false;
};

}  // namespace

ReportData collect_report(const ViewModels& models, const ReportOptions& options) {
  const Collector main(models.main(), options);
  ReportData report{.depth = main.depth(), .is_cut = main.is_cut()};
  JsonWriter json(report.json);
  json.begin_object();
  json.member<"schema">("thence.report/1");
  main.write(json);
  if (models.other() != nullptr) {
    const Collector other(*models.other(), options);
    report.is_cut = report.is_cut || other.is_cut();
    report.depth = std::min(report.depth, other.depth());
    json.begin_object<"other">();
    other.write(json);
    json.end_object();
    json.key<"links">();
    models.write_links(json);
  }
  json.end_object();
  return report;
}

}  // namespace thence::serve
