#include "api/check_rows.h"

#include "base/brief.h"
#include "base/format.h"

namespace thence::api {
namespace {

std::string node_location(const onnx::Model& model, onnx::NodeId id) {
  const onnx::Node node = model.node(id);
  if (!node.name().empty()) return std::string(node.name());
  return base::format("{}#{}", model.graph_label(node.graph()), node.index());
}

}  // namespace

output::Rows tag_rows(const semantics::Map& map, const edit::TagReport& report) {
  const onnx::Model& model = map.model();
  output::Rows rows{.schema = "thence.check/1",
                    .list = "findings",
                    .head = {{"model", model.file()},
                             {"nodes", report.nodes},
                             {"tagged", report.tagged},
                             {"stale", report.stale},
                             {"no_module", report.no_module},
                             {"contradicted", report.contradicted}},
                    .columns = {"node", "op_type", "fault", "tag", "evidence"}};
  for (const edit::TagFinding& finding : report.findings)
    rows.cells.push_back({node_location(model, finding.node), std::string(model.node(finding.node).op_type()),
                          std::string(edit::name_of(finding.fault)), finding.tagged, finding.evidence});
  return rows;
}

output::Rows survival_rows(const std::string& against) {
  return {
      .schema = "thence.survival/1",
      .list = "passes",
      .head = {{"against", against}},
      .columns = {"model", "ids", "survived", "retyped", "copied", "merged", "vanished", "nodes", "fresh"}};
}

void add_survival(const std::string& file, const edit::Survival& found, output::Rows& rows) {
  rows.cells.push_back({file, found.ids, found.survived, found.retyped, found.copied, found.merged,
                        found.vanished, found.nodes, found.fresh});
}

Error no_ids(const std::string& file) {
  return {ErrorKind::bad_input, "E002", base::format("{}: no node has an id", base::brief(file)),
          "write ids with thence check MODEL --synthesise -o FILE, then run the tool on that file"};
}

Error tags_would_be_scored(const std::string& file) {
  return {
      ErrorKind::bad_input, "S005",
      base::format("{}: the model has tags of thence, which would be scored as answers", base::brief(file)),
      "remove the tags with thence strip, or use --ignore-tags"};
}

}  // namespace thence::api
