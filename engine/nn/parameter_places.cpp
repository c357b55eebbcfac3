#include "engine/nn/parameter_places.h"

#include <utility>

namespace engine {

LinearPlace SpecBuilder::linear(const std::string& name, std::int64_t out, std::int64_t in, double std)
{
    LinearPlace place = linearWithoutBias(name, out, in, std);
    place.bias = parameter(name + ".bias", {out}, 0);
    return place;
}

LinearPlace SpecBuilder::linearWithoutBias(const std::string& name, std::int64_t out, std::int64_t in, double std)
{
    const std::size_t weight = parameter(name + ".weight", {out, in}, std);
    m_spec.parameters[weight].isLinear = true;
    return {weight, std::nullopt};
}

LinearPlace SpecBuilder::convolution(
    const std::string& name, std::int64_t out, std::int64_t in, const std::vector<std::int64_t>& kernel)
{
    std::vector<std::int64_t> shape = {out, in};
    shape.insert(shape.end(), kernel.begin(), kernel.end());
    const std::size_t weight = parameter(name + ".weight", std::move(shape), kInitStd);
    return {weight, parameter(name + ".bias", {out}, 0)};
}

std::size_t SpecBuilder::parameter(const std::string& name, std::vector<std::int64_t> shape, double std, double mean)
{
    const std::string whole = m_prefix + name;
    m_spec.parameters.push_back({.name = whole, .shape = std::move(shape), .initStd = std,
        .isDecayed = isDecayedByRule(whole), .initMean = mean});
    return m_spec.parameters.size() - 1;
}

LinearGroup BlockParameters::linears(std::initializer_list<LinearPlace> places) const
{
    LinearGroup group;
    for (const LinearPlace& place : places)
        group.push_back(linear(place));
    return group;
}

}  // namespace engine
