"""The words of optimizer research that the synthetic ideas are made of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mechanism:
    """One thing that an idea may change.

    Attributes:
        words: Slug words.
        name: Short phrase.
        why: What it is hoped to do, as the end of a sentence.
    """

    words: str
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where or when a mechanism acts.

    Attributes:
        word: Slug word.
        name: Short phrase that follows the mechanism's name.
    """

    word: str
    name: str


_MECHANISMS = """
adabelief|AdaBelief variance|steps shrink where the gradient surprises its own mean
adan|Adan three-moment update|the difference of gradients anticipates curvature
mars|MARS variance reduction|a scaled gradient difference removes sampling noise
lion|Lion sign update|only signs survive, so heavy-tailed gradients cannot dominate
tiger|Tiger sign momentum|one buffer replaces two at the same step quality
sophia|Sophia clipped Hessian|a diagonal Hessian estimate bounds steep directions
shampoo|Shampoo Kronecker preconditioner|left and right second moments whiten the update
psgd|PSGD Kron preconditioner|the preconditioner is learned on the fly and stays stable
galore|GaLore low-rank projection|the update lives in the top singular subspace
fira|Fira norm-scaled residual|the discarded subspace still contributes a scaled residual
apollo|APOLLO channel scaling|random projections suffice for channel-wise scales
grokfast|Grokfast gradient low-pass|slow gradient components are amplified
cautious|cautious sign mask|coordinates that disagree with the gradient are masked
swan|SWAN whitening|row normalisation and whitening make the step stateless
scion|Scion norm-constrained step|each layer steps in the ball of its own norm
dion|Dion distributed orthonormal update|a power iteration replaces Newton-Schulz
polargrad|PolarGrad nuclear scaling|the nuclear norm restores the scale that polar steps lose
polar express|Polar Express iteration|minimax polynomials orthogonalise in fewer matmuls
cubic ns|cubic Newton-Schulz|a cheaper polynomial leaves room for one more iteration
ns fp32|fp32 Newton-Schulz|rounding in bf16 floors the small singular values
schatten|Schatten-4 normalisation|a tighter bound starts the iteration closer to one
spectral clip|spectral clipping|only singular values above the cap are touched
spectral momentum|spectral momentum|singular values are averaged in their own basis
anti correlation|anti-correlated momentum|the part of momentum that opposes the gradient is dropped
cross block|cross-block orthogonalisation|neighbouring layers stop learning the same direction
biproduct|bi-product polar step|two half-powers commute better than one full inverse
row balance|row balancing|rows of the update get one common norm
column gain|column gain control|columns with rare activations get larger steps
tangent drift|tangent drift correction|the weight radius is restored after each step
sphere|sphere-constrained weights|weights stay on a sphere so the angle alone is learned
weight norm floor|weight norm floor|no matrix shrinks below its floor
update ratio|update-to-weight ratio control|every layer moves by the same relative amount
trust floor|early trust floor|small trust ratios are floored early in training
layer decay|layer-wise rate decay|deep layers move less than shallow ones
depth warmup|depth-wise warmup|shallow layers warm up before deep ones
mu ramp|momentum ramp|momentum rises as the noise falls
mu cycle|momentum cycling|periodic low momentum forgets stale directions
dual momentum|dual-rate momentum|a fast and a slow buffer are blended
aggregated momentum|aggregated momentum|several decays damp each other's oscillation
ademamix|AdEMAMix slow average|very old gradients still help
quasi hyperbolic|quasi-hyperbolic momentum|the raw gradient is discounted separately
nesterov gain|Nesterov gain interpolation|the look-ahead weight is a free parameter
extragradient|extragradient half step|the gradient is taken where the step will land
sam tail|tail sharpness-aware step|flat minima are preferred when the rate is small
gradient noise|gradient noise injection|annealed noise escapes sharp valleys early
tail averaging|tail weight averaging|the average of the last iterates has less variance
ref extrapolation|reference extrapolation|a stored reference state is extrapolated away from
swa cycles|cyclic SWA|averages are taken at the low points of a cycle
schedule free|schedule-free averaging|iterates and averages trade places without a schedule
power decay|power-law decay|the rate falls as a power of the remaining steps
sqrt tail|square-root tail|the last part of the rate decays as a square root
two phase|two-phase cooldown|a gentle and then a steep cooldown
rate pulse|rate pulses|short bursts shake the weights out of ruts
batch ramp|batch-size ramp|small batches early and large ones late
sequence ramp|sequence-length ramp|short contexts first
token drop|token dropping|easy tokens are left out of the loss
loss focus|focal loss weighting|hard tokens get more weight
z loss|z-loss regularisation|the log partition function is kept near zero
logit cap|logit soft-capping|extreme logits are squashed
label smooth|label smoothing decay|smoothing fades to zero by the end
head lr|head rate scaling|the output head learns at its own rate
embed lr|embedding rate boost|rare tokens get larger steps
embed decay|embedding decay|rare rows are pulled towards the mean
tied warm|tied-embedding warm start|head and embedding are tied at first
value blend|value-residual blend|the first layer's values are mixed into later ones
rope base|rotary base sweep|a larger base flattens long-range phases
qk gain|query-key gain|a learned gain sharpens attention early
attn scale|attention scale annealing|attention starts soft and ends sharp
residual scale|residual branch scaling|branches start small and grow
init gain|initial gain correction|the first steps waste less on rescaling
mup init|muP initialisation|widths transfer rates
ortho init|orthogonal initialisation|singular values start equal
zero bias|zero bias projection|biases outside projections are held at zero
circuit|circuit-wise Muon|query-key and value-output products are stepped as one
kronecker trace|Kronecker trace scaling|the two factors share one trace
eigen refresh|eigenbasis refresh gating|the basis is recomputed only when it has drifted
basis blend|eigenbasis blending|old and new bases are mixed to avoid jumps
denominator power|denominator power sweep|a power other than one half is allowed
beta anneal|second-moment decay annealing|the second moment becomes longer late
eps floor|epsilon floor|the denominator never falls below a floor
adafactor|Adafactor rank-one moments|row and column sums replace the full moment
adamw rms|RMS-matched AdamW|matrix and vector parameters move at matched RMS
sign blend|sign-polar blend|a share of sign update covers small singular values
soft polar|soft polar map|small singular values stay small
contra step|contra step|the component along the old update is subtracted
orth residual|orthogonal residual|the residual after projection is orthogonalised too
grad centre|gradient centring|row means of the gradient are removed
variance gate|variance gating|steps are gated by their signal-to-noise ratio
curvature probe|curvature probing|a finite difference along the step scales it
line probe|line probing|two step sizes are compared every hundred steps
freeze tail|tail freezing|embeddings stop before the body does
stagger|staggered layer updates|layers take turns
coupled decay|coupled weight decay|decay follows the rate
decay sched|scheduled weight decay|decay rises as the rate falls
sparse decay|masked weight decay|only aligned coordinates decay
aurora|Aurora projected momentum|momentum is projected on the live subspace
mousse|Mousse curvature-aware polar step|whitening precedes orthogonalisation
hyperball|hyperball radius control|weights keep their initial radius
tempered|tempered polar residual|a residual survives Newton-Schulz
outer nesterov|outer Nesterov loop|a slow outer optimizer smooths the inner one
"""

