#include "resolve/attribution.h"

#include <array>

namespace thence::resolve {
namespace {

struct Words {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<Words, static_cast<std::size_t>(Reason::count)> words = {{
    {"", ""},
    {"no_evidence",
     "neither the node nor what it is wired to carries a name, metadata or parameter that tells"},
    {"ambiguous", "the evidence fits several modules equally well"},
    {"between_layers", "it lies between two layers, and nothing says to which it belongs"},
    {"serves_several", "it serves several modules that have only the root in common"},
    {"several_call_sites", "the function is called by several modules"},
    {"unused_function", "no node calls this function"},
    {"not_in_capture", "its name speaks of a module that the capture does not have"},
    {"filtered", "the strategy leaves out torch.nn modules that are no exception and lie in no other module"},
    {"past_limits", "the file speaks of more modules than its size allows for, perhaps of this one's"},
    {"not_matched", "nothing of the ancestor is proven to be what it computes"},
    {"unknown_in_ancestor", "what it computes has no known module in the ancestor"},
    {"refuted", "it was matched with a tensor of the ancestor, but its numbers are not that tensor's"},
}};

}  // namespace

std::string_view name_of(Reason reason) { return words[static_cast<std::size_t>(reason)].name; }
std::string_view text_of(Reason reason) { return words[static_cast<std::size_t>(reason)].text; }

}  // namespace thence::resolve
