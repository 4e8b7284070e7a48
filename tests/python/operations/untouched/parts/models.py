"""What is trained: bodies that make `h` of (batch, 8), layers with a state, and wrappers."""

from __future__ import annotations

from ..part import part

NETWORKS = (
    part(
        "linear",
        init="self.body = nn.Linear(6, 8)",
        body="h = F.relu(self.body(x))",
        batch_of="torch.randn(4, 6)",
        is_="scriptable floating",
    ),
    part(
        "convolution",
        init="self.body = nn.Sequential(nn.Conv1d(2, 4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(24, 8))",
        body="h = self.body(x)",
        batch_of="torch.randn(4, 2, 6)",
        is_="scriptable floating",
    ),
    part(
        "attention",
        init="self.body = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)",
        body="h = self.body(x).mean(1)",
        batch_of="torch.randn(4, 3, 8)",
        is_="floating",
    ),
    part(
        "recurrent",
        init="self.body = nn.GRU(4, 8)",
        body="h = self.body(x.transpose(0, 1))[0][-1]",
        batch_of="torch.randn(4, 3, 4)",
        is_="floating",
    ),
    part(
        "embedding",
        init="self.body = nn.EmbeddingBag(20, 8)",
        body="h = torch.tanh(self.body(x))",
        batch_of="torch.randint(0, 20, (4, 5))",
    ),
    part(
        "GPT-2",
        defs="""
from transformers import GPT2Config, GPT2Model
CONFIG = GPT2Config(vocab_size=20, n_positions=32, n_embd=8, n_layer=1, n_head=2, attn_pdrop=0.0, embd_pdrop=0.0, resid_pdrop=0.0, use_cache=False, bos_token_id=0, eos_token_id=0)
""",
        init="self.body = GPT2Model(CONFIG)",
        body="h = self.body(x).last_hidden_state.mean(1)",
        batch_of="torch.randint(0, 20, (4, 5))",
        is_="transformer",
        rare=True,
    ),
    part(
        "Llama",
        defs="""
from transformers import LlamaConfig, LlamaModel
CONFIG = LlamaConfig(vocab_size=20, hidden_size=8, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=32, use_cache=False)
""",
        init="self.body = LlamaModel(CONFIG)",
        body="h = self.body(x).last_hidden_state.mean(1)",
        batch_of="torch.randint(0, 20, (4, 5))",
        is_="transformer",
        rare=True,
    ),
)

LAYERS = (
    part("none", is_="scriptable"),
    part(
        "BatchNorm",
        init="self.norm = nn.BatchNorm1d(8)",
        forward="h = self.norm(h)",
        is_="scriptable",
    ),
    part(
        "BatchNorm with cumulative statistics",
        init="self.norm = nn.BatchNorm1d(8, momentum=None, affine=False)",
        forward="h = self.norm(h)",
    ),
    part(
        "GroupNorm",
        init="self.norm = nn.GroupNorm(2, 8)",
        forward="h = self.norm(h)",
        is_="scriptable",
    ),
    part(
        "codebook",
        init="""
self.register_buffer("codes", torch.randn(5, 8))
self.register_buffer("used", torch.ones(5))
""",
        forward="""
nearest = torch.cdist(h.detach().float(), self.codes).argmin(1)
if self.training:
    with torch.no_grad():
        one_hot = F.one_hot(nearest, 5).to(self.codes.dtype)
        self.used.mul_(0.9).add_(one_hot.sum(0), alpha=0.1)
        self.codes.lerp_(one_hot.t() @ h.detach().float() / self.used[:, None], 0.1)
h = h + (self.codes[nearest] - h).detach()
""",
    ),
    part(
        "running mean",
        init="""
self.register_buffer("mean", torch.zeros(8))
self.register_buffer("seen", torch.tensor(0))
""",
        forward="""
self.mean = self.mean * 0.9 + h.detach().float().mean(0) * 0.1
self.seen += 1
h = h - self.mean
""",
    ),
    part(
        "mean in an attribute",
        init="self.mean, self.calls = torch.zeros(8), 0",
        forward="""
self.mean = 0.9 * self.mean + 0.1 * h.detach().float().mean(0)
self.calls += 1
h = h - self.mean
""",
    ),
)

WRAPPED = (
    part("none", is_="scriptable"),
    part("weight norm", wrap="torch.nn.utils.parametrizations.weight_norm(model.last)"),
    part("spectral norm", wrap="torch.nn.utils.parametrizations.spectral_norm(model.last)"),
    part("old weight norm", wrap="torch.nn.utils.weight_norm(model.last)", is_="uncopied"),
    part(
        "tied",
        init="self.proj, self.back = nn.Linear(8, 4, bias=False), nn.Linear(4, 8, bias=False)",
        forward="h = h + F.linear(self.proj(h), self.back.weight)",
        wrap="model.back.weight = nn.Parameter(model.proj.weight.detach().t().contiguous()); model.proj.tied = model.back",
        is_="scriptable_no",
    ),
    part(
        "shared module",
        init="self.mix = nn.Linear(8, 8); self.mix2 = self.mix",
        forward="h = self.mix2(self.mix(h))",
    ),
    part(
        "frozen",
        wrap="""
for parameter in model.body.parameters():
    parameter.requires_grad_(False)
""",
        is_="scriptable",
    ),
    part("scripted", wrap="model = torch.jit.script(model)", is_="script uncopied"),
    part(
        "torch.compile", wrap='model = torch.compile(model, backend="eager")', is_="outer compiled"
    ),
    part("DataParallel", wrap="model = nn.DataParallel(model)", is_="outer"),
    part(
        "DistributedDataParallel",
        wrap="model = torch.nn.parallel.DistributedDataParallel(model)",
        is_="outer distributed uncopied",
        rare=True,
    ),
    part(
        "fully_shard",
        wrap="""
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
fully_shard(model, mesh=init_device_mesh("cpu", (1,)))
""",
        is_="distributed sharded uncopied",
        rare=True,
    ),
)
