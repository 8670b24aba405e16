#include "resolve/attribution.h"

#include <array>

namespace thence::resolve {
namespace {

struct ReasonText {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<ReasonText, static_cast<std::size_t>(Reason::count)> reason_texts = {{
    {"", ""},
    {"no_evidence", "no evidence names a module, neither for the node nor for the nodes connected to it"},
    {"ambiguous", "the evidence supports several modules equally"},
    {"between_layers", "the node is between two layers, and no evidence names one of them"},
    {"feeds_several", "several modules use the node, and only the root contains them all"},
    {"several_call_sites", "several modules call the function"},
    {"unused_function", "no node calls this function"},
    {"not_in_capture", "its name refers to a module that the capture does not have"},
    {"filtered",
     "the strategy excludes torch.nn modules that are not exceptions and have no enclosing module of the "
     "model"},
    {"past_limits", "the file names more modules than its size allows"},
    {"not_matched", "no node of the ancestor is proven to compute the same"},
    {"unknown_in_ancestor", "the matching node of the ancestor has no known module"},
    {"refuted", "it was matched with a tensor of the ancestor that has different numbers"},
}};

}  // namespace

std::string_view name_of(Reason reason) { return reason_texts[static_cast<std::size_t>(reason)].name; }
std::string_view text_of(Reason reason) { return reason_texts[static_cast<std::size_t>(reason)].text; }

}  // namespace thence::resolve
