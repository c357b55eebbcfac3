// Environment variables in one line of text.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contract {

/// Names and values, in the order in which they are written.
using Variables = std::vector<std::pair<std::string, std::string>>;

struct ParsedVariables {
    Variables variables;
    std::string problem;  ///< what is wrong with the text, in one sentence without its end; empty: nothing
};

/// Parses "NCCL_SOCKET_IFNAME=ib0, NCCL_IB_HCA=mlx5_0,mlx5_1": a comma belongs to the value unless NAME= follows. No name is there twice.
ParsedVariables parseVariables(std::string_view text);

}  // namespace contract
