#include "engine/data/image_tensor.h"

#include "engine/data/aspect_buckets.h"

#include <ATen/ops/_upsample_bicubic2d_aa.h>
#include <ATen/ops/_upsample_bilinear2d_aa.h>
#include <ATen/ops/from_blob.h>

namespace engine {
namespace {

/// Returns the centred crop with the bucket's aspect ratio, [1, 3, h, w] float32 in [0, 255].
at::Tensor croppedPixels(const Image& image, ImageSize bucket)
{
    const Crop crop = cropTo(bucket, {image.width, image.height});
    auto* bytes = const_cast<std::uint8_t*>(image.rgb.data());  // from_blob() takes no const pointer; only read
    return at::from_blob(bytes, {image.height, image.width, 3}, at::kByte)
        .narrow(0, crop.top, crop.height)
        .narrow(1, crop.left, crop.width)
        .permute({2, 0, 1})
        .unsqueeze(0)
        .to(at::kFloat, /*non_blocking=*/false, /*copy=*/true, at::MemoryFormat::Contiguous);
}

}  // namespace

at::Tensor imageTensor(const Image& image, ImageSize bucket)
{
    return at::_upsample_bicubic2d_aa(croppedPixels(image, bucket), {bucket.height, bucket.width}, /*align_corners=*/false)
        .squeeze(0)
        .clamp_(0, 255)
        .div_(127.5)
        .sub_(1);
}

at::Tensor maskTensor(const Image& mask, ImageSize bucket)
{
    const at::Tensor red = croppedPixels(mask, bucket).narrow(1, 0, 1).contiguous();
    return at::_upsample_bilinear2d_aa(red, {bucket.height, bucket.width}, /*align_corners=*/false).squeeze(0).div_(255);
}

}  // namespace engine
