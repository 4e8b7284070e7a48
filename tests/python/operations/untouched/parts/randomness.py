"""Where a program's random numbers come from."""

from __future__ import annotations

from ..part import part

RANDOMNESS = (
    part("none", is_="scriptable"),
    part(
        "dropout", init="self.drop = nn.Dropout(0.3)", forward="h = self.drop(h)", is_="scriptable"
    ),
    part("noise in the forward", forward="h = h + 0.1 * torch.randn_like(h) * torch.rand(1)"),
    part(
        "generator of one's own",
        setup="generator = torch.Generator().manual_seed(5)",
        keeps="generator",
        is_="input",
        before="x = x + 0.1 * torch.randn(x.shape, generator=$generator)",
    ),
    part(
        "generator in the model",
        init="self.generator = torch.Generator().manual_seed(6)",
        forward="h = h + 0.1 * torch.randn(h.shape, generator=self.generator)",
        is_="uncopied",
    ),
    part(
        "Python's",
        before="flip = random.random() < 0.5\nx = x.flip(1) if flip else x",
    ),
    part(
        "random.Random of one's own",
        setup="dice = random.Random(3)",
        keeps="dice",
        loss="loss = loss * $dice.uniform(0.5, 1.5)",
    ),
    part("NumPy's", loss="loss = loss * float(np.random.uniform(0.5, 1.5))"),
    part(
        "NumPy generator of one's own",
        setup="dice = np.random.default_rng(3)",
        keeps="dice",
        loss="loss = loss * float($dice.uniform(0.5, 1.5))",
    ),
    part("permutation", before="order = torch.randperm(len(x))\nx, y = x[order], y[order]"),
    part(
        "Bernoulli in place",
        before="keep = torch.empty(len(x)).bernoulli_(0.7).bool()",
        loss="loss = loss + out.float()[keep].sum() * 0.01",
    ),
    part(
        "seeded in the step",
        before="torch.manual_seed(len(x)); np.random.seed(4)",
        loss="loss = loss + torch.rand(()) * out.float().mean()",
    ),
)
