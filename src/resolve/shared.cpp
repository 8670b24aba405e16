// Exporters merge equal subexpressions: layer 1's attention mask is computed by a node that bears layer 0's name. Such
// a node depends on nothing inside its layer, and the same place in other layers reads it besides its own module.
#include <algorithm>

#include "base/text.h"
#include "resolve/propagate.h"

namespace thence::resolve {
namespace {

// Where two paths part, when they part at a layer's number and are the same after it: "encoder.layer." for
// encoder.layer.0.attention and encoder.layer.1.attention.
std::string_view twin_prefix(std::string_view a, std::string_view b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  while (at > 0 && a[at - 1] != '.') --at;
  const std::size_t end_a = std::min(a.find('.', at), a.size()), end_b = std::min(b.find('.', at), b.size());
  const bool numbers = base::is_digits(a.substr(at, end_a - at)) && base::is_digits(b.substr(at, end_b - at));
  if (!numbers || end_a == a.size() || a.substr(end_a) != b.substr(end_b)) return {};
  return a.substr(0, at);
}

class Sharing {
 public:
  Sharing(const onnx::Model& model, const hierarchy::ModuleTree& tree, const Wiring& wiring, Resolution& resolution)
      : model_(model), tree_(tree), wiring_(wiring), resolution_(resolution), shared_(model.node_count(), false) {}

  void run() {
    for (onnx::NodeId id = 0; id < model_.node_count(); ++id)
      if (resolution_.nodes[id].known() && resolution_.nodes[id].named) look_at(id);
  }

 private:
  void look_at(onnx::NodeId id) {
    const ModuleId own = resolution_.nodes[id].module;
    std::vector<ModuleId> serves{own};
    std::string_view layers;
    bool serves_own = false;
    std::size_t looked = 0;
    for (const onnx::ValueId value : model_.node(id).outputs()) {
      if (value == onnx::none) continue;
      for (const onnx::NodeId reader : wiring_.readers(value)) {
        if (++looked > 1024) break;
        const ModuleId other = resolution_.nodes[reader].module;
        if (other == own) serves_own = true;
        if (other == own || other == no_module || std::find(serves.begin(), serves.end(), other) != serves.end()) continue;
        const std::string_view prefix = twin_prefix(tree_[own].path, tree_[other].path);
        if (prefix.empty()) continue;
        layers = prefix;
        if (serves.size() < 64) serves.push_back(other);
      }
    }
    if (serves.size() < 2 || !serves_own || depends_on_layer(id, layers)) return;
    shared_[id] = true;
    set_modules(resolution_, id, std::move(serves));
  }

  bool depends_on_layer(onnx::NodeId id, std::string_view layers) const {
    for (const onnx::ValueId value : model_.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model_.producer(value);
      if (producer.kind != onnx::Producer::Kind::node || wiring_.flow(producer.index) == Flow::constant) continue;
      const Attribution& writer = resolution_.nodes[producer.index];
      if (shared_[producer.index] || !writer.known()) continue;
      if (tree_[writer.module].path.starts_with(layers)) return true;
    }
    return false;
  }

  const onnx::Model& model_;
  const hierarchy::ModuleTree& tree_;
  const Wiring& wiring_;
  Resolution& resolution_;
  std::vector<bool> shared_;
};

}  // namespace

void find_shared(const onnx::Model& model, const hierarchy::ModuleTree& tree, const Wiring& wiring, Resolution& resolution) {
  Sharing(model, tree, wiring, resolution).run();
}

}  // namespace thence::resolve
