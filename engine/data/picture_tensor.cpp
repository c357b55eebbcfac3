#include "engine/data/picture_tensor.h"

#include "engine/data/aspect_buckets.h"

#include <ATen/ops/_upsample_bicubic2d_aa.h>
#include <ATen/ops/_upsample_bilinear2d_aa.h>
#include <ATen/ops/from_blob.h>

namespace engine {
namespace {

/// [1, 3, h, w] float32 in [0, 255]: the part that has the bucket's shape.
at::Tensor croppedPixels(const Picture& picture, PictureSize bucket)
{
    const Crop crop = cropTo(bucket, {picture.width, picture.height});
    auto* bytes = const_cast<std::uint8_t*>(picture.rgb.data());  // only read
    return at::from_blob(bytes, {picture.height, picture.width, 3}, at::kByte)
        .narrow(0, crop.top, crop.height)
        .narrow(1, crop.left, crop.width)
        .permute({2, 0, 1})
        .unsqueeze(0)
        .to(at::kFloat, /*non_blocking=*/false, /*copy=*/true, at::MemoryFormat::Contiguous);
}

}  // namespace

at::Tensor pictureTensor(const Picture& picture, PictureSize bucket)
{
    return at::_upsample_bicubic2d_aa(croppedPixels(picture, bucket), {bucket.height, bucket.width}, /*align_corners=*/false)
        .squeeze(0)
        .clamp_(0, 255)
        .div_(127.5)
        .sub_(1);
}

at::Tensor maskTensor(const Picture& mask, PictureSize bucket)
{
    const at::Tensor red = croppedPixels(mask, bucket).narrow(1, 0, 1).contiguous();
    return at::_upsample_bilinear2d_aa(red, {bucket.height, bucket.width}, /*align_corners=*/false).squeeze(0).div_(255);
}

}  // namespace engine
