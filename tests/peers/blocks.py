# A transformer block of diffusers, eager, on one thread: makes one with random weights and saves weights, inputs, outputs and
# gradients to FILE. Then each line on standard input, "forward" or "training" (forward and backward), asks for one pass, and is
# answered by its seconds; so another program can alternate its own passes with these.
#
# usage: blocks.py FILE NAME DTYPE
import sys
import time

import torch
from diffusers.models.attention import JointTransformerBlock
from diffusers.models.transformers.transformer_qwenimage import QwenEmbedRope, QwenImageTransformerBlock
from safetensors.torch import save_file

file, name, dtype = sys.argv[1], sys.argv[2], getattr(torch, sys.argv[3])
LARGEST_GRADIENT = 10_000_000  # elements; of larger weights none is saved
torch.set_num_threads(1)
torch.manual_seed(1)


def sd3(image, prompt, **options):
    width = 1536
    return JointTransformerBlock(dim=width, num_attention_heads=24, attention_head_dim=64, **options), width, image * image, prompt, {}


def qwen(image, prompt):
    width = 3072
    rotary = QwenEmbedRope(theta=10000, axes_dim=[16, 56, 56], scale_rope=True)
    frequencies = rotary([(1, image, image)], max_txt_seq_len=prompt, device=torch.device("cpu"))
    block = QwenImageTransformerBlock(dim=width, num_attention_heads=24, attention_head_dim=128)
    return block, width, image * image, prompt, {"encoder_hidden_states_mask": None, "image_rotary_emb": frequencies}


sd35 = dict(qk_norm="rms_norm", use_dual_attention=True)
block, width, tokens, prompt_tokens, more = {
    "sd3-block-256px": lambda: sd3(16, 154),
    "sd3-block-512px": lambda: sd3(32, 333),
    "sd3.5-block-256px": lambda: sd3(16, 154, **sd35),
    "sd3.5-block-512px": lambda: sd3(32, 333, **sd35),
    "qwen-block-256px": lambda: qwen(16, 64),
    "qwen-block-384px": lambda: qwen(24, 128),
}[name]()
block = block.to(dtype)
with torch.no_grad():
    for parameter in block.parameters():
        parameter.copy_(torch.randn_like(parameter) * 0.02 if parameter.dim() > 1 else 1 + torch.randn_like(parameter) * 0.02)
inputs = {"image": torch.randn(1, tokens, width), "prompt": torch.randn(1, prompt_tokens, width), "condition": torch.randn(1, width)}
inputs = {key: value.to(dtype).requires_grad_() for key, value in inputs.items()}
gradients = [torch.randn(1, count, width).to(dtype) for count in (prompt_tokens, tokens)]


def forward():
    return block(hidden_states=inputs["image"], encoder_hidden_states=inputs["prompt"], temb=inputs["condition"], **more)


def forward_seconds():
    with torch.no_grad():
        begin = time.perf_counter()
        forward()
        return time.perf_counter() - begin


def training_seconds():
    for tensor in (*inputs.values(), *block.parameters()):
        tensor.grad = None
    begin = time.perf_counter()
    outputs = forward()
    torch.autograd.backward(outputs, gradients)
    return time.perf_counter() - begin


outputs = forward()
torch.autograd.backward(outputs, gradients)
saved = {f"weight.{key}": value.detach() for key, value in block.named_parameters()}
for key, value in inputs.items():
    saved[f"input.{key}"] = value.detach()
    saved[f"gradient.input.{key}"] = value.grad
for key, value, gradient in zip(("prompt", "image"), outputs, gradients):
    saved[f"output.{key}"] = value.detach()
    saved[f"gradient.output.{key}"] = gradient
for key, value in block.named_parameters():
    if value.numel() <= LARGEST_GRADIENT:
        saved[f"gradient.weight.{key}"] = value.grad
if "image_rotary_emb" in more:
    image, prompt = more["image_rotary_emb"]
    turns = torch.cat([prompt, image])  # of all tokens, the prompt's first
    saved["cosines"], saved["sines"] = turns.real.float().contiguous(), turns.imag.float().contiguous()
save_file({key: value.contiguous() for key, value in saved.items()}, file)
print("ready", flush=True)
for line in sys.stdin:
    print({"forward": forward_seconds, "training": training_seconds}[line.strip()](), flush=True)
