# A text encoder, image encoder or autoencoder of transformers or diffusers, eager, on one thread: makes it with random weights, saves it
# with an input and its output to FOLDER and prints its class. Then each line on standard input asks for one pass, and is answered
# by its seconds; so another program can alternate its own passes with these. Without a name: prints the names of all.
#
# usage: frozen_models.py [FOLDER NAME DTYPE]
import sys
import time

import torch
from diffusers import AutoencoderKL, AutoencoderKLQwenImage
from safetensors.torch import save_file
from transformers import (CLIPTextConfig, CLIPTextModelWithProjection, CLIPVisionConfig, CLIPVisionModelWithProjection,
                          Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration, T5Config, T5EncoderModel)

torch.set_num_threads(1)
torch.manual_seed(1)


def clip():
    config = CLIPTextConfig(hidden_size=1280, intermediate_size=5120, num_attention_heads=20, num_hidden_layers=4,
                            hidden_act="gelu", projection_dim=1280, vocab_size=1000, eos_token_id=999)
    return CLIPTextModelWithProjection(config), torch.randint(0, 999, (2, 77))


def image_tower(**sizes):
    return CLIPVisionModelWithProjection(CLIPVisionConfig(**sizes)), torch.randn(4, 3, 224, 224)


def t5():
    config = T5Config(d_model=2048, d_kv=64, d_ff=5120, num_heads=32, num_layers=2, vocab_size=1000,
                      feed_forward_proj="gated-gelu")
    return T5EncoderModel(config), torch.randint(0, 999, (2, 256))


def qwen():
    text = dict(hidden_size=2048, intermediate_size=5632, num_hidden_layers=2, num_attention_heads=16,
                num_key_value_heads=2, vocab_size=1000, max_position_embeddings=2048,
                rope_parameters={"rope_type": "default", "rope_theta": 1e6, "mrope_section": [16, 24, 24]})
    vision = dict(depth=1, hidden_size=16, num_heads=2, intermediate_size=16, out_hidden_size=2048)
    return (Qwen2_5_VLForConditionalGeneration(Qwen2_5_VLConfig(text_config=text, vision_config=vision)),
            torch.randint(0, 900, (2, 160)))


def vae(value):
    model = AutoencoderKL(block_out_channels=(64, 128, 256, 256), down_block_types=("DownEncoderBlock2D",) * 4,
                          up_block_types=("UpDecoderBlock2D",) * 4, layers_per_block=2, latent_channels=16,
                          sample_size=1024, use_quant_conv=False, use_post_quant_conv=False)
    return model, value


def qwen_vae(value):
    return AutoencoderKLQwenImage(base_dim=48, latents_mean=[0.0] * 16, latents_std=[1.0] * 16), value


def computed(model, value):
    if isinstance(model, (AutoencoderKL, AutoencoderKLQwenImage)):
        return model.encode(value).latent_dist.parameters if value.shape[1] == 3 else model.decode(value).sample
    if isinstance(model, Qwen2_5_VLForConditionalGeneration):
        return model.model.language_model(input_ids=value).last_hidden_state
    if isinstance(model, CLIPVisionModelWithProjection):
        return model.vision_model(value).pooler_output
    return model(value).last_hidden_state


MODELS = {"clip-g-4-layers": clip, "clip-vit-b-32": image_tower,
          "clip-vit-h-14-4-layers": lambda: image_tower(hidden_size=1280, intermediate_size=5120, num_attention_heads=16,
                                                        num_hidden_layers=4, patch_size=14, hidden_act="gelu"),
          "t5-2-layers": t5, "qwen2.5-vl-2-layers": qwen,
          "vae-decode": lambda: vae(torch.randn(1, 16, 20, 20)),
          "vae-encode": lambda: vae(torch.randn(1, 3, 160, 160)),
          "qwen-vae-decode": lambda: qwen_vae(torch.randn(1, 16, 1, 16, 16)),
          "qwen-vae-encode": lambda: qwen_vae(torch.randn(1, 3, 1, 128, 128))}
if len(sys.argv) == 1:
    print("\n".join(MODELS))
    sys.exit()

folder, name, dtype = sys.argv[1], sys.argv[2], getattr(torch, sys.argv[3])
model, value = MODELS[name]()
model = model.to(dtype).eval()
if value.is_floating_point():
    value = value.to(dtype)
model.save_pretrained(folder)
with torch.inference_mode():
    output = computed(model, value)
    save_file({"input": value, "output": output.float().contiguous()}, f"{folder}/case.safetensors")
    print(type(model).__name__, flush=True)
    for _ in sys.stdin:
        begin = time.perf_counter()
        computed(model, value)
        print(time.perf_counter() - begin, flush=True)