_PLACES = """
hidden|on all hidden matrices
mlpproj|on mlp.proj only
qkv|on the attention inputs
attnout|on the attention output
embed|on the embedding
head|on the output head
tail|in the last tenth of training
early|in the first 500 steps
rowwise|row by row
blockwise|block by block
perhead|per attention head
gated|behind a noise gate
lite|with half the state
annealed|annealed to zero
paired|paired across layers
clipped|with clipped norm
"""

MECHANISMS = tuple(Mechanism(*line.split("|")) for line in _MECHANISMS.strip().splitlines())
"""Distinct mechanisms."""

PLACES = tuple(Place(*line.split("|")) for line in _PLACES.strip().splitlines())
"""Distinct places and times."""

KNOBS = (
    ("lr", "MUON_LR", ("0.025", "0.030", "0.0375", "0.045")),
    ("wd", "WEIGHT_DECAY", ("0.010", "0.025", "0.040")),
    ("b", "BETA2", ("0.90", "0.95", "0.99", "0.999")),
    ("mu", "MOMENTUM", ("0.90", "0.93", "0.95", "0.97")),
    ("a", "ALPHA", ("0.05", "0.10", "0.20", "0.35")),
    ("g", "GAMMA", ("0.70", "0.80", "0.90", "1.10")),
    ("k", "RANK_K", ("2", "4", "8", "16")),
    ("eps", "EPSILON", ("1e-6", "1e-8", "1e-10")),
    ("ns", "NS_ITERATIONS", ("3", "4", "5", "6")),
    ("f", "LR_FLOOR", ("0.01", "0.02", "0.05")),
)
"""Hyperparameters: abbreviation in names, constant in the source, values."""

SWEEPS = (
    ("lr-floor", "learning-rate floor", ("f", "b")),
    ("beta", "beta sweep", ("b", "mu")),
    ("horizon", "schedule horizon", ("f",)),
    ("wdsweep", "weight-decay sweep", ("wd",)),
    ("nsiter", "Newton-Schulz iterations", ("ns",)),
    ("muonlr", "Muon learning rate", ("lr",)),
)
"""Sweeps that no write-up stands behind: name, mechanism and the knobs they turn."""

LOO_CELLS = (
    ("no-muwarmup", "leave-one-out: momentum warmup"),
    ("no-cooldownfloor", "leave-one-out: cooldown floor"),
    ("no-headscale", "leave-one-out: head scale"),
    ("no-skipgate", "leave-one-out: skip gate"),
    ("no-uwfloor", "leave-one-out: update-to-weight floor"),
)
"""Leave-one-out cells: name and mechanism."""
