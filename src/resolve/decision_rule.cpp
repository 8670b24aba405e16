#include "resolve/decision_rule.h"

#include <array>

namespace thence::resolve {
namespace {

struct RuleText {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<RuleText, decision_rule_count> rule_texts = {{
    {"outside_capture", "its name or metadata names a module that the capture does not have"},
    {"module_limit", "the file names more modules than are read, perhaps this node's among them"},
    {"unresolved_stack", "its metadata names a module whose path cannot be resolved"},
    {"no_evidence", "no evidence names a module for this node"},
    {"ancestor_answer", "the ancestor's answer for the matching node is kept"},
    {"weight_held", "it reads weights of the module, recognised by their content"},
    {"graph_of_branches", "the torch.export graph has both branches, the trace only the one that ran"},
    {"recordings_conflict", "the trace and the torch.export graph name different modules, both reliably"},
    {"uncertain_graph", "only the torch.export graph names a module, with low certainty"},
    {"relabelled_alone", "the module that ran differs from the exporter's stack, and nothing confirms it"},
    {"recorded_candidate", "of several candidates, the one that was recorded while the model ran"},
    {"several_candidates", "the evidence names several modules, and no parameter decides"},
    {"inside_scope", "its scope is that of a module around others, which have no scopes"},
    {"called_module", "a call of a function is the module whose parameters it reads"},
    {"fused_output", "a fused node belongs to the module that its output is named after"},
    {"recorded_layer", "its scope leaves the layer open, and the recording names one"},
    {"recorded_module", "what was recorded while the model ran overrides the exporter's metadata"},
    {"graph_over_trace", "the torch.export graph overrides an uncertain alignment with the trace"},
    {"weight_of_merged", "of two merged nodes, the one whose weight is read ran the operation"},
    {"parameter_read", "of several candidates, the one whose parameter the node reads"},
    {"strongest_source", "the source of highest precedence decides"},
    {"consumers", "all attributed nodes that read its output belong to this module"},
    {"common_consumer", "the nodes that read its output have this module in common"},
    {"between_modules", "it lies between nodes that have this module in common"},
    {"producer", "no node reads its output, and one module produced its inputs"},
    {"layer_boundary", "it lies between nodes of different layers"},
    {"several_consumers", "the nodes that it is connected to belong to several modules"},
    {"uncertain_connections", "the recording does not place the nodes that it is connected to reliably"},
    {"same_operation", "the other nodes of the same operation of torch.export belong to this module"},
    {"call_sites", "a function's body belongs to the modules that call it"},
    {"expanded_calls", "the copies of the node at the calls of its function belong to these modules"},
    {"class_filter", "the strategy leaves out torch.nn modules that are no exception"},
}};

}  // namespace

std::string_view name_of(DecisionRule rule) { return rule_texts[static_cast<std::size_t>(rule)].name; }
std::string_view text_of(DecisionRule rule) { return rule_texts[static_cast<std::size_t>(rule)].text; }

}  // namespace thence::resolve
