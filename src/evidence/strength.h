// Strength: how strong a piece of evidence is by itself, as independent fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace thence::evidence {

/// What kind of statement names the module.
enum class Statement : std::uint8_t {
  name,       // a name or metadata in the file
  parameter,  // the node reads a parameter of the module
  alignment,  // a recorded operation was aligned with the node
  proof,      // the node was matched with one of the ancestor's
};

/// How a name or metadata was read.
enum class NameReading : std::uint8_t {
  plain,           // it names a module that other evidence knows as well
  uncorroborated,  // only this name mentions the module
  inferred_call,   // a less literal reading: the call skips a level, or comes from another module
  foreign,         // a scope of another framework
  rewritten,       // a rewrite merged several nodes and kept the metadata of one
  leading_view,    // a view at the start of its module: it may have been replayed for this reader
  other_caller,    // called from outside it, where it may have another path
  outer_module,    // it names a module around the one that ran the node, or that one
  same_code,       // it names a module around it; another instance of the same code names the one inside
  by_weights,      // a scope of another tool, whose weights are those of the module
  by_outer_scope,  // a scope of another tool without weights, inside one of the module
  scope,           // a scope of another tool that no other evidence shows to be a module
};

/// How certain an alignment is. In a reordered file, by how many of its four alignments name the same step.
enum class Certainty : std::uint8_t {
  full,  // no doubt by its own measure; all alignments agree
  most,  // all alignments but one agree
  low,   // fewer agree, data does not flow along, or only the order places the node
};

/// How a node was matched with one of the ancestor's.
enum class NodeMatch : std::uint8_t {
  same_node,                 // name, operator, weights and inputs are the same
  same_inputs,               // the same operation on the same values
  same_weight,               // the only operation that reads this weight
  same_consumers,            // read in the same place by the same operation
  same_region,               // everything between matched values
  unique_remaining,          // the only remaining candidate, or one of several of the same module
  same_view,                 // a view of a matched value, as in the ancestor
  inserted,                  // a rewrite inserted it; it forwards a matched value
  feeds_matched,             // shapes and constants that only matched nodes read
  feeds_matched_indirectly,  // shapes and constants for those
  enclosed,                  // unmatched, between matched nodes of one module
};

/// Default: a name that is read literally.
struct Strength {
  Statement statement = Statement::name;
  NameReading reading = NameReading::plain;  // of a name
  Certainty certainty = Certainty::full;   // of an alignment, as the next five; a parameter may be in a body,
                                           // and a proof is less certain in a second export
  bool is_reordered = false;               // the file's nodes do not stand in the order they ran in
  bool is_shape_or_constant = false;       // the node works on shapes and constants, not on data
  bool is_relabelled = false;              // the exporter's stack names another module; fully certain
  bool is_in_body = false;                 // which a trace has once for each run, or not at all
  bool is_in_branch = false;               // in the branch of an `If`: a trace has only the one that ran
  NodeMatch match = NodeMatch::same_node;  // of a proof
  bool is_by_content = false;              // a parameter that was recognised by its content
  bool has_rivals = false;                 // the statement fits several modules
  bool is_secondary = false;               // another module is the node's primary one

  friend bool operator==(const Strength&, const Strength&) = default;
};

/// The number of a strength's name: a row of the calibration table. Combinations that the table does not
/// distinguish share one.
inline constexpr std::size_t strength_count = 39;
std::size_t key_of(Strength strength);
std::string_view name_of_key(std::size_t key);

/// As printed.
inline std::string_view name_of(Strength strength) { return name_of_key(key_of(strength)); }

}  // namespace thence::evidence
