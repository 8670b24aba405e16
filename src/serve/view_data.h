// ViewData: everything that the page may ask for, as JSON. The server and the report both use it; the
// TypeScript interface DataSource in viewer/src/data describes the same questions.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "serve/boxes.h"
#include "serve/outline.h"
#include "serve/overlay.h"
#include "serve/picture.h"
#include "serve/summaries.h"

namespace thence::serve {

/// Parameters of a question, such as {"id", "m12"}.
using Parameters = std::map<std::string, std::string, std::less<>>;

class ViewData {
 public:
  /// The map must outlive this object.
  explicit ViewData(const semantics::Map& map, Overlay overlay = {});
  ViewData(const ViewData&) = delete;
  ViewData& operator=(const ViewData&) = delete;

  /// Answers a question by name: model, open, children, node, locate, search, where, review, flow or
  /// weights. Returns an error of kind usage if there is no such question, box or node.
  Result<std::string> answer(std::string_view question, const Parameters& parameters) const;

  const semantics::Map& map() const { return map_; }
  const Outline& outline() const { return outline_; }
  const Boxes& boxes() const { return boxes_; }
  const Overlay& overlay() const { return overlay_; }
  std::optional<onnx::NodeId> find_node(const Parameters& parameters) const;

 private:
  using Answer = Result<std::string>;
  Answer model(const Parameters& parameters) const;
  Answer open(const Parameters& parameters) const;
  Answer children(const Parameters& parameters) const;
  Answer node(const Parameters& parameters) const;
  Answer locate(const Parameters& parameters) const;
  Answer search(const Parameters& parameters) const;
  Answer where(const Parameters& parameters) const;
  Answer review(const Parameters& parameters) const;
  Answer flow(const Parameters& parameters) const;
  Answer weights(const Parameters& parameters) const;
  /// {"total", "nodes": the first rows, "ranges": the positions of all}.
  std::string found(const std::vector<onnx::NodeId>& nodes) const;

  const semantics::Map& map_;
  Overlay overlay_;
  shapes::InferredShapes inferred_;
  Outline outline_;
  Boxes boxes_;
  Summaries summaries_;
  dataflow::Uses uses_;
  Pictures pictures_;
};

}  // namespace thence::serve
