"""The words of run ids, as data: what stands in names on the left, what it means on the right.

A word belongs here only if it means one thing wherever optimizers are tuned; what merely one scope uses is
read from that scope's write-ups, and what nobody explains is quoted.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Knob:
    """A hyperparameter that names carry with its digits behind it.

    Attributes:
        phrase: What it is called.
        is_small: Whether its values are far below one.
        is_whole: Whether its values are whole numbers.
        limit: A value above this was read wrongly and is quoted; None where any value may be meant.
    """

    phrase: str
    is_small: bool = False
    is_whole: bool = False
    limit: float | None = None


def _table(text: str) -> dict[str, str]:
    rows = (line.split("|") for line in text.strip().splitlines())
    return {name.strip(): phrase.strip() for names, phrase in rows for name in names.split(",")}


_RATE = Knob("learning rate", is_small=True, limit=0.1)
"""No matrix is stepped at a larger rate: `lr030` may be 0.30 or 0.030."""

KNOBS: Mapping[str, Knob] = {
    "lr": _RATE,
    "muonlr": Knob("Muon learning rate", is_small=True, limit=0.1),
    "headlr": Knob("learning rate of the output head", is_small=True, limit=0.1),
    "embedlr": Knob("learning rate of the embedding", limit=2.0),
    "projlr": Knob("learning rate of the projections", is_small=True, limit=0.1),
    "mlpprojlr": Knob("learning rate of mlp.proj", is_small=True, limit=0.1),
    "wd": Knob("weight decay", limit=1.0),
    "b": Knob("beta", limit=1.0),
    "b1": Knob("beta1", limit=1.0),
    "b2": Knob("beta2", limit=1.0),
    "beta": Knob("beta", limit=1.0),
    "betas": Knob("betas", limit=1.0),
    "mu": Knob("momentum", limit=1.0),
    "mom": Knob("momentum", limit=1.0),
    "momentum": Knob("momentum", limit=1.0),
    "decay": Knob("decay", limit=1.0),
    "ns": Knob("Newton-Schulz iterations", is_whole=True),
    "nsiter": Knob("Newton-Schulz iterations", is_whole=True),
    "eps": Knob("epsilon", is_small=True, limit=0.1),
    "epsilon": Knob("epsilon", is_small=True, limit=0.1),
    "alpha": Knob("alpha"),
    "gamma": Knob("gamma"),
    "lambda": Knob("lambda"),
    "rho": Knob("rho"),
    "tau": Knob("tau"),
    "gain": Knob("gain"),
    "rank": Knob("rank", is_whole=True),
    "warmup": Knob("warmup", is_whole=True),
    "clip": Knob("clipping at"),
    "floor": Knob("floor"),
    "cap": Knob("cap"),
    "power": Knob("power"),
    "temp": Knob("temperature"),
    "dropout": Knob("dropout", limit=1.0),
}
"""Hyperparameters. A single letter other than `b` means something else in every recipe and is not here."""

LETTERS_AFTER: Mapping[str, Mapping[str, str]] = {
    "floor": {"f": "floor", "c": "cooldown fraction"},
    "ema": {"b": "decay", "d": "decay"},
    "swa": {"b": "decay", "d": "decay"},
    "averaging": {"b": "decay", "d": "decay"},
    "rank": {"k": "rank"},
    "galore": {"k": "rank"},
    "topk": {"k": "k"},
    "horizon": {"f": "floor"},
    "alpha": {"a": "alpha"},
}
"""Single letters that the word before them explains."""

PHRASES: Mapping[str, str] = _table("""
baseline muon, muon baseline, baselinemuon, muonbaseline | Muon baseline
muon reference, reference muon | Muon reference
lr floor, lrfloor | learning-rate floor
lr sweep, lrsweep | learning-rate sweep
lr schedule, lrsched, lr sched | learning-rate schedule
lr decay, lrdecay | learning-rate decay
lr warmup, lrwarmup | learning-rate warmup
muon lr, muonlr | Muon learning rate
head lr, headlr | learning rate of the output head
embed lr, embedlr | learning rate of the embedding
role lr, rolelr | role-wise learning rates
role wd, rolewd | role-wise weight decay
wd sweep, wdsweep | weight-decay sweep
wd sched, wdsched | weight-decay schedule
beta sweep, betasweep | beta sweep
eps sweep, epssweep | epsilon sweep
mu sched, musched, mu schedule, mom sched, momsched | momentum schedule
mu warmup, muwarmup, mom warmup, momwarmup | momentum warmup
mu ramp, muramp, mom ramp | momentum ramp
mu cycle, mucycle | momentum cycling
ns iter, nsiter, ns iters, nsiters, ns steps | Newton-Schulz iterations
newton schulz, newtonschulz | Newton-Schulz iteration
newton muon, newtonmuon | Newton-corrected Muon
tail ema, tailema | tail EMA of the weights
weight ema, weightema | EMA of the weights
tail average, tail averaging, tailavg | tail averaging of the weights
skip gate, skipgate | skip gate
head scale, headscale | head scale
cooldown floor, cooldownfloor | cooldown floor
uw floor, uwfloor | floor of the update-to-weight ratio
uw ratio, uwratio | update-to-weight ratio
trust ratio, trustratio | trust ratio
weight decay, weightdecay | weight decay
weight norm, weightnorm | weight norm
grad clip, gradclip | gradient clipping
grad norm, gradnorm | gradient norm
grad noise, gradnoise | gradient noise
soft cap, softcap, logit cap, logitcap | logit soft-capping
z loss, zloss | z-loss
batch size, batchsize | batch size
batch ramp, batchramp | batch-size ramp
seq len, seqlen | sequence length
kl shampoo, klshampoo, kl soap, klsoap | KL-Shampoo preconditioner
polar express, polarexpress | Polar Express iteration
schedule free, schedulefree | schedule-free averaging
dual mom, dualmom, dual momentum, dualmomentum | dual-rate momentum
agg mom, aggmom | aggregated momentum
adam mini, adammini | Adam-mini
outer nesterov, outernesterov | outer Nesterov loop
nesterov gain, nesterovgain | Nesterov gain
soap aurora, soapaurora | SOAP and Aurora
mlp proj, mlpproj | on mlp.proj
attn out, attnout | on the attention output
proj only, projonly, projections only | on the projections only
per head, perhead | per attention head
leave one out | leave-one-out
b 2 | beta2
rms match, rmsmatch | RMS matching
power law, powerlaw | power-law decay
sqrt decay, sqrtdecay | square-root decay
cosine decay, cosinedecay | cosine decay
linear decay, lineardecay | linear decay
warm restart, warmrestart, warm restarts | warm restarts
""")
"""Two or three words that mean one thing together, written apart or joined."""

WORDS: Mapping[str, str] = _table("""
muon | Muon
muon2f | Muon2F factored moments
normuon | NorMuon
adamuon | AdaMuon
agmuon | AdaGrad-normalised Muon
muonh | Muon with hyperball
mu | momentum
mom | momentum
momentum | momentum
adam | Adam
adamw | AdamW
nadam, nadamw | NAdam
adan | Adan three-moment update
adabelief | AdaBelief variance
adago | AdaGO
adagrad | AdaGrad
adafactor | Adafactor rank-one moments
ademamix | AdEMAMix slow average
lion | Lion sign update
lamb | LAMB
lars | LARS
soap | SOAP
shampoo | Shampoo
psgd, kron | PSGD Kron preconditioner
sophia | Sophia clipped Hessian
mars | MARS variance reduction
scion | Scion norm-constrained step
dion | Dion distributed orthonormal update
galore | GaLore low-rank projection
fira | Fira
apollo | APOLLO channel scaling
swan | SWAN whitening
mousse | Mousse curvature-aware polar step
aurora | Aurora projected momentum
hyperball | hyperball radius control
lookahead | Lookahead
nesterov | Nesterov momentum
cautious | cautious sign mask
contra | contra step
grokfast | Grokfast gradient low-pass
extragradient | extragradient half step
sam | sharpness-aware step
ema | EMA of the weights
swa | stochastic weight averaging
lawa, lwa | latest-weight averaging
averaging | averaging
average, avg | average
polar | polar
spectral | spectral
schatten | Schatten
sphere | sphere constraint
ns | Newton-Schulz
lr | learning rate
rate | rate
wd | weight decay
beta, betas | beta
eps | epsilon
alpha | alpha
gamma | gamma
floor | floor
decay | decay
horizon | schedule horizon
stop | stop step
start | start
warmup | warmup
cooldown | cooldown
schedule, sched | schedule
trapezoid, trapezoidal, wsd | trapezoidal schedule
cosine | cosine schedule
linear | linear schedule
sqrt | square-root
anneal, annealed | annealed
ramp | ramp
cycle, cycles | cycles
pulse | pulse
gate, gated | gate
gain | gain
scale, scaling | scaling
norm | norm
rms | RMS
res, residual | residual
resid | residual
grad, gradient | gradient
noise | noise
variance | variance
clip, clipped, clipping | clipping
cap | cap
mask | mask
sign | sign
trust | trust
ratio | ratio
whitening, whiten | whitening
ortho, orthogonal | orthogonalisation
precond, preconditioner | preconditioner
hessian | Hessian
curvature | curvature
rank | rank
lowrank | low-rank
stack | stack
init | initialisation
mup | muP
rope | rotary embedding
dropout | dropout
bias | bias
batch | batch
sequence | sequence
token, tokens | token
logit, logits | logit
loss | loss
softcap | logit soft-capping
zloss | z-loss
qk | query-key
value | value
rotary | rotary embedding
role | role-wise
dual | dual
slow | slow
fast | fast
soft | soft
hard | hard
early | early
late | late
lite | reduced
iso, isolated | isolated
formal | formal
prune, pruning | pruning
sweep | sweep
ablation, ablate | ablation
replay, replicate | replay
baseline, base | baseline
reference, ref | reference
combo | combination
mix | mix
blend | blend
only | only
opt, optimizer | optimizer
legal | rule-compliant
""")
"""Single words. Those shorter than three letters count only where they stand alone."""

PLACES: Mapping[str, str] = _table("""
hidden | on the hidden matrices
mlpproj | on mlp.proj
mlp | on the MLPs
proj, projs, projections | on the projections
qkv | on the attention inputs
attn, attention | on attention
attnout | on the attention output
embed, emb, embedding | on the embedding
head | on the output head
tail | in the tail of training
rowwise | row by row
columnwise | column by column
blockwise | block by block
layerwise | layer by layer
perhead | per attention head
perlayer | per layer
paired | paired across layers
""")
"""Where and when something acts; behind a mechanism they follow it, before one they are part of its name."""

ADJECTIVES: Mapping[str, str] = _table("""
tail | tail
head | head
embed, emb | embedding
attn | attention
mlp | MLP
hidden | hidden-matrix
proj | projection
paired | paired
""")
"""The same words before a mechanism."""

LEADING = frozenset(
    {"iso", "isolated", "formal", "dual", "slow", "fast", "soft", "hard", "early", "late"}
    | {"role", "legal", "sign", "linear"}
)
"""Words that go with the mechanism behind them, also across a separator."""

NUMBER_AFTER: Mapping[str, str] = {"ema": "decay", "swa": "decay", "rank": "rank", "galore": "rank"}
"""What a bare number right behind a word means."""

NEGATIONS = frozenset({"no", "without", "minus", "drop", "sans"})
"""Words that take away what follows them."""

LEAVE_ONE_OUT = "loo"
"""Marks a cell of a leave-one-out study, with the cell's number before or behind it."""

PARENT_WORD = "from"
"""Says that what follows is the recipe that the run starts from."""

STEPS_AT_THE_END = range(1_500, 5_000)
"""Such a number at the very end of a name counts training steps."""
